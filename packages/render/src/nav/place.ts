import type { NavNode, Page } from '../site.ts';
import { SWITCHES } from './node.ts';

/** The pages that a reader steps through with previous and next: one sidebar. */
interface Sidebar {
  pages: Page[];
  seen: Set<Page>;
}

/** Settings of a node for the pages below it. */
export interface NodeMarks {
  /** false keeps them out of the search; true keeps those of a hidden node in. */
  searchable: boolean | null;
  /** Factor of their rank in the search. */
  boost: number | null;
  /** How root pages list their children. */
  directory: NavNode['directory'] | null;
  /** Its pages need no sign-in. */
  isPublic: boolean;
}

interface Walk {
  marks: ReadonlyMap<NavNode, NodeMarks>;
  /** Nodes from the root to the current one. */
  trail: NavNode[];
  /** Sidebar of the first visible entry of a page. */
  sidebars: Map<Page, Sidebar>;
  all: Sidebar[];
  listed: Set<Page>;
  /** Pages with an entry that no node above it conceals. */
  open: Set<Page>;
  /** Pages with an entry that no node above it keeps out of the search. */
  found: Set<Page>;
}

/** Settings for an entry by the nodes above it. */
interface State {
  hidden: boolean;
  concealed: boolean;
  unfound: boolean;
  boost: number | null;
  directory: NavNode['directory'];
}

/**
 * Removes entries without a page, link or child, and pages that are not kept; then exactly one switch of each
 * node's children is the default: the configured one, else the first that is visible and has pages.
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

/** Which pages of the navigation others may list. */
export interface Placed {
  listed: ReadonlySet<Page>;
  /** Pages with an entry outside hidden nodes, or in a hidden node with `searchable`. */
  open: ReadonlySet<Page>;
  /** Pages with an entry outside nodes with `searchable: false`. */
  found: ReadonlySet<Page>;
}

/**
 * Gives pages their trail (the first visible entry, else the first), their neighbors in the sidebar of the
 * deepest switch node, and the boost of the closest node unless they set their own.
 */
export function placePages(roots: readonly NavNode[], marks: ReadonlyMap<NavNode, NodeMarks>): Placed {
  const walk: Walk = {
    marks,
    trail: [],
    sidebars: new Map(),
    all: [],
    listed: new Set(),
    open: new Set(),
    found: new Set(),
  };
  const start: State = { hidden: false, concealed: false, unfound: false, boost: null, directory: 'none' };
  for (const root of roots) visit(walk, root, openSidebar(walk), start);
  for (const sidebar of walk.all) linkNeighbours(walk, sidebar);
  return walk;
}

function openSidebar(walk: Walk): Sidebar {
  const sidebar: Sidebar = { pages: [], seen: new Set() };
  walk.all.push(sidebar);
  return sidebar;
}

function visit(walk: Walk, node: NavNode, above: Sidebar, state: State): void {
  const sidebar = SWITCHES.has(node.kind) ? openSidebar(walk) : above;
  const below = stateBelow(walk, node, state);
  node.directory = below.directory;
  walk.trail.push(node);
  if (node.page !== null) listPage(walk, node.page, sidebar, below);
  for (const child of node.children) visit(walk, child, sidebar, below);
  walk.trail.pop();
}

function stateBelow(walk: Walk, node: NavNode, state: State): State {
  const marks = walk.marks.get(node);
  if (marks === undefined && !node.hidden) return state;
  // Whether a page hides itself does not depend on its place.
  const conceals = node.kind !== 'page' && node.hidden && marks?.searchable !== true;
  return {
    hidden: state.hidden || node.hidden,
    concealed: state.concealed || conceals,
    unfound: marks?.searchable == null ? state.unfound : !marks.searchable,
    boost: marks?.boost ?? state.boost,
    directory: marks?.directory ?? state.directory,
  };
}

function listPage(walk: Walk, page: Page, sidebar: Sidebar, state: State): void {
  const isVisible = !state.hidden && !page.hidden;
  const isFirst = !walk.listed.has(page);
  if (isFirst || (isVisible && !walk.sidebars.has(page))) page.trail = [...walk.trail];
  if (isFirst && state.boost !== null && page.front.boost === null) page.boost = state.boost;
  walk.listed.add(page);
  if (!state.concealed) walk.open.add(page);
  if (!state.unfound) walk.found.add(page);
  if (isVisible) addToSidebar(walk, sidebar, page);
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
