import type { NavNode, Page, Redirect } from '../site.ts';
import { isExternal } from './follow-redirects.ts';
import type { LeftOutPage } from './page-access.ts';
import { entryPath, foldPath } from './path.ts';
import type { NodeMarks } from './place.ts';

/** Pages that need no sign-in: by their front matter, else by a node above them. */
export function publicPages(
  roots: readonly NavNode[],
  marks: ReadonlyMap<NavNode, NodeMarks>,
  pages: readonly Page[],
): Set<Page> {
  const open = new Set(pages.filter((page) => page.front.public === true));
  const visit = (node: NavNode, above: boolean): void => {
    const isOpen = above || marks.get(node)?.isPublic === true;
    if (isOpen && node.page !== null && node.page.front.public !== false) open.add(node.page);
    for (const child of node.children) visit(child, isOpen);
  };
  for (const root of roots) visit(root, false);
  return open;
}

/**
 * The redirects without those that lead to a page that is left out, directly or over each other: they would show that it
 * exists. `only`: what is left must lead to one of these pages.
 */
export function withoutLeftOut(
  redirects: readonly Redirect[],
  leftOut: readonly LeftOutPage[],
  only: readonly Page[] | null,
): Redirect[] {
  const closed = new Set(leftOut.map(({ path }) => foldPath(path)));
  const open = only === null ? null : new Set(only.map(({ path }) => foldPath(path)));
  let kept = [...redirects];
  for (;;) {
    const next = kept.filter(({ source, destination }) => {
      const target = keyOf(destination);
      const stays = isExternal(destination)
        ? open === null
        : !closed.has(target) && open?.has(target) !== false;
      if (!stays) closed.add(keyOf(source));
      return stays;
    });
    if (next.length === kept.length) return next;
    kept = next;
  }
}

const keyOf = (path: string): string => foldPath(entryPath(path.replace(/[?#][\s\S]*$/, '')));
