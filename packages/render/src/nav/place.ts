import type { NavNode, Page } from '../site.ts';
import { SWITCHES } from './node.ts';

/** The pages that a reader steps through with previous and next: one sidebar. */
interface Sidebar {
  pages: Page[];
  seen: Set<Page>;
}

interface Walk {
  searchable: ReadonlySet<NavNode>;
  /** Nodes from the root to the current one. */
  trail: NavNode[];
  /** Sidebar of the first visible entry of a page. */
  sidebars: Map<Page, Sidebar>;
  all: Sidebar[];
  /** Pages with an entry that is hidden only by its own front matter or not at all. */
  indexable: Set<Page>;
}

/**
 * Removes entries without a page, link or child, and pages that are not kept; then exactly one switch of each
 * node's children is the default: the wished one, else the first that is visible and holds pages.
 */
export function pruneTree(node: NavNode, kept: ReadonlySet<Page> | null): void {
  if (node.page !== null && kept !== null && !kept.has(node.page)) node.page = null;
  for (const child of node.children) pruneTree(child, kept);
  node.children = node.children.filter(
    ({ page, href, children }) => page !== null || href !== null || children.length > 0,
  );
  const switches = node.children.filter((child) => SWITCHES.has(child.kind));
  const visible = switches.filter((child) => !child.hidden);
  const fallback = visible.find((child) => child.children.length > 0) ?? visible[0] ?? switches[0];
  const chosen = visible.find((child) => child.isDefault) ?? fallback;
  for (const child of node.children) child.isDefault = child === chosen;
}

/**
 * Gives pages their trail (the first visible entry, else the first), their neighbours in the sidebar of the
 * deepest switch node, and noindex where every entry is hidden by a node above it.
 */
export function placePages(roots: readonly NavNode[], searchable: ReadonlySet<NavNode>): void {
  const walk: Walk = { searchable, trail: [], sidebars: new Map(), all: [], indexable: new Set() };
  const listed = new Set<Page>();
  for (const root of roots) visit(walk, root, openSidebar(walk), { hidden: false, noindex: false }, listed);
  for (const page of listed) if (!walk.indexable.has(page)) page.noindex = true;
  for (const sidebar of walk.all) linkNeighbours(walk, sidebar);
}

function openSidebar(walk: Walk): Sidebar {
  const sidebar: Sidebar = { pages: [], seen: new Set() };
  walk.all.push(sidebar);
  return sidebar;
}

function visit(
  walk: Walk,
  node: NavNode,
  above: Sidebar,
  state: { hidden: boolean; noindex: boolean },
  listed: Set<Page>,
): void {
  const sidebar = SWITCHES.has(node.kind) ? openSidebar(walk) : above;
  const isPage = node.kind === 'page';
  const hidden = state.hidden || node.hidden;
  const noindex = state.noindex || (!isPage && node.hidden && !walk.searchable.has(node));
  walk.trail.push(node);
  if (node.page !== null) {
    const { page } = node;
    const isVisible = !hidden && !page.hidden;
    if (!listed.has(page) || (isVisible && !walk.sidebars.has(page))) page.trail = [...walk.trail];
    listed.add(page);
    if (!noindex) walk.indexable.add(page);
    if (isVisible) addToSidebar(walk, sidebar, page);
  }
  for (const child of node.children) visit(walk, child, sidebar, { hidden, noindex }, listed);
  walk.trail.pop();
}

function addToSidebar(walk: Walk, sidebar: Sidebar, page: Page): void {
  if (!walk.sidebars.has(page)) walk.sidebars.set(page, sidebar);
  if (sidebar.seen.has(page)) return;
  sidebar.seen.add(page);
  sidebar.pages.push(page);
}

function linkNeighbours(walk: Walk, sidebar: Sidebar): void {
  for (const [index, page] of sidebar.pages.entries()) {
    if (walk.sidebars.get(page) !== sidebar) continue;
    page.previous = sidebar.pages[index - 1] ?? null;
    page.next = sidebar.pages[index + 1] ?? null;
  }
}
