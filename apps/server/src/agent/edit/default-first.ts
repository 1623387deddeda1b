import type { BaseTree, Workspace } from '../workspace/workspace.ts';
import { ConfigFault } from './config-tree.ts';
import { type NavNode, readNavigation } from './nav.ts';
import { entryPath, foldPath, pagePath } from './page-lookup.ts';

/** Entries of a navigation of which readers see one at a time. */
const SWITCHES: ReadonlySet<string> = new Set(['language', 'version']);

const known = new WeakMap<BaseTree, (path: string) => boolean>();

/**
 * The files with those of other languages and versions last: what a search cuts off is then a repetition of what it
 * shows. As the navigation of the base has it; a navigation that cannot be read changes nothing.
 */
export function defaultFirst<File extends { path: string }>(
  files: readonly File[],
  workspace: Workspace,
): File[] {
  const { base } = workspace;
  let isOther = known.get(base);
  if (isOther === undefined) {
    isOther = otherFiles(workspace);
    known.set(base, isOther);
  }
  const others = files.filter(({ path }) => isOther(path));
  return others.length === 0 ? [...files] : [...files.filter(({ path }) => !isOther(path)), ...others];
}

function otherFiles({ base, readBase }: Workspace): (path: string) => boolean {
  let root: NavNode;
  try {
    ({ root } = readNavigation({ read: readBase, has: (path) => base.entries.has(path) }));
  } catch (error) {
    if (error instanceof ConfigFault) return () => false;
    throw error;
  }
  const pages = { default: new Set<string>(), other: new Set<string>() };
  collect(root, false, pages);
  // A folder in which the navigation lists other pages only holds their snippets and unlisted pages, too.
  const parents = (set: ReadonlySet<string>): Set<string> => new Set([...set].flatMap(foldersOf));
  const defaultFolders = parents(pages.default);
  const otherFolders = new Set([...parents(pages.other)].filter((folder) => !defaultFolders.has(folder)));
  return (file) => {
    const page = foldPath(pagePath(file));
    if (pages.default.has(page)) return false;
    return pages.other.has(page) || foldersOf(foldPath(file)).some((folder) => otherFolders.has(folder));
  };
}

function collect(node: NavNode, isOther: boolean, pages: { default: Set<string>; other: Set<string> }): void {
  if (node.kind === 'page') (isOther ? pages.other : pages.default).add(foldPath(entryPath(node.label)));
  for (const child of node.children) {
    collect(child, isOther || (SWITCHES.has(child.kind) && child !== defaultOf(node, child.kind)), pages);
  }
}

function defaultOf({ children }: NavNode, kind: string): NavNode | undefined {
  const alike = children.filter((child) => child.kind === kind);
  return alike.find(({ notes }) => notes.includes('default')) ?? alike[0];
}

const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));
