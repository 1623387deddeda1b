import { escapeAttribute, escapeText } from '../escape.ts';
import type { NavNode, Page } from '../site.ts';
import { chromeIcon, partIcon } from './icon.ts';
import { type ChromeLink, nodeLink } from './links.ts';
import { relativeLink } from './paths.ts';
import type { Level, Place } from './place.ts';
import { languageName, languageTag, type Strings } from './strings.ts';
import type { Theme } from './theme.ts';

/** Disclosure with links to the siblings of a level: works without a script. */
export function selector(
  theme: Theme,
  page: Page,
  level: Level,
  strings: Strings,
  className: string,
): string {
  const { current } = level;
  if (level.siblings.length < 2 && current !== null) return '';
  const name = labelOf(level, strings);
  const shown = current ?? level.siblings[0];
  if (shown === undefined) return '';
  const options = level.siblings
    .map((node) => {
      const link = levelLink(theme, page, level, node);
      if (link === null) return '';
      const active = node === current ? ' aria-current="true" data-active="true"' : '';
      const about =
        node.description === null
          ? ''
          : `<span class="selector-about">${escapeText(node.description)}</span>`;
      const tag = node.tag === null ? '' : `<span class="nav-tag">${escapeText(node.tag)}</span>`;
      const language = node.kind === 'language' ? ` lang="${escapeAttribute(languageTag(node.label))}"` : '';
      return `<li><a href="${escapeAttribute(link.href)}"${language}${active}>${chromeIcon(theme, page.output, node.icon, 16)}<span class="selector-text"><span>${escapeText(text(node))}${tag}</span>${about}</span>${node === current ? partIcon('check', 16, 'check') : ''}</a></li>`;
    })
    .join('');
  const leading =
    level.kind === 'language' ? partIcon('globe', 16) : chromeIcon(theme, page.output, shown.icon, 16);
  return `<details class="selector ${className}" data-kind="${level.kind}"><summary aria-label="${escapeAttribute(`${name}: ${text(shown)}`)}">${leading}<span class="selector-label">${escapeText(text(shown))}</span>${partIcon('chevrons-up-down', 14, 'chevron')}</summary><ul class="selector-menu">${options}</ul></details>`;
}

/** Where a node of a level leads from this page: the same page over there, where there is one. */
function levelLink(theme: Theme, page: Page, level: Level, node: NavNode): ChromeLink | null {
  if (node.href !== null) return nodeLink(theme, page.output, node);
  const same = level.kind === 'language' || level.kind === 'version' || level.kind === 'product';
  if (!same || node === level.current) return nodeLink(theme, page.output, node);
  const twin = theme.counterpartOf(node, level.current, page);
  return twin === null ? null : { href: relativeLink(page.output, twin.output), external: false };
}

/** The row of tabs: the first level of tabs on the way to the page, and the tabs shown everywhere. */
export function tabsRow(theme: Theme, page: Page, place: Place): string {
  const level = place.levels.find((candidate) => candidate.kind === 'tab');
  const nodes = [...(level?.siblings ?? []), ...theme.siteMap.global.filter((node) => node.kind === 'tab')];
  if (nodes.length === 0) return '';
  const items = nodes
    .map((node) => {
      const link = nodeLink(theme, page.output, node);
      if (link === null) return '';
      const active = page.trail.length > 0 && node === level?.current;
      return `<li><a class="nav-tabs-item" href="${escapeAttribute(link.href)}"${active ? ' aria-current="true" data-active="true"' : ''}${link.external ? ' target="_blank" rel="noopener"' : ''}>${chromeIcon(theme, page.output, node.icon, 16)}${escapeText(node.label)}</a></li>`;
    })
    .join('');
  return `<ul class="nav-tabs">${items}</ul>`;
}

/** Anchors, menu items and links for all pages, at the top of the sidebar. */
export function anchorList(theme: Theme, page: Page, place: Place): string {
  let items = '';
  for (const level of place.levels) {
    if (level.kind !== 'anchor' && level.kind !== 'item') continue;
    if (level.siblings.length < 2 && level.siblings[0]?.href === null) continue;
    for (const node of level.siblings) items += anchorItem(theme, page, node, node === level.current);
  }
  for (const node of theme.siteMap.global) {
    if (node.kind !== 'tab') items += anchorItem(theme, page, node, false);
  }
  return items === '' ? '' : `<ul class="sidebar-anchors">${items}</ul>`;
}

function anchorItem(theme: Theme, page: Page, node: NavNode, active: boolean): string {
  const link = nodeLink(theme, page.output, node);
  if (link === null || node.hidden) return '';
  const icon = chromeIcon(theme, page.output, node.icon, 16);
  return `<li><a class="nav-anchor" href="${escapeAttribute(link.href)}"${active ? ' aria-current="true" data-active="true"' : ''}${link.external ? ' target="_blank" rel="noopener"' : ''}>${icon === '' ? '' : `<span class="nav-anchor-icon">${icon}</span>`}<span>${escapeText(node.label)}</span></a></li>`;
}

function labelOf(level: Level, strings: Strings): string {
  if (level.kind === 'language') return strings.language;
  if (level.kind === 'version') return strings.version;
  return level.kind === 'product' ? strings.product : strings.section;
}

function text(node: NavNode): string {
  return node.kind === 'language' ? languageName(node.label) : node.label;
}
