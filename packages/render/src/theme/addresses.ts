import type { Page } from '../site.ts';
import { publicUrl } from './paths.ts';
import type { Theme } from './theme.ts';

/** File of the page's Markdown twin. */
export function markdownOutput(page: Page): string {
  return page.output.replace(/\.html$/, '.md');
}

/** File of the page's RSS feed; there when the page has updates. */
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
