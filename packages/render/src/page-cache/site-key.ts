import { hash } from 'node:crypto';
import type { SiteOptions } from '../open-site.ts';
import type { Page, SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { PageCache } from './page-cache.ts';

/** Changes with what is stored of a render. */
const FORMAT = 2;

/** Files whose text only their own page shows: pages that nothing imports. */
export function ownFiles({ pages, snippets }: SiteMap): Set<string> {
  const own = new Set(pages.flatMap(({ source }) => (source === null ? [] : [source])));
  for (const file of snippets) own.delete(file);
  return own;
}

/**
 * Digest of what the output of a page can depend on besides the text of its own file and its date: all other files, the
 * names of all files, what the site map has read of each page, and the options.
 */
export function siteKey(
  siteMap: SiteMap,
  own: ReadonlySet<string>,
  source: SourceTree,
  { program, digests }: PageCache,
  options: SiteOptions & { encoder: string | null },
): string {
  const { siteUrl, paths, includeUnlisted, groups, publicOnly, lastModified, highlight, excluded, services } =
    options;
  const files = source.paths.map((path, at) => [path, own.has(path) ? '' : digests[at]]);
  // The place of a page in the navigation follows from the other parts of the key, its date is in its own key.
  // Members that are undefined are not in the JSON; objects without some members take twice the time.
  const without = { trail: undefined, previous: undefined, next: undefined, modified: undefined };
  const pages = siteMap.pages.map((page) => ({ ...page, ...without }));
  const settings = {
    ...{ siteUrl, paths, includeUnlisted, groups, publicOnly, lastModified, highlight, excluded, services },
    ...(options.encoder === null ? {} : { encoder: options.encoder }),
  };
  // What a page imports or leads to can be a snippet, an asset or neither.
  const { assets, snippets, linkPages } = siteMap;
  return hash(
    'sha256',
    JSON.stringify([FORMAT, program, settings, files, pages, assets, snippets, linkPages]),
  );
}

/** Key of each page: equal keys, and equal keys of the site, mean equal output. */
export function pageKeys(
  { pages }: SiteMap,
  source: SourceTree,
  { digests }: Pick<PageCache, 'digests'>,
): Map<Page, string> {
  const byPath = new Map(source.paths.map((path, at) => [path, digests[at]]));
  return new Map(
    pages.map((page) => {
      const digest = page.source === null ? '' : byPath.get(page.source);
      return [page, hash('sha256', `${digest}\n${page.modified}`).slice(0, 32)];
    }),
  );
}
