/** Files that an export itself makes, and that links may name. */
import type { Lookups } from '../mdx/lookups.ts';
import type { Page } from '../site.ts';
import { hasFeed } from './addresses.ts';

const FILES: ReadonlySet<string> = new Set([
  'llms.txt',
  'llms-full.txt',
  '.well-known/llms.txt',
  'sitemap.xml',
  'robots.txt',
  '404.html',
]);

export const isExportFile = (path: string): boolean => FILES.has(path);

/** Path of the page whose feed is at this path of a file; null for other files. */
export function feedPage(path: string): string | null {
  const feed = /^(?:(.*)\/)?rss\.xml$/.exec(path);
  return feed === null ? null : (feed[1] ?? 'index');
}

/** Thousands of links can lead to the feed of one page, whose text can be long. */
const known = new WeakMap<Page, boolean>();

/** Whether a page has a feed or may have one: what it imports is known only when it is rendered. */
export function mayHaveFeed(page: Page, { noteText }: Lookups): boolean {
  if (page.source !== null) noteText(page.source);
  const found =
    known.get(page) ?? hasFeed(page, /<(?:Update|Snippet)\b|^import\b/m.exec(page.readBody()) ?? []);
  known.set(page, found);
  return found;
}
