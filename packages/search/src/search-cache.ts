import type { ReadFile } from './site-files.ts';
import { openSiteSearch, type SearchAnswer, type SearchRequest, type SiteSearch } from './site-search.ts';

/** The searches of many sites, of which those used last stay in memory. */
export interface SearchCache {
  /**
   * Searches a site; null if it has no search. `key` identifies the files, which never change. Throws a
   * DamagedIndexError.
   */
  search(key: string, read: ReadFile, request: SearchRequest): Promise<SearchAnswer | null>;
  /** The search of a site, for its languages and versions; null if it has none. */
  open(key: string, read: ReadFile): Promise<SiteSearch | null>;
  /** Memory in use, as estimated, in bytes. */
  size(): number;
}

/** Memory for each byte of a file of the index: texts of two bytes a character, and lists of their words. */
const MEMORY_PER_BYTE = 4;
/** Memory of a site without its files. */
const SITE_BYTES = 4_096;

/** `maxBytes`: memory of all sites together. One site may have half of it before it is read again. */
export function createSearchCache(maxBytes: number): SearchCache {
  /** The one used last at the end. */
  const opened = new Map<string, Promise<SiteSearch | null>>();
  const sizes = new Map<string, number>();

  const forget = (key: string): void => {
    opened.delete(key);
    sizes.delete(key);
  };
  const open = (key: string, read: ReadFile): Promise<SiteSearch | null> => {
    const known = opened.get(key);
    const one = known ?? openSiteSearch(read);
    opened.delete(key);
    opened.set(key, one);
    if (known === undefined) {
      sizes.set(key, SITE_BYTES);
      one.catch(() => {
        if (opened.get(key) === one) forget(key);
      });
    }
    return one;
  };
  const size = (): number => [...sizes.values()].reduce((sum, one) => sum + one, 0);
  /** Removes what was used longest ago, and a site that alone needs too much. */
  const tidy = (key: string, site: SiteSearch): void => {
    if (!opened.has(key)) return;
    const bytes = SITE_BYTES + site.bytes() * MEMORY_PER_BYTE;
    sizes.set(key, bytes);
    if (bytes > maxBytes / 2) forget(key);
    let total = size();
    for (const oldest of [...opened.keys()]) {
      if (total <= maxBytes || oldest === key) break;
      total -= sizes.get(oldest) ?? 0;
      forget(oldest);
    }
  };
  return {
    open,
    size,
    async search(key, read, request) {
      const site = await open(key, read);
      if (site === null) return null;
      try {
        return await site.search(request);
      } finally {
        tidy(key, site);
      }
    },
  };
}
