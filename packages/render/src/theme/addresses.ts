import type { Page } from '../site.ts';
import { encodePath, publicUrl } from './paths.ts';
import type { Theme } from './theme.ts';

/** File of the page's Markdown twin. */
export function markdownOutput(page: Page): string {
  return page.output.replace(/\.html$/, '.md');
}

/** Whether a page has an RSS feed: it has updates, or asks for one. */
export function hasFeed(page: { front: Pick<Page['front'], 'rss'> }, updates: readonly unknown[]): boolean {
  return updates.length > 0 || page.front.rss === true;
}

/** File of the page's RSS feed. */
export function feedOutput(page: Pick<Page, 'path' | 'output'>): string {
  return page.path === 'index' ? 'rss.xml' : `${page.output.replace(/\.html$/, '')}/rss.xml`;
}

/** Absolute URL of an output file; null where the URL of the site is not known. */
export function absoluteUrl(theme: Theme, output: string): string | null {
  return theme.siteUrl === null ? null : `${theme.siteUrl}/${encodePath(output)}`;
}

/** Absolute URL without extension that search engines shall keep; null where the URL of the site is not known. */
export function canonicalUrl(theme: Theme, page: Page): string | null {
  const own = page.frontMatter.canonical;
  if (typeof own === 'string' && /^https?:\/\//.test(own)) return own;
  const { canonical, trailingSlash } = theme.siteMap.config.seo;
  const base = canonical ?? theme.siteUrl;
  if (base === null) return null;
  const url = publicUrl(base, page.path);
  return trailingSlash && !url.endsWith('/') ? `${url}/` : url;
}
