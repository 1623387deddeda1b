import { escapeAttribute, escapeText } from '../escape.ts';
import type { RenderedPage } from '../mdx/page.ts';
import type { Page } from '../site.ts';
import { inlineText } from './inline.ts';
import { encodePath, publicUrl, relativeLink } from './paths.ts';
import type { Place } from './place.ts';
import { languageTag } from './strings.ts';
import type { Theme } from './theme.ts';

/** Names of front matter that become meta tags as they are. */
const PAGE_META = /^(og:|twitter:|article:|keywords$|robots$|author$|viewport$)/;

/** Everything inside `<head>`. */
export function head(theme: Theme, page: Page, place: Place, content: RenderedPage): string {
  const link = (output: string): string => escapeAttribute(relativeLink(page.output, output));
  const metas = metaTags(theme, page, content.description);
  const viewport = metas.get('viewport') ?? 'width=device-width, initial-scale=1';
  metas.delete('viewport');
  let html = `<meta charset="utf-8"><meta name="viewport" content="${escapeAttribute(viewport)}">`;
  html += `<title>${escapeText(pageTitle(theme, page))}</title>`;
  for (const [name, content] of metas) {
    const key = /^(og|article|fb):/.test(name) ? 'property' : 'name';
    html += `<meta ${key}="${escapeAttribute(name)}" content="${escapeAttribute(content)}">`;
  }
  html += `<link rel="canonical" href="${escapeAttribute(canonicalUrl(theme, page))}">`;
  for (const [language, url] of alternates(theme, page, place)) {
    html += `<link rel="alternate" hreflang="${escapeAttribute(language)}" href="${escapeAttribute(url)}">`;
  }
  html += `<link rel="alternate" type="text/markdown" href="${link(markdownOutput(page))}">`;
  html += '<meta name="color-scheme" content="light dark">';
  html +=
    '<meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff"><meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0c0d0f">';
  html += favicons(theme, page);
  const own = (kind: 'style' | 'script'): string[] =>
    content.assets.filter((asset) => asset.kind === kind).map((asset) => asset.path);
  for (const sheet of [theme.assets.stylesheet, ...own('style'), ...theme.assets.userStylesheets]) {
    html += `<link rel="stylesheet" href="${link(sheet)}">`;
  }
  html += `<script src="${link(theme.assets.themeScript)}"></script>`;
  for (const script of [theme.assets.siteScript, ...own('script'), ...theme.assets.userScripts]) {
    html += `<script src="${link(script)}" defer></script>`;
  }
  return `${html}<meta name="generator" content="Offprint">`;
}

/** File of the page's Markdown twin. */
export function markdownOutput(page: Page): string {
  return page.output.replace(/\.html$/, '.md');
}

/** Absolute URL without extension that search engines shall keep. */
export function canonicalUrl(theme: Theme, page: Page): string {
  const own = page.frontMatter.canonical;
  if (typeof own === 'string' && /^https?:\/\//.test(own)) return own;
  return publicUrl(theme.siteMap.config.seo.canonical ?? theme.siteUrl, page.path);
}

/** The page in every language that has it, `x-default` last; empty where it exists once. */
export function alternates(theme: Theme, page: Page, place: Place): [string, string][] {
  const level = place.levels.find((candidate) => candidate.kind === 'language');
  if (level === undefined || level.current === null || page.trail.length === 0) return [];
  const found: [string, string][] = [];
  let fallback: string | null = null;
  for (const node of level.siblings) {
    const twin = node === level.current ? page : theme.counterpartOf(node, level.current, page);
    if (twin === null || (twin !== page && !isCounterpart(theme, node, level.current, page, twin))) continue;
    const url = canonicalUrl(theme, twin);
    found.push([languageTag(node.label), url]);
    if (node.isDefault) fallback = url;
  }
  if (found.length < 2) return [];
  if (fallback !== null) found.push(['x-default', fallback]);
  return found;
}

/** Whether the twin leads back, so that a branch's first page does not stand in for a missing translation. */
function isCounterpart(
  theme: Theme,
  branch: Place['sidebar'],
  current: Place['sidebar'],
  page: Page,
  twin: Page,
): boolean {
  return theme.counterpartOf(current, branch, twin) === page;
}

function pageTitle(theme: Theme, page: Page): string {
  const { name } = theme.siteMap.config;
  const title = inlineText(page.title);
  return title === name ? name : `${title} - ${name}`;
}

function metaTags(theme: Theme, page: Page, description: string | null): Map<string, string> {
  const { config } = theme.siteMap;
  const metas = new Map<string, string>();
  const about = page.description ?? description ?? config.description;
  const text = about === null ? null : shorten(inlineText(about));
  if (text !== null && text !== '') metas.set('description', text);
  metas.set('og:site_name', config.name);
  metas.set('og:title', inlineText(page.title));
  if (text !== null && text !== '') metas.set('og:description', text);
  metas.set('og:type', 'website');
  metas.set('og:url', canonicalUrl(theme, page));
  metas.set('twitter:card', 'summary');
  for (const [name, content] of Object.entries(config.seo.metatags)) {
    if (name !== 'canonical' && name !== 'charset') metas.set(name, absoluteImage(theme, name, content));
  }
  for (const [name, value] of Object.entries(page.frontMatter)) {
    if (!PAGE_META.test(name)) continue;
    if (typeof value === 'string' || typeof value === 'number') {
      metas.set(name, absoluteImage(theme, name, String(value)));
    } else if (name === 'keywords' && Array.isArray(value)) {
      metas.set(name, value.filter((word) => typeof word === 'string').join(', '));
    }
  }
  if (page.noindex && !/\bno(?:index|ne)\b/i.test(metas.get('robots') ?? '')) metas.set('robots', 'noindex');
  return metas;
}

/** Crawlers want absolute image addresses. */
function absoluteImage(theme: Theme, name: string, content: string): string {
  if (!/:image$/.test(name) || /^[a-z][\w+.-]*:/i.test(content)) return content;
  return `${theme.siteUrl}/${encodePath(content.replace(/^\.?\/+/, ''))}`;
}

function favicons(theme: Theme, page: Page): string {
  const { favicon } = theme.siteMap.config;
  if (favicon === null) return '<link rel="icon" href="data:,">';
  const tag = (path: string, media: string): string => {
    const file = path.replace(/^\.?\/+/, '');
    if (!theme.hasAsset(file)) return '';
    const type = /\.svg$/i.test(file) ? ' type="image/svg+xml"' : '';
    return `<link rel="icon" href="${escapeAttribute(relativeLink(page.output, file))}"${type}${media}>`;
  };
  if (favicon.light === favicon.dark) return tag(favicon.light, '');
  return (
    tag(favicon.light, ' media="(prefers-color-scheme: light)"') +
    tag(favicon.dark, ' media="(prefers-color-scheme: dark)"')
  );
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= 300) return line;
  const cut = line.slice(0, 300);
  return `${cut.slice(0, Math.max(200, cut.lastIndexOf(' ')))}…`;
}
