import { escapeAttribute, escapeText } from '../escape.ts';
import type { Page } from '../site.ts';
import { feedOutput } from './addresses.ts';
import { partIcon } from './icon.ts';
import { inlineHtml } from './inline.ts';
import { type ChromeLink, resolveLink } from './links.ts';
import { externalUrl, relativeLink } from './paths.ts';
import type { Strings } from './strings.ts';
import type { Theme } from './theme.ts';

/** Entries of `authors` and of `related` that a page shows. */
const MAX_ENTRIES = 24;

/** The authors of the page, the date of its last change and its feed; empty if none of them is known. */
export function pageMeta(theme: Theme, page: Page, language: string, strings: Strings): string {
  const parts = [authors(theme, page), modified(theme, page, language, strings), feed(page, strings)];
  const shown = parts.filter((part) => part !== '').join('');
  return shown === '' ? '' : `<div class="op-page-meta">${shown}</div>`;
}

/** The frame of a page whose links are written in its front matter: warnings name that file. */
function ofPage(theme: Theme, page: Page): Theme {
  const file = page.source ?? theme.siteMap.config.file;
  const own = 'of the front matter';
  const warn: Theme['warn'] = (warning) =>
    theme.warn({ ...warning, file, message: warning.message.replace("of the site's own parts", own) });
  return { ...theme, warn };
}

function authors(theme: Theme, page: Page): string {
  const written = page.frontMatter.authors ?? page.frontMatter.author;
  const list = Array.isArray(written) ? written : [written];
  const names = list.slice(0, MAX_ENTRIES).flatMap((entry) => author(theme, page, entry) ?? []);
  return names.length === 0 ? '' : `<span class="op-page-authors">${names.join(', ')}</span>`;
}

/** A name, or `{name, url}`. */
function author(theme: Theme, page: Page, entry: unknown): string | null {
  if (typeof entry === 'string') return entry.trim() === '' ? null : escapeText(entry.trim());
  if (typeof entry !== 'object' || entry === null) return null;
  const { name, url, href } = entry as Record<string, unknown>;
  if (typeof name !== 'string' || name.trim() === '') return null;
  const target = typeof url === 'string' ? url : typeof href === 'string' ? href : null;
  const link = target === null ? null : resolveLink(ofPage(theme, page), page.output, target);
  const label = escapeText(name.trim());
  return link === null ? label : `<a href="${escapeAttribute(link.href)}"${outside(link)}>${label}</a>`;
}

function modified(theme: Theme, page: Page, language: string, strings: Strings): string {
  const { timestamp } = page.frontMatter;
  const wanted = typeof timestamp === 'boolean' ? timestamp : theme.siteMap.config.metadata.timestamp;
  if (!wanted || page.modified === null) return '';
  const day = page.modified.slice(0, 10);
  const time = `<time datetime="${escapeAttribute(page.modified)}">${escapeText(writtenDate(day, language))}</time>`;
  return `<span>${escapeText(strings.lastModified).replace('{date}', () => time)}</span>`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A day (`2026-08-14`) as its language writes it: `14. August 2026`. */
export function writtenDate(day: string, language: string): string {
  let format = formats.get(language);
  if (format === undefined) {
    const known = Intl.DateTimeFormat.supportedLocalesOf([safeTag(language)]);
    format = new Intl.DateTimeFormat([...known, 'en'], { dateStyle: 'long', timeZone: 'UTC' });
    formats.set(language, format);
  }
  return format.format(new Date(`${day}T00:00:00Z`));
}

function safeTag(language: string): string {
  return /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i.test(language) ? language : 'en';
}

function feed(page: Page, strings: Strings): string {
  if (page.front.rss !== true) return '';
  const href = relativeLink(page.output, feedOutput(page));
  return `<a class="op-page-feed" href="${escapeAttribute(href)}" type="application/rss+xml">${partIcon('rss', 14)}${escapeText(strings.feed)}</a>`;
}

/** The pages and URLs of `related`; empty without them. */
export function relatedTopics(theme: Theme, page: Page, strings: Strings): string {
  const { related } = page.frontMatter;
  if (!Array.isArray(related)) return '';
  const own = ofPage(theme, page);
  const items = related.slice(0, MAX_ENTRIES).flatMap((entry) => relatedEntry(own, page, entry));
  if (items.length === 0) return '';
  return `<section id="related-topics" aria-labelledby="related-title"><h2 id="related-title">${escapeText(strings.relatedTopics)}</h2><ul>${items.join('')}</ul></section>`;
}

/** `path`, `https://...` or `{Title: link}`. */
function relatedEntry(theme: Theme, page: Page, entry: unknown): string[] {
  const pairs =
    typeof entry === 'string'
      ? [[null, entry] as const]
      : typeof entry === 'object' && entry !== null
        ? Object.entries(entry)
        : [];
  return pairs.flatMap(([title, target]) => {
    if (typeof target !== 'string' || target.trim() === '') return [];
    const link = resolveLink(theme, page.output, rooted(target));
    if (link === null) return [];
    const known = theme.siteMap.byPath.get(target.replace(/^\/+|\/+$/g, '').replace(/\.mdx?$/, ''));
    const label = title ?? known?.title ?? target.replace(/^https?:\/\//, '');
    const mark = link.external ? partIcon('arrow-up-right', 14, 'op-external') : '';
    return [
      `<li><a href="${escapeAttribute(link.href)}"${outside(link)}>${inlineHtml(label)}${mark}</a></li>`,
    ];
  });
}

/** Paths of front matter start at the root of the docs. */
function rooted(target: string): string {
  const isWhole = externalUrl(target) !== null || /^[/#]|^[a-z][\w+.-]*:/i.test(target);
  return isWhole ? target : `/${target}`;
}

function outside(link: ChromeLink): string {
  return link.external ? ' target="_blank" rel="noopener"' : '';
}
