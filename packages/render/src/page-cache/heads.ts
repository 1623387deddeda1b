import type { PageHead, PageHeads } from '../nav/page-files.ts';
import type { SourceTree } from '../source.ts';
import type { PageCache } from './page-cache.ts';

/** Heads of pages with the digest of their file, by path. */
export type KnownHeads = Record<string, { digest: string; head: PageHead }>;

/** Finds the heads of an earlier render, and keeps those of this one. */
export function createHeads(
  earlier: { heads: KnownHeads } | null,
  source: SourceTree,
  { digests }: Pick<PageCache, 'digests'>,
): PageHeads & { all: KnownHeads } {
  const known = earlier?.heads ?? {};
  const byPath = new Map(source.paths.map((path, at) => [path, digests[at]]));
  const all: KnownHeads = {};
  return {
    all,
    get(file) {
      const before = Object.hasOwn(known, file) ? known[file] : undefined;
      if (before === undefined || before.digest !== byPath.get(file)) return null;
      all[file] = before;
      return before.head;
    },
    keep(file, head) {
      const digest = byPath.get(file);
      if (digest !== undefined) all[file] = { digest, head };
    },
  };
}
