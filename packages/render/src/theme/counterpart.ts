import { firstPage, type NavNode, type Page, type SiteMap } from '../site.ts';
import type { Theme } from './theme.ts';

/**
 * Makes the look-up of "the same page" in a sibling language, version or product: the page whose path equals
 * this one's once the folder of each branch is taken off.
 */
export function createCounterparts(siteMap: SiteMap): Theme['counterpartOf'] {
  const folders = new Map<NavNode, string>();
  const folderOf = (branch: NavNode): string => {
    let folder = folders.get(branch);
    if (folder === undefined) {
      folder = branchFolder(branch);
      folders.set(branch, folder);
    }
    return folder;
  };
  return (branch, current, page) => {
    if (current !== null && current !== branch) {
      const own = folderOf(current);
      if (page.path === own.slice(0, -1) || page.path.startsWith(own)) {
        const rest = page.path === own.slice(0, -1) ? '' : page.path.slice(own.length);
        const twin = lookUp(siteMap, folderOf(branch), rest);
        if (twin !== null && !twin.hidden && twin.trail.includes(branch)) return twin;
      }
    }
    return firstPage(branch);
  };
}

function lookUp(siteMap: SiteMap, folder: string, rest: string): Page | null {
  const paths = rest === '' || rest === 'index' ? [`${folder}index`, folder.slice(0, -1)] : [folder + rest];
  for (const path of paths) {
    const page = siteMap.byPath.get(path);
    if (page !== undefined) return page;
  }
  return null;
}

/**
 * The folder that holds a branch, with a slash at its end; empty when its pages are in the root. The folder
 * of most pages decides, so that one page listed from elsewhere does not.
 */
function branchFolder(branch: NavNode): string {
  const counts = new Map<string, number>();
  let total = 0;
  const visit = (node: NavNode): void => {
    if (node.page !== null) {
      total++;
      const segments = `${node.page.path}/`.split('/');
      let prefix = '';
      for (const segment of segments.slice(0, -1)) {
        prefix += `${segment}/`;
        counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
      }
    }
    for (const child of node.children) visit(child);
  };
  visit(branch);
  let best = '';
  for (const [prefix, count] of counts) {
    if (count * 10 >= total * 9 && prefix.length > best.length) best = prefix;
  }
  return best;
}
