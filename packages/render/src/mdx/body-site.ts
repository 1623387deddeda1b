import { channelName, pagesOfChannels, pagesOfOperations } from '../nav/page-operation.ts';
import type { Page, SiteConfig, SiteMap } from '../site.ts';
import { mayHaveFeed } from '../theme/export-files.ts';
import { pageLanguage } from '../theme/place.ts';
import { languageTag } from '../theme/strings.ts';
import type { LinkedPage } from './linked-page.ts';
import { containing, type Lookup, type Lookups, noting } from './lookups.ts';

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

/**
 * What the body of a page may read of the site map, besides its own page. The cache of pages has a key for it: a member
 * that is added here belongs there, too.
 */
export interface BodySite extends Pick<SiteMap, 'descriptions' | 'schemaPages'> {
  config: Pick<SiteConfig, (typeof BODY_CONFIG)[number]>;
  /** The page of an operation, by its `operationId` or by method and path: `GET /users/{id}`. */
  pageOfOperation(name: string): LinkedPage | undefined;
  pageOfChannel(file: string, id: string): LinkedPage | undefined;
  /** Whether a file is one that links and images may name. */
  hasAsset(path: string): boolean;
  /** Files that can be API descriptions. */
  descriptionFiles: readonly string[];
  byPath: Lookup<LinkedPage>;
  folderStarts: Lookup<LinkedPage>;
  home: LinkedPage;
  /** Language of a page by its place in the navigation, as a BCP 47 tag. */
  languageOf(page: Page): string;
  /** Whether a page has a feed or may have one. */
  mayHaveFeed(page: LinkedPage): boolean;
}

export function bodySite(siteMap: SiteMap, lookups: Lookups): BodySite {
  let operations: Lookup<LinkedPage> | null = null;
  let channels: Lookup<LinkedPage> | null = null;
  return {
    ...siteMap,
    pageOfOperation(name) {
      operations ??= noting(pagesOfOperations(siteMap), lookups);
      return operations.get(name);
    },
    pageOfChannel(file, id) {
      channels ??= noting(pagesOfChannels(siteMap), lookups);
      return channels.get(channelName(file, id));
    },
    hasAsset: containing(siteMap.assets, lookups),
    descriptionFiles: descriptionFiles(siteMap),
    byPath: noting(siteMap.byPath, lookups),
    folderStarts: noting(siteMap.folderStarts, lookups),
    languageOf: (page) => languageTag(pageLanguage(siteMap, page)?.label ?? 'en'),
    mayHaveFeed(linked) {
      const page = siteMap.byPath.get(linked.path);
      return page !== undefined && mayHaveFeed(page, lookups);
    },
  };
}

/** Files of the output that can be API descriptions. */
export const descriptionFiles = ({ assets }: Pick<SiteMap, 'assets'>): string[] =>
  assets.filter((file) => /\.(?:json|ya?ml)$/i.test(file));
