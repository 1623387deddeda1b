import { escapeAttribute, escapeText } from '../escape.ts';
import type { Page } from '../site.ts';
import { alternates, canonicalUrl } from '../theme/head.ts';
import type { Theme } from '../theme/theme.ts';

/** Pages of the sitemap and of llms.txt. */
export function indexablePages(theme: Theme): Page[] {
  return theme.siteMap.pages.filter((page) => page.indexable);
}

/** Entries of one sitemap file; more need an index (sitemaps.org, "Using Sitemap index files"). */
const MAX_ENTRIES = 50_000;

/**
 * `sitemap.xml` (sitemaps.org 0.9, alternates by xhtml:link), beyond 50,000 pages an index and its parts.
 * `lastModified` is an RFC 3339 date.
 */
export function sitemap(
  theme: Theme,
  pages: readonly Page[],
  lastModified: string | undefined,
): { path: string; content: string }[] {
  const date = lastModified === undefined ? '' : `<lastmod>${escapeText(lastModified)}</lastmod>`;
  if (pages.length <= MAX_ENTRIES) return [{ path: 'sitemap.xml', content: entries(theme, pages, date) }];
  const parts: { path: string; content: string }[] = [];
  for (let at = 0; at < pages.length; at += MAX_ENTRIES) {
    const content = entries(theme, pages.slice(at, at + MAX_ENTRIES), date);
    parts.push({ path: `sitemap-${parts.length + 1}.xml`, content });
  }
  const list = parts
    .map(({ path }) => `<sitemap><loc>${theme.siteUrl}/${path}</loc>${date}</sitemap>\n`)
    .join('');
  const index = `${XML}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${list}</sitemapindex>\n`;
  return [{ path: 'sitemap.xml', content: index }, ...parts];
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

function entries(theme: Theme, pages: readonly Page[], date: string): string {
  const urls = pages.map((page) => {
    const links = alternates(theme, page, theme.placeOf(page)).map(
      ([language, url]) =>
        `<xhtml:link rel="alternate" hreflang="${escapeAttribute(language)}" href="${escapeAttribute(url)}"/>`,
    );
    return `<url><loc>${escapeText(canonicalUrl(theme, page))}</loc>${date}${links.join('')}</url>\n`;
  });
  return `${XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${urls.join('')}</urlset>\n`;
}

/** `robots.txt`: everything may be read, and where the sitemap is. */
export function robots(theme: Theme): string {
  const { config } = theme.siteMap;
  const closed = /noindex/.test(config.seo.metatags.robots ?? '');
  return `User-agent: *\n${closed ? 'Disallow: /' : 'Allow: /'}\nContent-Signal: ai-train=yes, search=yes, ai-input=yes\n\nSitemap: ${theme.siteUrl}/sitemap.xml\n`;
}
