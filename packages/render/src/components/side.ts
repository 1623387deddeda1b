import { escapeText } from '../escape.ts';
import { isInDisclosure } from './accordion.ts';
import type { PageScope } from './component.ts';
import { attribute } from './props.ts';
import { isInStep } from './steps.ts';
import { isInTab } from './tabs.ts';

/** What components put into the column at the side of a page, where the table of contents is otherwise. */
interface Side {
  panels: string[];
  examples: string[];
  /** Tags of updates, in order of first use. */
  tags: Set<string>;
}

/** HTML for the column at the side. `panel` replaces the table of contents, `filters` precede it. */
export interface SideContent {
  kind: 'panel' | 'filters';
  html: string;
}

const sides = new WeakMap<PageScope, Side>();

function sideOf(page: PageScope): Side {
  let side = sides.get(page);
  if (side === undefined) {
    side = { panels: [], examples: [], tags: new Set() };
    sides.set(page, side);
  }
  return side;
}

/** Whether what is being written belongs to a step, a tab or a disclosure and stays there. */
export function isKept(page: PageScope): boolean {
  return isInDisclosure(page) || isInStep(page) || isInTab(page);
}

export function addPanel(page: PageScope, html: string): void {
  sideOf(page).panels.push(html);
}

export function addExample(page: PageScope, html: string): void {
  sideOf(page).examples.push(html);
}

export function addTags(page: PageScope, tags: readonly string[]): void {
  for (const tag of tags) sideOf(page).tags.add(tag);
}

/** The side column of a page that has been written; null when it is empty. */
export function writeSide(page: PageScope): SideContent | null {
  const side = sides.get(page);
  if (side === undefined) return null;
  const { panels, examples, tags } = side;
  if (panels.length > 0 || examples.length > 0) {
    const label = attribute('aria-label', page.strings.panel);
    return {
      kind: 'panel',
      html: `<aside id="panel" class="panel op-panel prose"${label}>${[...panels, ...examples].join('')}</aside>`,
    };
  }
  return tags.size === 0 ? null : { kind: 'filters', html: writeFilters(tags, page) };
}

/** Buttons that the script makes work; pages without it do not show them. */
function writeFilters(tags: ReadonlySet<string>, page: PageScope): string {
  const { filterByTag, clearFilters, noUpdates } = page.strings;
  const buttons = [...tags].map(
    (tag) =>
      `<button type="button" class="op-update-filter" data-component-part="update-filter"${attribute('data-tag', tag)} aria-pressed="false">${escapeText(tag)}</button>`,
  );
  return [
    `<div id="changelog-filters" role="group"${attribute('aria-label', filterByTag)}${attribute('data-none', noUpdates)}>`,
    `<p class="op-update-filters-title" aria-hidden="true">${escapeText(filterByTag)}</p>`,
    `<div id="changelog-filters-content" class="op-update-filters">${buttons.join('')}`,
    `<button type="button" class="op-update-filter-clear" data-clear hidden>${escapeText(clearFilters)}</button></div></div>`,
  ].join('');
}
