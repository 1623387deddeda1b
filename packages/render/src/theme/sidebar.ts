import { escapeAttribute, escapeText } from '../escape.ts';
import { endpointOf, firstPage, type IconRef, type NavNode, type Page, type SiteMap } from '../site.ts';
import { hashOf } from './hash.ts';
import { chromeIcon, partIcon } from './icon.ts';
import { inlineHtml } from './inline.ts';
import { nodeLink } from './links.ts';
import { encodePath, relativeLink } from './paths.ts';
import { isShownEntry, isSidebarEntry, type Place, sidebarNodes } from './place.ts';
import { tagPill } from './tag-pill.ts';
import type { Theme } from './theme.ts';

/** Entries of one level that a page inlines on each side of its own; the script brings the others. */
const WINDOW = 8;

/** Names the script of each sidebar. The name holds the place, not the content, so that a new title in it changes no page. */
export function nameSidebarScripts(siteMap: SiteMap): Map<NavNode, string> {
  const scripts = new Map<NavNode, string>();
  const taken = new Set<string>();
  const chain = new Map<NavNode, string>();
  const note = (node: NavNode, above: string): void => {
    const own = `${above}\u0000${node.kind}:${node.label}`;
    chain.set(node, own);
    for (const child of node.children) if (!isSidebarEntry(child)) note(child, own);
  };
  note(siteMap.navigation, '');
  for (const node of sidebarNodes(siteMap)) {
    let key = chain.get(node)!;
    while (taken.has(key)) key += '+';
    taken.add(key);
    scripts.set(node, `_offprint/nav-${hashOf(key)}.js`);
  }
  return scripts;
}

/** The script that brings a whole sidebar; links inside start at the root of the site. */
export function sidebarScript(theme: Theme, node: NavNode): string {
  const html = topLevel({ theme, output: '', current: null, open: null }, node);
  return `offprintNavigation(${JSON.stringify(html)});\n`;
}

/** What a page holds itself: its own chain of groups with their entries, other groups as one link. */
export function inlineSidebar(theme: Theme, page: Page, place: Place): string {
  return topLevel({ theme, output: page.output, current: page, open: place.open }, place.sidebar);
}

interface Scope {
  theme: Theme;
  output: string;
  current: Page | null;
  /** Nodes to open; null = write everything. */
  open: ReadonlySet<NavNode> | null;
}

function topLevel(scope: Scope, sidebar: NavNode): string {
  const entries = visible(sidebar);
  let html = '';
  let loose = '';
  for (const node of windowed(scope, entries)) {
    if (node.kind !== 'group') {
      loose += entry(scope, node);
      continue;
    }
    html += looseList(loose, html === '');
    loose = '';
    html += section(scope, node, html === '');
  }
  return html + looseList(loose, html === '');
}

/**
 * Space above a part of the sidebar, and below its heading. Sites that make the sidebar denser select these classes
 * (`#sidebar .mt-6`), so the space has no other source; `coreUtilities` has the rules.
 */
const PART_SPACE = 'mt-6 lg:mt-8';
const HEADING_SPACE = 'mb-3.5 lg:mb-2.5';

/** Entries outside any group. */
function looseList(entries: string, isFirst: boolean): string {
  return entries === ''
    ? ''
    : `<ul class="op-sidebar-list${isFirst ? '' : ` ${PART_SPACE}`}">${entries}</ul>`;
}

/** A group of the first level: always open, with a heading. */
function section(scope: Scope, group: NavNode, isFirst: boolean): string {
  if (scope.open === null || scope.open.has(group)) return ownSection(scope, group, isFirst);
  const kind = isFirst ? 'first section' : 'section';
  return scope.theme.parts.of(scope.output, kind, group, () => ownSection(scope, group, isFirst));
}

function ownSection(scope: Scope, group: NavNode, isFirst: boolean): string {
  const isOpen = scope.open === null || scope.open.has(group);
  const label = `${iconIn(scope, group.icon, 14, 'sidebar-group-icon')}<span>${inlineHtml(group.label)}</span>${badge(group.tag)}`;
  const target = isOpen ? group.page : firstPage(group);
  const heading =
    group.label.trim() === ''
      ? ''
      : `<div class="sidebar-group-header ${HEADING_SPACE}"><div class="sidebar-title op-sidebar-title">${
          target === null ? label : anchor(scope, target, label, '', isOpen && group.page !== null)
        }</div></div>`;
  const start = `<div class="sidebar-section${isFirst ? '' : ` ${PART_SPACE}`}">${heading}`;
  if (!isOpen) return heading === '' ? '' : `${start}</div>`;
  const active = scope.open === null ? '' : ' data-active="true"';
  return `${start}<ul class="op-sidebar-list sidebar-group op-sidebar-group"${active}>${list(scope, group)}</ul></div>`;
}

function list(scope: Scope, group: NavNode): string {
  let html = '';
  for (const node of windowed(scope, visible(group))) html += entry(scope, node);
  return html;
}

