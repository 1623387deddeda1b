import type { Page, SiteConfig } from '../site.ts';
import type { Placed } from './place.ts';

/**
 * Decides of each page whether search engines, sitemap.xml and llms.txt, and the search of the site know it. What
 * is in the navigation is known everywhere; hidden and unlisted pages are not, unless `seo.indexing` is `all`;
 * `noindex` keeps a page out of all, `searchable: false` out of the search of the site only.
 */
export function publishPages(pages: readonly Page[], home: Page, placed: Placed, config: SiteConfig): void {
  const all = config.seo.indexing === 'all';
  for (const page of pages) {
    const isListed = placed.listed.has(page);
    const isConcealed = page.hidden || (isListed && !placed.open.has(page));
    const isKnown = all || (!isConcealed && (isListed || page === home));
    const isRefused = page.noindex;
    page.noindex = isRefused || (isConcealed && !all);
    page.indexable = isKnown && !isRefused;
    const wish = page.frontMatter.searchable;
    const isFound = !isListed || placed.found.has(page);
    page.searchable = page.indexable && isFound && wish !== false && wish !== 'false';
  }
}
