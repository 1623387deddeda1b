import { escapeAttribute, escapeText } from '../escape.ts';
import type { Page } from '../site.ts';
import { alternates, canonicalUrl } from '../theme/head.ts';
import type { Theme } from '../theme/theme.ts';

/** Pages that search engines may list: in the navigation (or all, by `seo.indexing`), not hidden, not noindex. */
export function indexablePages(theme: Theme): Page[] {
  const { config, pages, home } = theme.siteMap;
  const all = config.seo.indexing === 'all';
  return pages.filter((page) => {
    if (/noindex/.test(String(page.frontMatter.robots ?? ''))) return false;
    if (all) return !page.noindex || page.hidden;
    return !page.hidden && !page.noindex && (page.trail.length > 0 || page === home);
  });
}

/** `sitemap.xml` (sitemaps.org 0.9, alternates by xhtml:link). `lastModified` is an RFC 3339 date. */
export function sitemap(theme: Theme, pages: readonly Page[], lastModified: string | undefined): string {
  const date = lastModified === undefined ? '' : `<lastmod>${escapeText(lastModified)}</lastmod>`;
  const entries = pages
    .map((page) => {
      const links = alternates(theme, page, theme.placeOf(page))
        .map(
          ([language, url]) =>
            `<xhtml:link rel="alternate" hreflang="${escapeAttribute(language)}" href="${escapeAttribute(url)}"/>`,
        )
        .join('');
      return `<url><loc>${escapeText(canonicalUrl(theme, page))}</loc>${date}${links}</url>\n`;
    })
    .join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${entries}</urlset>\n`;
}

/** `robots.txt`: everything may be read, and where the sitemap is. */
export function robots(theme: Theme): string {
  const { config } = theme.siteMap;
  const closed = /noindex/.test(config.seo.metatags.robots ?? '');
  return `User-agent: *\n${closed ? 'Disallow: /' : 'Allow: /'}\nContent-Signal: ai-train=yes, search=yes, ai-input=yes\n\nSitemap: ${theme.siteUrl}/sitemap.xml\n`;
}
