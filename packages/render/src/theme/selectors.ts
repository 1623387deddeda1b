import { escapeAttribute, escapeText } from '../escape.ts';
import type { NavNode, Page } from '../site.ts';
import { parseHex, textOn } from './color.ts';
import { chromeIcon, partIcon } from './icon.ts';
import { type ChromeLink, nodeLink } from './links.ts';
import { relativeLink } from './paths.ts';
import type { Level, Place } from './place.ts';
import { LANGUAGE_ID } from './reserved.ts';
import { languageName, languageTag, type Strings } from './strings.ts';
import { tagPill } from './tag-pill.ts';
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
  const options = level.siblings.map((node) => option(theme, page, level, node)).join('');
  const leading = level.kind === 'language' ? partIcon('globe', 16) : coloredIcon(theme, page, shown);
  const badge = shown.tag === null || level.kind === 'language' ? '' : ` ${tagPill(shown.tag)}`;
  const named = badge === '' ? text(shown) : `${text(shown)} ${shown.tag}`;
  const isLanguage = level.kind === 'language';
  const trigger = isLanguage ? 'id="localization-select-trigger"' : `class="${names('trigger', level.kind)}"`;
  const content = `${isLanguage ? 'id="localization-select-content" ' : ''}class="${names('content', level.kind)} op-selector-menu"`;
  return `<details class="op-selector ${className}" data-kind="${level.kind}"><summary ${trigger} aria-label="${escapeAttribute(`${name}: ${named}`)}">${leading}<span class="op-selector-label">${escapeText(text(shown))}</span>${badge}${partIcon('chevrons-up-down', 14, 'op-chevron')}</summary><ul ${content}>${options}</ul></details>`;
}

/** Public classes of a part of a menu; menus of products have their own besides. */
function names(part: string, kind: Level['kind']): string {
  const name = `nav-dropdown-${part}`;
  return kind === 'product'
    ? `${name} ${name.replace('nav-dropdown', 'nav-dropdown-products-selector')}`
    : name;
}

/** One sibling in the menu of a level. */
function option(theme: Theme, page: Page, level: Level, node: NavNode): string {
  const link = levelLink(theme, page, level, node);
  if (link === null) return '';
  const language = node.kind === 'language' ? languageAttributes(node.label) : '';
  const isCurrent = node === level.current;
  const icon = coloredIcon(theme, page, node, names('item-icon', level.kind));
  const check = isCurrent ? partIcon('check', 16) : '';
  return `<li><a class="${names('item', level.kind)}" href="${escapeAttribute(link.href)}"${language}${currentMark(isCurrent)}${outside(link)}>${icon}${optionText(node, text(node), level.kind)}${check}</a></li>`;
}

function languageAttributes(language: string): string {
  const id = escapeAttribute(`${LANGUAGE_ID}${language.replaceAll(/\s/g, '-')}`);
  return ` id="${id}" lang="${escapeAttribute(languageTag(language))}"`;
}

function optionText(node: NavNode, title: string, kind: Level['kind']): string {
  const about =
    node.description === null
      ? ''
      : `<span class="${names('item-description', kind)} op-selector-about">${escapeText(node.description)}</span>`;
  return `<span class="nav-dropdown-item-text-container op-selector-text"><span class="${names('item-title', kind)}">${escapeText(title)}${tagOf(node)}</span>${about}</span>`;
}

const currentMark = (isCurrent: boolean): string =>
  isCurrent ? ' aria-current="true" data-active="true"' : '';

/** Where a node of a level leads from this page: the same page over there, where there is one. */
function levelLink(theme: Theme, page: Page, level: Level, node: NavNode): ChromeLink | null {
  if (node.href !== null) return nodeLink(theme, page.output, node);
  const same = level.kind === 'language' || level.kind === 'version' || level.kind === 'product';
  if (!same || node === level.current) return nodeLink(theme, page.output, node);
  const twin = theme.counterpartOf(node, level.current, page);
  return twin === null ? null : { href: relativeLink(page.output, twin.output), external: false };
}

/** The tabs: the first level of tabs on the way to the page, and the tabs shown everywhere. */
export function tabList(theme: Theme, page: Page, place: Place): string {
  const level = tabLevel(place);
  const global = place.global.filter((node) => node.kind === 'tab' && !node.hidden);
  const nodes = [...(level?.siblings ?? []), ...global];
  if (nodes.length === 0) return '';
  const sides = [
    ...nodes.filter(({ align }) => align !== 'end'),
    ...nodes.filter(({ align }) => align === 'end'),
  ];
  const items = sides
    .map((node) => {
      if (node === level?.current || place.open.has(node))
        return tabItem(theme, page, place, node, node === level?.current);
      return theme.parts.of(page.output, 'tab', node, () => tabItem(theme, page, place, node, false));
    })
    .join('');
  return `<ul class="nav-tabs op-nav-tabs">${items}</ul>`;
}

