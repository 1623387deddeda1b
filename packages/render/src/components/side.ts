import { isInDisclosure } from './accordion.ts';
import type { PageScope } from './component.ts';
import { h, type View } from './markup.ts';
import { isInStep } from './steps.ts';
import { isInTab } from './tabs.ts';

/** What components put into the column at the side of a page, where the table of contents is otherwise. */
interface Side {
  panels: View[];
  examples: View[];
  /** Tags of updates, in order of first use. */
  tags: Set<string>;
}

/** Content for the column at the side. `panel` replaces the table of contents, `filters` precede it. */
export interface SideView {
  kind: 'panel' | 'filters';
  view: View;
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
  return page.isLive || isInDisclosure(page) || isInStep(page) || isInTab(page);
}

export function addPanel(page: PageScope, view: View): void {
  sideOf(page).panels.push(view);
}

export function addExample(page: PageScope, view: View): void {
  sideOf(page).examples.push(view);
}

export function addTags(page: PageScope, tags: readonly string[]): void {
  for (const tag of tags) sideOf(page).tags.add(tag);
}

/** The side column of a page that has been written; null when it is empty. */
export function sideView(page: PageScope): SideView | null {
  const side = sides.get(page);
  if (side === undefined) return null;
  const { panels, examples, tags } = side;
  if (panels.length > 0 || examples.length > 0) {
    const attributes = { id: 'panel', class: 'panel op-panel prose', 'aria-label': page.strings.panel };
    return { kind: 'panel', view: h('aside', attributes, panels, examples) };
  }
  return tags.size === 0 ? null : { kind: 'filters', view: filters(tags, page) };
}

/** Buttons that the script makes work; pages without it do not show them. */
function filters(tags: ReadonlySet<string>, page: PageScope): View {
  const { filterByTag, clearFilters, noUpdates } = page.strings;
  const buttons = [...tags].map((tag) =>
    h(
      'button',
      {
        type: 'button',
        class: 'op-update-filter',
        'data-component-part': 'update-filter',
        'data-tag': tag,
        'aria-pressed': 'false',
      },
      tag,
    ),
  );
  return h(
    'div',
    { id: 'changelog-filters', role: 'group', 'aria-label': filterByTag, 'data-none': noUpdates },
    h('p', { class: 'op-update-filters-title', 'aria-hidden': 'true' }, filterByTag),
    h(
      'div',
      { id: 'changelog-filters-content', class: 'op-update-filters' },
      buttons,
      h(
        'button',
        { type: 'button', class: 'op-update-filter-clear', 'data-clear': true, hidden: true },
        clearFilters,
      ),
    ),
  );
}
