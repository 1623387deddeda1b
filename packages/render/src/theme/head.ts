import { escapeAttribute, escapeText } from '../escape.ts';
import type { Page } from '../site.ts';
import { canonicalUrl, feedOutput, hasFeed, markdownOutput } from './addresses.ts';
import type { DocumentContent } from './document-content.ts';
import { metaTags, pageTitle } from './head-tags.ts';
import { relativeLink } from './paths.ts';
import type { Place } from './place.ts';
import { connectedStart } from './policy.ts';
import { languageTag } from './strings.ts';
import { structuredData } from './structured-data.ts';
import type { Theme } from './theme.ts';

export { canonicalUrl, markdownOutput } from './addresses.ts';

/** Everything inside `<head>`. */
export function head(theme: Theme, page: Page, place: Place, content: DocumentContent): string {
  const link = (output: string): string => escapeAttribute(relativeLink(page.output, output));
  const metas = metaTags(theme, page, place, content.description);
  const viewport = metas.get('viewport') ?? 'width=device-width, initial-scale=1';
  metas.delete('viewport');
  let html = `${connectedStart(content.playground?.connect ?? [])}<meta name="viewport" content="${escapeAttribute(viewport)}">`;
  html += `<title>${escapeText(pageTitle(theme, page))}</title>`;
  for (const [name, content] of metas) {
    const key = /^(og|article|fb):/.test(name) ? 'property' : 'name';
    html += `<meta ${key}="${escapeAttribute(name)}" content="${escapeAttribute(content)}">`;
  }
  const canonical = canonicalUrl(theme, page);
  if (canonical !== null) html += `<link rel="canonical" href="${escapeAttribute(canonical)}">`;
  for (const [language, url] of alternates(theme, page, place)) {
    html += `<link rel="alternate" hreflang="${escapeAttribute(language)}" href="${escapeAttribute(url)}">`;
  }
  html += `<link rel="alternate" type="text/markdown" href="${link(markdownOutput(page))}">`;
  if (hasFeed(page, content.feed)) {
    const title = escapeAttribute(pageTitle(theme, page));
    html += `<link rel="alternate" type="application/rss+xml" title="${title}" href="${link(feedOutput(page))}">`;
  }
  html += '<meta name="color-scheme" content="light dark">';
  html += theme.parts.of(page.output, 'icons', '', () => themeColors(theme) + favicons(theme, page));
  const own = (kind: 'style' | 'script'): string[] =>
    content.assets.filter((asset) => asset.kind === kind).map((asset) => asset.path);
  for (const sheet of [theme.assets.stylesheet, ...own('style'), ...theme.assets.userStylesheets]) {
    html += `<link rel="stylesheet" href="${link(sheet)}">`;
  }
  html += `<script src="${link(theme.assets.script)}"></script>`;
  for (const script of [...own('script'), ...theme.assets.userScripts, ...theme.assets.serviceScripts]) {
    html += `<script src="${link(script)}" defer></script>`;
  }
  return `${html}<meta name="generator" content="Offprint">${structuredData(theme, page, place, content.description)}`;
}

/** The page in every language that has it, `x-default` last; empty where it exists once or has no absolute URL. */
export function alternates(theme: Theme, page: Page, place: Place): [string, string][] {
  const level = place.levels.find((candidate) => candidate.kind === 'language');
  if (level === undefined || level.current === null || page.trail.length === 0) return [];
  const found: [string, string][] = [];
  let fallback: string | null = null;
  for (const node of level.siblings) {
    const twin = node === level.current ? page : theme.counterpartOf(node, level.current, page);
    if (twin === null || (twin !== page && !isCounterpart(theme, node, level.current, page, twin))) continue;
    const url = canonicalUrl(theme, twin);
    if (url === null) continue;
    found.push([languageTag(node.label), url]);
    if (node.isDefault) fallback = url;
  }
  if (found.length < 2) return [];
  if (fallback !== null) found.push(['x-default', fallback]);
  return found;
}

/** Whether the twin leads back, so that a branch's first page does not replace a missing translation. */
function isCounterpart(
  theme: Theme,
  branch: Place['sidebar'],
  current: Place['sidebar'],
  page: Page,
  twin: Page,
): boolean {
  return theme.counterpartOf(current, branch, twin) === page;
}

/** Icons of the site: one for each appearance where they differ, and the one of home screens where there is any. */
function favicons(theme: Theme, page: Page): string {
  const { favicon } = theme.siteMap.config;
  const tag = (rel: string, path: string, media: string): string => {
    const file = path.replace(/^(?:\.?\/)+/, '');
    if (!theme.hasAsset(file)) return '';
    const href = escapeAttribute(relativeLink(page.output, file));
    return `<link rel="${rel}" href="${href}"${iconForm(theme, file)}${media}>`;
  };
  const touch = ['apple-touch-icon.png', 'images/apple-touch-icon.png'].find((file) => theme.hasAsset(file));
  const square = favicon !== null && /\.png$/i.test(favicon.light) ? favicon.light : undefined;
  const home = touch ?? square;
  const icons =
    favicon === null
      ? ''
      : favicon.light === favicon.dark
        ? tag('icon', favicon.light, '')
        : tag('icon', favicon.light, ' media="(prefers-color-scheme: light)"') +
          tag('icon', favicon.dark, ' media="(prefers-color-scheme: dark)"');
  return `${icons === '' ? '<link rel="icon" href="data:,">' : icons}${home === undefined ? '' : tag('apple-touch-icon', home, '')}`;
}

function iconForm(theme: Theme, file: string): string {
  if (/\.svg$/i.test(file)) return ' type="image/svg+xml" sizes="any"';
  const size = theme.imageSize(file);
  const type = /\.png$/i.test(file) ? ' type="image/png"' : '';
  return size === null ? type : `${type} sizes="${size.width}x${size.height}"`;
}

/** Color of the browser around the page, for each appearance. */
function themeColors(theme: Theme): string {
  const { color } = theme.siteMap.config.background;
  const tag = (scheme: 'light' | 'dark', content: string): string =>
    `<meta name="theme-color" media="(prefers-color-scheme: ${scheme})" content="${content}">`;
  return tag('light', color.light ?? '#ffffff') + tag('dark', color.dark ?? '#0c0d0f');
}
