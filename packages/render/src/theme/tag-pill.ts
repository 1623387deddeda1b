import { escapeText } from '../escape.ts';

/** The tag of an entry of the navigation, such as `New`. */
export function tagPill(text: string, kind = ''): string {
  return `<span class="nav-tag-pill op-nav-tag"${kind === '' ? '' : ` data-kind="${kind}"`}><span class="nav-tag-pill-text">${escapeText(text)}</span></span>`;
}
