import { parseDate, rssDate } from '../dates.ts';
import { escapeAttribute, escapeText } from '../escape.ts';
import type { FeedEntry } from '../mdx/write/feed.ts';
import type { Page } from '../site.ts';
import { absoluteUrl, canonicalUrl, feedOutput } from '../theme/addresses.ts';
import { pageTitle } from '../theme/head-tags.ts';
import { inlineText } from '../theme/inline.ts';
import { baseOf, encodePath, relativeLink } from '../theme/paths.ts';
import { languageTag } from '../theme/strings.ts';
import type { Theme } from '../theme/theme.ts';

/** A page with updates, and the content of its feed for each. */
export interface PageFeed {
  page: Page;
  entries: readonly FeedEntry[];
}

/** Entries of one feed, the first of the page: readers keep what they have seen. */
const MAX_ENTRIES = 200;

/**
 * RSS 2.0 feed of a page (rssboard.org, RSS 2.0 Specification), with a link to itself. The date of an entry is that
 * of its label, else that of the page; without either it has none. Where the URL of the site is not known, links are
 * relative to the feed.
 */
export function pageFeed(theme: Theme, { page, entries }: PageFeed): string {
  const output = feedOutput(page);
  const url = canonicalUrl(theme, page) ?? relativeLink(output, page.output);
  const self = absoluteUrl(theme, output);
  const about = page.description ?? theme.siteMap.config.description ?? page.title;
  const language = theme.placeOf(page).language;
  const dates = entries.map(({ date }) => date ?? page.modified).filter((date) => date !== null);
  const latest = dates.sort().at(-1);
  const channel = [
    `<title>${xml(pageTitle(theme, page))}</title>`,
    `<link>${xml(url)}</link>`,
    `<description>${xml(inlineText(about))}</description>`,
    language === null ? '' : `<language>${xml(languageTag(language.label).toLowerCase())}</language>`,
    latest === undefined ? '' : `<lastBuildDate>${rssDate(latest)}</lastBuildDate>`,
    '<generator>Offprint</generator>',
    self === null
      ? ''
      : `<atom:link href="${escapeAttribute(clean(self))}" rel="self" type="application/rss+xml"/>`,
    ...entries.slice(0, MAX_ENTRIES).map((entry) => item(theme, page, url, entry)),
  ].filter((line) => line !== '');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">\n<channel>\n${channel.join('\n')}\n</channel>\n</rss>\n`;
}

function item(theme: Theme, page: Page, url: string, entry: FeedEntry): string {
  const link = `${url}#${encodeURIComponent(entry.id.toWellFormed())}`;
  const date = entry.date ?? parseDate(page.modified);
  const html = movedLinks(entry.html, theme, page);
  return [
    '<item>',
    `<title>${xml(entry.title)}</title>`,
    `<link>${xml(link)}</link>`,
    `<guid isPermaLink="${URL.canParse(link)}">${xml(link)}</guid>`,
    date === null ? '' : `<pubDate>${rssDate(date)}</pubDate>`,
    ...entry.tags.map((tag) => `<category>${xml(tag)}</category>`),
    html === '' ? '' : `<description>${xml(html)}</description>`,
    '</item>',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** Stands for the URL of a site that is not known; no host can have this name (RFC 6761). */
const UNKNOWN = 'https://site.invalid';

/**
 * Links of a page as its feed needs them: absolute, else relative to the feed. The renderer wrote the HTML: every link
 * in it is in double quotes, escaped.
 */
function movedLinks(html: string, theme: Theme, page: Page): string {
  const base = `${theme.siteUrl ?? UNKNOWN}/${encodePath(page.output)}`;
  const root = baseOf(feedOutput(page)) || './';
  return html.replace(/ href="([^"]*)"/g, (whole, href: string) => {
    const url = URL.parse(href.replaceAll('&amp;', '&'), base);
    if (url === null) return whole;
    const isOwn = url.origin === UNKNOWN;
    return ` href="${escapeAttribute(isOwn ? root + url.href.slice(UNKNOWN.length + 1) : url.href)}"`;
  });
}

function xml(text: string): string {
  return escapeText(clean(text));
}

/** Without the characters that XML 1.0 cannot say at all. */
function clean(text: string): string {
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
}
