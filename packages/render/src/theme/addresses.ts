import type { Page } from '../site.ts';
import { publicUrl } from './paths.ts';
import type { Theme } from './theme.ts';

/** File of the page's Markdown twin. */
export function markdownOutput(page: Page): string {
  return page.output.replace(/\.html$/, '.md');
}

/** Whether a page has an RSS feed: it has updates, or asks for one. */
export function hasFeed(page: Page, updates: readonly unknown[]): boolean {
  return updates.length > 0 || page.frontMatter.rss === true;
}

/** File of the page's RSS feed. */
export function feedOutput(page: Page): string {
  return page.path === 'index' ? 'rss.xml' : `${page.output.replace(/\.html$/, '')}/rss.xml`;
}

/** Absolute URL without extension that search engines shall keep. */
export function canonicalUrl(theme: Theme, page: Page): string {
  const own = page.frontMatter.canonical;
  if (typeof own === 'string' && /^https?:\/\//.test(own)) return own;
  const { canonical, trailingSlash } = theme.siteMap.config.seo;
  const url = publicUrl(canonical ?? theme.siteUrl, page.path);
  return trailingSlash && !url.endsWith('/') ? `${url}/` : url;
}
