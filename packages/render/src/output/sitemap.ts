import { escapeAttribute, escapeText } from '../escape.ts';
import type { Page } from '../site.ts';
import { absoluteUrl, canonicalUrl } from '../theme/addresses.ts';
import { alternates } from '../theme/head.ts';
import { folderTags } from '../theme/head-tags.ts';
import type { Theme } from '../theme/theme.ts';

/** Pages of the sitemap and of llms.txt: those that publish (nav/publication.ts) and that no robots tag refuses. */
export function indexablePages(theme: Theme): Page[] {
  return theme.siteMap.pages.filter((page) => page.indexable && !/noindex|none/.test(robotsOf(theme, page)));
}

/** The robots tag of a page or of its folders; that of the whole site is in robots.txt. */
function robotsOf(theme: Theme, page: Page): string {
  const own = page.frontMatter.robots;
  if (typeof own === 'string') return own;
  return folderTags(theme, page).findLast((tags) => tags.robots !== undefined)?.robots ?? '';
}

/** Entries of one sitemap file; more need an index (sitemaps.org, "Using Sitemap index files"). */
const MAX_ENTRIES = 50_000;

/**
 * `sitemap.xml` (sitemaps.org 0.9, alternates by xhtml:link), beyond 50,000 pages an index and its parts. Dates are
 * those of the pages, where known. None where the URL of the site is not known: entries must be absolute.
 */
export function sitemap(theme: Theme, pages: readonly Page[]): { path: string; content: string }[] {
  if (theme.siteUrl === null) return [];
  if (pages.length <= MAX_ENTRIES) return [{ path: 'sitemap.xml', content: entries(theme, pages) }];
  const parts: { path: string; content: string; date: string }[] = [];
  for (let at = 0; at < pages.length; at += MAX_ENTRIES) {
    const part = pages.slice(at, at + MAX_ENTRIES);
    parts.push({
      path: `sitemap-${parts.length + 1}.xml`,
      content: entries(theme, part),
      date: latest(part),
    });
  }
  const list = parts
    .map(
      ({ path, date }) =>
        `<sitemap><loc>${escapeText(absoluteUrl(theme, path) ?? '')}</loc>${date}</sitemap>\n`,
    )
    .join('');
  const index = `${XML}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${list}</sitemapindex>\n`;
  return [{ path: 'sitemap.xml', content: index }, ...parts];
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

function latest(pages: readonly Page[]): string {
  let found: string | null = null;
  for (const { modified } of pages) if (modified !== null && modified > (found ?? '')) found = modified;
  return lastmod(found);
}

/** Dates of pages are W3C dates already. */
function lastmod(date: string | null): string {
  return date === null ? '' : `<lastmod>${date}</lastmod>`;
}

function entries(theme: Theme, pages: readonly Page[]): string {
  const urls = pages.map((page) => {
    const url = canonicalUrl(theme, page);
    if (url === null) return '';
    const links = alternates(theme, page, theme.placeOf(page)).map(
      ([language, url]) =>
        `<xhtml:link rel="alternate" hreflang="${escapeAttribute(language)}" href="${escapeAttribute(url)}"/>`,
    );
    return `<url><loc>${escapeText(url)}</loc>${lastmod(page.modified)}${links.join('')}</url>\n`;
  });
  return `${XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${urls.join('')}</urlset>\n`;
}

/** `robots.txt`: everything may be read, and where the sitemap is, if there is one. */
export function robots(theme: Theme): string {
  const { config } = theme.siteMap;
  const closed = /noindex/.test(config.seo.metatags.robots ?? '');
  const sitemapUrl = absoluteUrl(theme, 'sitemap.xml');
  const where = sitemapUrl === null ? '' : `\nSitemap: ${sitemapUrl}\n`;
  return `User-agent: *\n${closed ? 'Disallow: /' : 'Allow: /'}\nContent-Signal: ai-train=yes, search=yes, ai-input=yes\n${where}`;
}
