import { escapeAttribute } from '../escape.ts';
import type { IconLibrary, IconRef } from '../site.ts';
import { type Drawing, findDrawing } from './library.ts';
import { NEAREST } from './names.ts';

const ORDER: Readonly<Record<IconLibrary, readonly IconLibrary[]>> = {
  fontawesome: ['fontawesome', 'lucide', 'tabler'],
  lucide: ['lucide', 'fontawesome', 'tabler'],
  tabler: ['tabler', 'lucide', 'fontawesome'],
};

/**
 * License notice of the vendored drawings. Pages contain them without comments, so a site that uses icons
 * carries this text once.
 */
export const ICON_NOTICE = [
  'Icons: Font Awesome Free by Fonticons, Inc. (https://fontawesome.com), CC BY 4.0;',
  'Lucide (https://lucide.dev), ISC; Tabler Icons (https://tabler.io/icons), MIT.',
].join('\n');

/**
 * Inline SVG of a library icon, or null if no library has it. The icon's own library comes first, then
 * `library` (the site's), then the others: pages mix names of all three. `size` is in CSS px (default 16),
 * `color` a CSS color that the caller has checked.
 */
export function iconSvg(
  icon: IconRef,
  library: IconLibrary,
  options: { size?: number; className?: string; color?: string } = {},
): string | null {
  const name = iconName(icon.name);
  if (name === null) return null;
  const drawing = lookUp(name, icon.style, icon.library ?? library);
  return drawing === null ? null : drawSvg(drawing, options);
}

/** `fa-solid fa-gear`, `BookOpen` and `book_open` as the file name in a library; null when it cannot be one. */
function iconName(written: string): string | null {
  if (written.length > 128) return null;
  const word = written.trim().split(/\s+/).at(-1) ?? '';
  const name = word
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^fa-/, '');
  return /^[a-z0-9-]{1,64}$/.test(name) ? name : null;
}

function lookUp(name: string, style: string | null, library: IconLibrary): Drawing | null {
  const near = NEAREST.get(name);
  for (const candidate of ORDER[library]) {
    const drawing = findDrawing(candidate, name, style);
    if (drawing !== null) return drawing;
    if (near !== undefined) return findDrawing(near[0], near[1], style);
  }
  return null;
}

function drawSvg(drawing: Drawing, options: { size?: number; className?: string; color?: string }): string {
  const size = options.size ?? 16;
  const className = options.className === undefined ? 'icon' : `icon ${escapeAttribute(options.className)}`;
  const paint = drawing.stroked
    ? 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"'
    : 'fill="currentColor"';
  const color = options.color === undefined ? '' : ` color="${escapeAttribute(options.color)}"`;
  return `<svg class="${className}" width="${size}" height="${size}" viewBox="${drawing.viewBox}" ${paint}${color} aria-hidden="true">${drawing.body}</svg>`;
}
