import type { Page, SiteConfig, SiteMap } from '../site.ts';
import { mayHaveFeed } from '../theme/export-files.ts';
import { pageLanguage } from '../theme/place.ts';
import { languageTag } from '../theme/strings.ts';
import { type Lookup, type Lookups, noteMisses } from './lookups.ts';

/** Keys of the configuration that bodies of pages depend on. */
export const BODY_CONFIG = [
  'api',
  'colors',
  'excluded',
  'icons',
  'markdown',
  'styling',
  'variables',
  'variations',
] as const satisfies readonly (keyof SiteConfig)[];

/** What the body of a page may read of other pages. */
export interface LinkedPage extends Pick<Page, 'path' | 'output' | 'source' | 'operation' | 'channel'> {
  front: Pick<Page['front'], 'rss'>;
  frontMatter: { openapi?: unknown };
}

/**
 * What the body of a page may read of the site map, besides its own page. The cache of pages has a key for it: a member
 * that is added here belongs there, too.
 */
export interface BodySite extends Pick<SiteMap, 'assets' | 'descriptions' | 'schemaPages'> {
  config: Pick<SiteConfig, (typeof BODY_CONFIG)[number]>;
  pages: readonly LinkedPage[];
  byPath: Lookup<LinkedPage>;
  folderStarts: Lookup<LinkedPage>;
  home: LinkedPage;
  /** Language of a page by its place in the navigation, as a BCP 47 tag. */
  languageOf(page: Page): string;
  /** Whether a page has a feed or may have one. */
  mayHaveFeed(page: LinkedPage): boolean;
}

export const bodySite = (siteMap: SiteMap, lookups: Lookups): BodySite => ({
  ...siteMap,
  byPath: noteMisses(siteMap.byPath, lookups),
  folderStarts: {
    get(name) {
      // another page can become the first of a folder
      lookups.note(name);
      return siteMap.folderStarts.get(name);
    },
    has: (name) => siteMap.folderStarts.has(name),
  },
  languageOf: (page) => languageTag(pageLanguage(siteMap, page)?.label ?? 'en'),
  mayHaveFeed(linked) {
    const page = siteMap.byPath.get(linked.path);
    return page !== undefined && mayHaveFeed(page, lookups);
  },
});
