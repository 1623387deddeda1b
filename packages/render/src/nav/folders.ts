import type { NavNode, Page } from '../site.ts';

/**
 * The first page, in the order of the navigation, of every folder that has no page of its own path; by path
 * without slashes at its ends. A link to such a folder leads there.
 */
export function folderStarts(navigation: NavNode, byPath: ReadonlyMap<string, Page>): Map<string, Page> {
  const starts = new Map<string, Page>();
  const add = (page: Page): void => {
    for (let at = page.path.lastIndexOf('/'); at > 0; at = page.path.lastIndexOf('/', at - 1)) {
      const folder = page.path.slice(0, at);
      // A folder that is known already has known parents, too.
      if (starts.has(folder)) return;
      if (!byPath.has(folder)) starts.set(folder, page);
    }
  };
  const visit = (node: NavNode): void => {
    if (node.hidden) return;
    if (node.page !== null) add(node.page);
    for (const child of node.children) visit(child);
  };
  visit(navigation);
  return starts;
}