function entry(scope: Scope, node: NavNode): string {
  if (scope.open === null || scope.open.has(node) || node.page === scope.current)
    return ownEntry(scope, node);
  return scope.theme.parts.of(scope.output, 'sidebar', node, () => ownEntry(scope, node));
}

function ownEntry(scope: Scope, node: NavNode): string {
  const icon = iconIn(scope, node.icon ?? node.page?.icon ?? null, 16);
  if (node.kind === 'group') return subgroup(scope, node, icon);
  const page = node.page;
  if (page === null) {
    const link = nodeLink(scope.theme, scope.output, node);
    if (link === null) return '';
    const out = link.external && scope.open === null ? partIcon('arrow-up-right', 14, 'op-external') : '';
    return `<li><a class="op-sidebar-link" href="${escapeAttribute(link.href)}"${link.external ? ' target="_blank" rel="noopener"' : ''}>${icon}<span>${inlineHtml(node.label)}</span>${badge(node.tag)}${out}</a></li>`;
  }
  const endpoint = page.front.hideApiMarker ? null : endpointOf(page);
  const method = endpoint === null ? '' : methodPill(endpoint.method, 'method-nav-pill ');
  const label = `${icon}${method}<span>${inlineHtml(node.label)}</span>${badge(node.tag ?? page.tag)}`;
  const active = page === scope.current ? ' data-active="true"' : '';
  return `<li${active}>${anchor(scope, page, label, page.deprecated ? ' op-deprecated' : '', true)}</li>`;
}

/** A group inside a group: opens and closes. */
function subgroup(scope: Scope, group: NavNode, icon: string): string {
  const label = `${icon}<span>${inlineHtml(group.label)}</span>${badge(group.tag)}`;
  const chevron = partIcon('chevron-right', 14, 'op-chevron');
  if (scope.open !== null && !scope.open.has(group)) {
    const target = firstPage(group);
    return target === null
      ? ''
      : `<li class="op-sidebar-subgroup">${anchor(scope, target, label + chevron, '', false)}</li>`;
  }
  const open = scope.open !== null || group.expanded;
  const state = `aria-expanded="${open}"`;
  const row =
    group.page === null
      ? groupToggle(scope, group, state, label + chevron)
      : `<div class="op-sidebar-row">${anchor(scope, group.page, label, '', true)}<button type="button" class="op-sidebar-toggle" ${state} aria-label="${escapeAttribute(group.label)}">${chevron}</button></div>`;
  return `<li class="op-sidebar-subgroup">${row}<ul class="op-sidebar-list"${open ? '' : ' hidden'}>${list(scope, group)}</ul></li>`;
}

/** Icons come with the script: what a page holds itself is there for readers without one. */
function iconIn(scope: Scope, icon: IconRef | null, size: number, className?: string): string {
  return scope.open === null ? chromeIcon(scope.theme, scope.output, icon, size, className) : '';
}

/** What opens a group; where the layout drills down, also the way to its first page. */
function groupToggle(scope: Scope, group: NavNode, state: string, label: string): string {
  const target = scope.theme.layout.drilldown ? firstPage(group) : null;
  return target === null
    ? `<button type="button" class="op-sidebar-link op-sidebar-toggle" ${state}>${label}</button>`
    : `<a class="op-sidebar-link op-sidebar-toggle" role="button" href="${escapeAttribute(hrefIn(scope, target))}" ${state}>${label}</a>`;
}

function hrefIn(scope: Scope, page: Page): string {
  return scope.output === '' ? encodePath(page.output) : relativeLink(scope.output, page.output);
}

function anchor(scope: Scope, page: Page, label: string, className: string, markCurrent: boolean): string {
  const href = hrefIn(scope, page);
  const current = markCurrent && page === scope.current ? ' aria-current="page" data-active="true"' : '';
  return `<a class="op-sidebar-link${className}" href="${escapeAttribute(href)}"${current}>${label}</a>`;
}

function visible(node: NavNode): NavNode[] {
  return node.children.filter(
    (child) => isShownEntry(child) && (child.kind !== 'page' || child.page !== null),
  );
}

function windowed(scope: Scope, entries: NavNode[]): NavNode[] {
  if (scope.open === null || entries.length <= 2 * WINDOW) return entries;
  const at = Math.max(
    0,
    entries.findIndex((node) => scope.open?.has(node) || node.page === scope.current),
  );
  const start = Math.max(0, Math.min(at - WINDOW, entries.length - 2 * WINDOW));
  return entries.slice(start, start + 2 * WINDOW);
}

/** The method of an API operation or the protocol of a channel as a small label. */
export function methodPill(method: string, className = ''): string {
  const name = method.toUpperCase();
  const short = name === 'DELETE' ? 'DEL' : name === 'OPTIONS' ? 'OPT' : name;
  return `<span class="${className}method-pill op-method-pill" data-method="${escapeAttribute(method.toLowerCase())}">${escapeText(short)}</span>`;
}

function badge(tag: string | null): string {
  return tag === null || tag === '' ? '' : tagPill(tag);
}
