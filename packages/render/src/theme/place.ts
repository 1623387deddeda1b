import { firstPage, type NavKind, type NavNode, type Page, type SiteMap } from '../site.ts';

/** Choices among siblings of one kind on the way from the root to a page. */
export interface Level {
  kind: NavKind;
  /** The one that the page is in; null when it is in a sibling of another kind. */
  current: NavNode | null;
  /** The node that holds the siblings. */
  parent: NavNode;
  siblings: readonly NavNode[];
}

/** The place of a page in the navigation. */
export interface Place {
  /** Language node of the page; null for a site without languages. */
  language: NavNode | null;
  levels: readonly Level[];
  /** Node whose groups and pages the sidebar shows. */
  sidebar: NavNode;
  /** Nodes that are open on the way to the page. */
  open: ReadonlySet<NavNode>;
  /** Links of `global` on the way to the page. */
  global: readonly NavNode[];
}

const IN_SIDEBAR: ReadonlySet<NavKind> = new Set<NavKind>(['group', 'page', 'link']);

/** Whether a node is an entry of the sidebar, as opposed to switching between sidebars. */
export function isSidebarEntry(node: NavNode): boolean {
  return IN_SIDEBAR.has(node.kind);
}

/** Whether the sidebar shows a node: of a group, something must be left that is not hidden. */
export function isShownEntry(node: NavNode): boolean {
  if (node.hidden || !isSidebarEntry(node)) return false;
  const isGroup = node.kind === 'group' && node.page === null && node.children.length > 0;
  return !isGroup || node.children.some(isShownEntry);
}

/** Language of the listed pages below each folder, by its path; null for pages of several languages. */
type FolderLanguages = ReadonlyMap<string, NavNode | null>;
const folderLanguages = new WeakMap<readonly Page[], FolderLanguages>();

/** Finds the place of a page; an unlisted page borrows the one of its language's first page. */
export function findPlace(siteMap: SiteMap, page: Page): Place {
  const trail = page.trail.length > 0 ? page.trail : borrowTrail(siteMap, page);
  const { navigation } = siteMap;
  const path = trail[0] === navigation ? trail : [navigation, ...trail];
  const levels: Level[] = [];
  let sidebar = siteMap.navigation;
  let language: NavNode | null = null;
  for (const [at, node] of path.entries()) {
    if (isSidebarEntry(node)) break;
    if (node.kind === 'language') language = node;
    sidebar = node;
    levels.push(...levelsBelow(node, path[at + 1] ?? null));
  }
  const global = siteMap.global.filter((node) => path.includes(siteMap.globalOwners.get(node) ?? navigation));
  return {
    language,
    levels,
    sidebar,
    open: page.trail.length > 0 ? new Set(path) : new Set([sidebar]),
    global,
  };
}

/** The language node of a page, or of the place that an unlisted page borrows; null on a site without languages. */
export function pageLanguage(siteMap: SiteMap, page: Page): NavNode | null {
  const trail = page.trail.length > 0 ? page.trail : borrowTrail(siteMap, page);
  return trail.find((node) => node.kind === 'language') ?? null;
}

/** Every node whose children the sidebar of some page shows, in document order of the navigation. */
export function sidebarNodes(siteMap: SiteMap): NavNode[] {
  const nodes: NavNode[] = [];
  const visit = (node: NavNode): void => {
    if (isSidebarEntry(node)) return;
    if (node.children.some(isShownEntry)) nodes.push(node);
    for (const child of node.children) visit(child);
  };
  visit(siteMap.navigation);
  return nodes;
}

function borrowTrail(siteMap: SiteMap, page: Page): readonly NavNode[] {
  const language = languageByName(siteMap, page) ?? languageByFolder(siteMap, page);
  if (language === null && siteMap.home.trail.length > 0) return siteMap.home.trail;
  return firstPage(language ?? siteMap.navigation)?.trail ?? [];
}

/** The language that the first folder of a page is named after. */
function languageByName({ navigation }: SiteMap, page: Page): NavNode | null {
  const [folder] = page.path.split('/');
  const isNamed = (node: NavNode) => node.kind === 'language' && !node.hidden && node.label === folder;
  return navigation.children.find(isNamed) ?? null;
}

/** The language of the listed pages in the closest folder that contains some. */
function languageByFolder({ pages }: SiteMap, page: Page): NavNode | null {
  const languages = folderLanguages.get(pages) ?? findFolderLanguages(pages);
  folderLanguages.set(pages, languages);
  const closest = foldersOf(page.path).find((folder) => languages.has(folder));
  return closest === undefined ? null : (languages.get(closest) ?? null);
}

function findFolderLanguages(pages: readonly Page[]): FolderLanguages {
  const languages = new Map<string, NavNode | null>();
  for (const { path, trail } of pages) {
    const language = trail.find((node) => node.kind === 'language');
    if (language === undefined || language.hidden) continue;
    for (const folder of foldersOf(path)) {
      const known = languages.get(folder);
      if (known === undefined) languages.set(folder, language);
      else if (known !== null && known.label !== language.label) languages.set(folder, null);
    }
  }
  return languages;
}

/** Folders that contain a path, from the closest one. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    folders.push(path.slice(0, end));
  return folders;
}

function levelsBelow(node: NavNode, next: NavNode | null): Level[] {
  const byKind = new Map<NavKind, NavNode[]>();
  for (const child of node.children) {
    if (isSidebarEntry(child) || child.hidden) continue;
    const siblings = byKind.get(child.kind);
    if (siblings === undefined) byKind.set(child.kind, [child]);
    else siblings.push(child);
  }
  return [...byKind].map(([kind, siblings]) => ({
    kind,
    parent: node,
    current: next !== null && next.kind === kind ? next : null,
    siblings,
  }));
}
