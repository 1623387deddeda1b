import type { ExportChanges } from '@offprint/contract';

/** One kind of change and its pages. */
export interface ChangeGroup {
  kind: 'edited' | 'renamed' | 'added' | 'removed' | 'undetermined' | 'layout';
  /** Path in this export; of a removed page, in the other one. */
  pages: readonly { path: string; from?: string }[];
}

/** The changes as a reader looks for them: text first, pages of which only the frame differs last. */
export function groupChanges({ pages }: Pick<ExportChanges, 'pages'>): ChangeGroup[] {
  const from = new Set(pages.renamed.map((pair) => pair.from));
  const to = new Set(pages.renamed.map((pair) => pair.to));
  const paths = (list: readonly string[], without?: ReadonlySet<string>) =>
    list.filter((path) => without?.has(path) !== true).map((path) => ({ path }));
  const groups: ChangeGroup[] = [
    { kind: 'edited', pages: paths(pages.edited) },
    { kind: 'renamed', pages: pages.renamed.map((pair) => ({ path: pair.to, from: pair.from })) },
    { kind: 'added', pages: paths(pages.added, to) },
    { kind: 'removed', pages: paths(pages.removed, from) },
    { kind: 'undetermined', pages: paths(pages.undetermined) },
    { kind: 'layout', pages: paths(pages.layout) },
  ];
  return groups.filter((group) => group.pages.length > 0);
}