/** The level that the tabs show; further ones below it are in the sidebar. */
function tabLevel(place: Place): Level | undefined {
  return place.levels.find(({ kind }) => kind === 'tab');
}

function tabItem(theme: Theme, page: Page, place: Place, node: NavNode, current: boolean): string {
  const active = current && page.trail.length > 0 ? ' aria-current="true" data-active="true"' : '';
  const end = node.align === 'end' ? ' data-align="end"' : '';
  const label = `${chromeIcon(theme, page.output, node.icon, 16)}<span>${escapeText(node.label)}</span>${tagOf(node)}`;
  const menu = node.children.filter(({ kind, hidden }) => kind === 'item' && !hidden);
  if (menu.length > 0) {
    const shown = place.levels.find(({ kind, parent }) => kind === 'item' && parent === node)?.current;
    const items = menu.map((item) => menuItem(theme, page, item, item === shown)).join('');
    return `<li${end}><details class="op-selector op-nav-tabs-menu"><summary class="nav-tabs-item op-nav-tabs-item"${active}>${label}${partIcon('chevron-down', 14, 'op-chevron')}</summary><ul class="nav-dropdown-content op-selector-menu">${items}</ul></details></li>`;
  }
  const link = nodeLink(theme, page.output, node);
  if (link === null) return '';
  return `<li${end}><a class="nav-tabs-item op-nav-tabs-item" href="${escapeAttribute(link.href)}"${active}${outside(link)}>${label}${link.external ? partIcon('arrow-up-right', 14, 'op-external') : ''}</a></li>`;
}

function menuItem(theme: Theme, page: Page, node: NavNode, current: boolean): string {
  const link = nodeLink(theme, page.output, node);
  if (link === null) return '';
  const icon = chromeIcon(theme, page.output, node.icon, 16, 'nav-dropdown-item-icon');
  return `<li><a class="nav-dropdown-item" href="${escapeAttribute(link.href)}"${currentMark(current)}${outside(link)}>${icon}${optionText(node, node.label, 'item')}</a></li>`;
}

/** Anchors, menus that no tab shows, tabs inside tabs, and links for all pages. */
export function anchorList(theme: Theme, page: Page, place: Place): string {
  const tabs = tabLevel(place);
  let items = '';
  for (const level of place.levels) {
    if (level.kind !== 'anchor' && level.kind !== 'item' && level.kind !== 'tab') continue;
    if (level === tabs || (level.kind === 'item' && tabs?.siblings.includes(level.parent))) continue;
    if (level.siblings.length < 2 && level.siblings[0]?.href === null) continue;
    for (const node of level.siblings) items += anchorItem(theme, page, node, node === level.current);
  }
  for (const node of place.global) {
    if (node.kind !== 'tab') items += anchorItem(theme, page, node, false);
  }
  return items === '' ? '' : `<ul class="nav-anchors op-sidebar-anchors">${items}</ul>`;
}

function anchorItem(theme: Theme, page: Page, node: NavNode, active: boolean): string {
  const link = nodeLink(theme, page.output, node);
  if (link === null || node.hidden) return '';
  const icon = chromeIcon(theme, page.output, node.icon, 16);
  return `<li><a class="nav-anchor op-nav-anchor" href="${escapeAttribute(link.href)}"${active ? ' aria-current="true" data-active="true"' : ''}${colorStyle(node)}${outside(link)}>${icon === '' ? '' : `<span class="op-nav-anchor-icon">${icon}</span>`}<span>${escapeText(node.label)}</span>${tagOf(node)}</a></li>`;
}

function coloredIcon(theme: Theme, page: Page, node: NavNode, className?: string): string {
  const icon = chromeIcon(theme, page.output, node.icon, 16, className);
  return icon === '' || node.color === null
    ? icon
    : `<span class="op-node-color"${colorStyle(node)}>${icon}</span>`;
}

/** The node's own color for the style sheets; colors of the configuration are `#rrggbb`. */
function colorStyle(node: NavNode): string {
  if (node.color === null) return '';
  const { light, dark } = node.color;
  const color = light === dark ? light : `light-dark(${light},${dark})`;
  return ` style="--node-color:${color};--on-node:light-dark(${textOn(parseHex(light) ?? [0, 0, 0])},${textOn(parseHex(dark) ?? [0, 0, 0])})"`;
}

function tagOf(node: NavNode): string {
  return node.tag === null ? '' : tagPill(node.tag);
}

function outside(link: ChromeLink): string {
  return link.external ? ' target="_blank" rel="noopener"' : '';
}

function labelOf(level: Level, strings: Strings): string {
  if (level.kind === 'language') return strings.language;
  if (level.kind === 'version') return strings.version;
  return level.kind === 'product' ? strings.product : strings.section;
}

function text(node: NavNode): string {
  return node.kind === 'language' ? languageName(node.label) : node.label;
}
