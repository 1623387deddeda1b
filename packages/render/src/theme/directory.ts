import { escapeAttribute } from '../escape.ts';
import { firstPage, type NavNode, type Page } from '../site.ts';
import { chromeIcon, partIcon } from './icon.ts';
import { inlineHtml } from './inline.ts';
import { type ChromeLink, nodeLink } from './links.ts';
import { isShownEntry } from './place.ts';
import type { Theme } from './theme.ts';

/** Levels of groups inside groups that a listing shows. */
const MAX_DEPTH = 4;

/** Children of the group that a page is the root of, below its text; empty where the group lists nothing. */
export function directoryListing(theme: Theme, page: Page): string {
  const group = page.trail.at(-1);
  if (group === undefined || group.page !== page || group.directory === 'none') return '';
  const cards = group.directory === 'card';
  const items = entries(group).map((node) => (cards ? card(theme, page, node) : row(theme, page, node, 1)));
  const shown = items.filter((item) => item !== '').join('');
  if (shown === '') return '';
  return `<div class="directory op-directory ${cards ? 'op-directory-cards' : 'op-directory-list'}">${shown}</div>`;
}

function entries(group: NavNode): NavNode[] {
  return group.children.filter((child) => isShownEntry(child) && child.page !== group.page);
}

function card(theme: Theme, page: Page, node: NavNode): string {
  const link = nodeLink(theme, page.output, node);
  if (link === null) return '';
  const icon = chromeIcon(theme, page.output, node.icon ?? node.page?.icon ?? null, 20);
  return `<a class="directory-card op-directory-card" ${target(link)}>${icon}<span class="op-directory-title">${inlineHtml(node.label)}</span>${about(node)}</a>`;
}

function row(theme: Theme, page: Page, node: NavNode, depth: number): string {
  const children = node.kind === 'group' && depth < MAX_DEPTH ? entries(node) : [];
  if (children.length > 0) {
    const inner = children.map((child) => row(theme, page, child, depth + 1)).join('');
    const own = node.page === null ? '' : line(theme, page, node);
    return `<details class="directory-group op-directory-group"><summary>${partIcon('chevron-right', 14, 'op-chevron')}<span class="op-directory-title">${inlineHtml(node.label)}</span></summary>${own}${inner}</details>`;
  }
  return line(theme, page, node);
}

function line(theme: Theme, page: Page, node: NavNode): string {
  const link = nodeLink(theme, page.output, node);
  if (link === null) return '';
  return `<a class="directory-page op-directory-row" ${target(link)}><span class="op-directory-title">${inlineHtml(node.page?.sidebarTitle ?? node.label)}</span>${about(node)}</a>`;
}

function target(link: ChromeLink): string {
  return `href="${escapeAttribute(link.href)}"${link.external ? ' target="_blank" rel="noopener"' : ''}`;
}

function about(node: NavNode): string {
  const text = node.description ?? firstPage(node)?.description ?? null;
  return text === null ? '' : `<span class="op-directory-about">${inlineHtml(text)}</span>`;
}
