import { placeOfText } from '../config/place.ts';
import type { Page } from '../site.ts';
import { absoluteUrl, canonicalUrl } from './addresses.ts';
import { inlineText } from './inline.ts';
import type { Place } from './place.ts';
import { languageTag } from './strings.ts';
import type { Theme } from './theme.ts';

/** Names of front matter that become meta tags as they are. */
const PAGE_META = /^(og:|twitter:|article:|fb:|keywords$|robots$|googlebot$|author$|viewport$)/;

/** Names of `seo.metatags` that are not meta tags, or that break the page with a wrong value. */
const NO_META = new Set(['canonical', 'charset']);

/** Title of a page for `<title>` and feeds: with the name of the site, once. */
export function pageTitle(theme: Theme, page: Page): string {
  const { name } = theme.siteMap.config;
  const title = inlineText(page.title);
  return title === name ? name : `${title} - ${name}`;
}

/** What a page is about, on one line of at most 300 characters; null when nobody says. */
export function pageAbout(theme: Theme, page: Page, firstParagraph: string | null): string | null {
  const { operation } = page;
  const call = operation === null ? null : `${operation.method.toUpperCase()} ${operation.path}`;
  const about = page.description ?? firstParagraph ?? theme.siteMap.config.description ?? call;
  const text = about === null ? '' : shorten(inlineText(about));
  return text === '' ? null : text;
}

/**
 * Meta tags of a page by name, the later over the earlier: made from the page, `seo.metatags`, `seo.paths` (the
 * longest path last), front matter. `twitter:` tags repeat those of `og:` that nobody wrote otherwise.
 */
export function metaTags(
  theme: Theme,
  page: Page,
  place: Place,
  firstParagraph: string | null,
): Map<string, string> {
  const { seo } = theme.siteMap.config;
  const written = new Map<string, string>();
  for (const tags of [seo.metatags, ...folderTags(theme, page)]) {
    for (const [name, content] of Object.entries(tags)) {
      if (!NO_META.has(name.toLowerCase())) written.set(name, content);
    }
  }
  for (const [name, content] of pageTags(page)) written.set(name, content);
  const metas = madeTags(theme, page, place, firstParagraph);
  for (const [name, content] of written) metas.set(name, content);
  addImage(theme, page, metas, written);
  for (const name of ['title', 'description', 'image', 'image:alt']) {
    const content = metas.get(`og:${name}`);
    if (content !== undefined && !metas.has(`twitter:${name}`)) metas.set(`twitter:${name}`, content);
  }
  if (!metas.has('twitter:card')) {
    metas.set('twitter:card', metas.has('twitter:image') ? 'summary_large_image' : 'summary');
  }
  if (page.noindex && !/\bno(?:index|ne)\b/i.test(metas.get('robots') ?? '')) metas.set('robots', 'noindex');
  for (const [name, content] of metas) if (content.trim() === '') metas.delete(name);
  return metas;
}

function madeTags(
  theme: Theme,
  page: Page,
  place: Place,
  firstParagraph: string | null,
): Map<string, string> {
  const metas = new Map<string, string>();
  const about = pageAbout(theme, page, firstParagraph);
  if (about !== null) metas.set('description', about);
  metas.set('og:site_name', theme.siteMap.config.name);
  metas.set('og:title', inlineText(page.title));
  if (about !== null) metas.set('og:description', about);
  metas.set('og:type', page === theme.siteMap.home ? 'website' : 'article');
  const url = canonicalUrl(theme, page);
  if (url !== null) metas.set('og:url', url);
  const [language, region] = languageTag(place.language?.label ?? '').split('-');
  if (language !== undefined && region?.length === 2) metas.set('og:locale', `${language}_${region}`);
  if (page.modified !== null && page !== theme.siteMap.home) {
    metas.set('article:modified_time', page.modified);
  }
  return metas;
}

/** `seo.paths` that hold the page, the longest last. */
export function folderTags(theme: Theme, page: Page): Record<string, string>[] {
  return theme.siteMap.config.seo.paths
    .filter(({ path }) => path === '' || page.path === path || page.path.startsWith(`${path}/`))
    .map(({ metatags }) => metatags);
}

function* pageTags(page: Page): Iterable<[string, string]> {
  for (const [name, value] of Object.entries(page.frontMatter)) {
    if (!PAGE_META.test(name)) continue;
    if (typeof value === 'string' || typeof value === 'number') yield [name, String(value)];
    else if (name === 'keywords' && Array.isArray(value)) {
      yield [name, value.filter((word) => typeof word === 'string' || typeof word === 'number').join(', ')];
    }
  }
}

/** Image URLs are made absolute, as crawlers require, or removed where that is not possible; size and alternative text are added where known. */
function addImage(
  theme: Theme,
  page: Page,
  metas: Map<string, string>,
  written: ReadonlyMap<string, string>,
): void {
  for (const name of ['og:image', 'twitter:image']) {
    const content = metas.get(name);
    if (content === undefined || /^[a-z][\w+.-]*:/i.test(content)) continue;
    const file = content.replace(/^(?:\.?\/)+/, '').replace(/[?#].*$/s, '');
    const url = absoluteUrl(theme, file);
    if (theme.hasAsset(file) && url === null) metas.delete(name);
    else if (theme.hasAsset(file) && url !== null) {
      metas.set(name, url);
      if (name === 'og:image') addSize(theme.imageSize(file), metas);
    } else {
      metas.delete(name);
      warnMissingImage(theme, page, name, content);
    }
  }
  const preview = metas.has('og:image') || theme.siteUrl === null ? null : theme.previewOf(page);
  const previewUrl = preview === null ? null : absoluteUrl(theme, preview.path);
  if (preview !== null && previewUrl !== null) {
    metas.set('og:image', previewUrl);
    addSize(preview, metas);
  }
  if (metas.has('og:image') && !written.has('og:image:alt')) {
    metas.set('og:image:alt', preview?.alt ?? inlineText(page.title));
  }
}

/** An image that docs.json sets for the whole site is reported once, at its line. */
function warnMissingImage(theme: Theme, page: Page, name: string, content: string): void {
  const isOfPage = page.frontMatter[name] === content;
  const place = isOfPage ? null : placeOfText(theme.siteMap.config.raw, content);
  theme.warn({
    file: place?.file ?? page.source ?? page.path,
    line: place?.line ?? null,
    code: 'missing-asset',
    message: `The preview image \`${content.slice(0, 120)}\` is not in the docs folder, so it is removed. Add it, or correct the path.`,
  });
}

function addSize(size: { width: number; height: number } | null, metas: Map<string, string>): void {
  if (size === null) return;
  if (!metas.has('og:image:width')) metas.set('og:image:width', String(size.width));
  if (!metas.has('og:image:height')) metas.set('og:image:height', String(size.height));
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= 300) return line;
  const cut = line.slice(0, 300);
  return `${cut.slice(0, Math.max(200, cut.lastIndexOf(' ')))}…`;
}
