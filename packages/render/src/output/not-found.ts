import { escapeAttribute, escapeText } from '../escape.ts';
import type { RenderedPage } from '../mdx/page.ts';
import { makePage } from '../nav/page.ts';
import type { Page, SiteConfig } from '../site.ts';
import { deriveAccents } from '../theme/color.ts';
import { inlineHtml, inlineText } from '../theme/inline.ts';
import { resolveLink } from '../theme/links.ts';
import { encodePath } from '../theme/paths.ts';
import { documentStart } from '../theme/policy.ts';
import type { Strings } from '../theme/strings.ts';
import type { Theme } from '../theme/theme.ts';
import { stringsFor } from '../theme/words/index.ts';

/** The page whose body is the description of `errors.404`, where that is more than a line of Markdown. */
export function notFoundContent(config: SiteConfig): Page | null {
  const { description } = config.errors['404'];
  if (description === null || !/[<\n{]/.test(description)) return null;
  return makePage({
    path: '404',
    source: config.file,
    readBody: () => description,
    bodyLine: 0,
    frontMatter: { mode: 'custom' },
  });
}

/**
 * `404.html`. Hosts show it at any depth, so nothing in it can be relative: styles are in attributes (the
 * policy allows those only), links are absolute from the configured base path. `content` is the description where
 * it holds components, for which the style sheet of the theme is named too. No automatic redirect, even where the
 * configuration asks for the usual one: a reader who is silently redirected to the home page does not learn that
 * the URL was not found.
 */
export function notFoundPage(theme: Theme, content: RenderedPage | null): string {
  const { config, navigation } = theme.siteMap;
  const language =
    navigation.children.find((node) => node.kind === 'language' && node.isDefault)?.label ?? 'en';
  const strings = stringsFor(language);
  const title = config.errors['404'].title ?? strings.notFound;
  const base = theme.basePath;
  const about =
    content === null
      ? `<p class="not-found-description" style="margin: 0 0 28px; opacity: 0.8">${inlineHtml(config.errors['404'].description ?? strings.notFoundHint, (href) => absoluteLink(theme, href))}</p>`
      : `<div class="not-found-description mdx-content prose" style="margin: 0 0 28px; text-align: start">${absoluteHtml(content.html, base)}</div>`;
  const sheets = [...contentSheets(theme, content), ...ownSheets(theme)]
    .map((path) => `<link rel="stylesheet" href="${escapeAttribute(`${base}/${encodePath(path)}`)}">`)
    .join('');
  const scripts = theme.assets.serviceScripts
    .map((path) => `<script src="${escapeAttribute(`${base}/${encodePath(path)}`)}" defer></script>`)
    .join('');
  const { light, dark } = deriveAccents(config.colors);
  const home = escapeAttribute(`${base}/`);
  return `<!doctype html>
<html lang="${escapeAttribute(language)}" style="color-scheme: light dark; background: light-dark(#fff, #0c0d0f); color: light-dark(#18181b, #e9e9ec)">
<head>${documentStart}<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeText(`${inlineText(title)} - ${config.name}`)}</title><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">${sheets}${scripts}</head>
<body style="margin: 0; min-height: 100vh; display: grid; grid-template-columns: minmax(0, 1fr); place-items: center; font: 16px/1.6 system-ui, sans-serif; overflow-wrap: anywhere">
<main class="not-found-container" style="padding: 32px; max-width: ${content === null ? 544 : 784}px; box-sizing: border-box; width: 100%; text-align: center; text-wrap: balance">
<p class="not-found-status-code" style="margin: 0 0 12px; font: 600 14px/20px ui-monospace, monospace; opacity: 0.7">404</p>
<h1 class="not-found-title" style="margin: 0 0 12px; font-size: 30px; line-height: 1.2; letter-spacing: -0.02em">${inlineHtml(title)}</h1>
${about}
<a href="${home}" style="display: inline-block; padding: 10px 18px; border-radius: 8px; background: light-dark(${light.primary}, ${dark.primary}); color: light-dark(${light.onPrimary}, ${dark.onPrimary}); font-weight: 600; text-decoration: none">${escapeText(strings.home)}</a>
${searchForm(theme, strings)}
</main>
</body>
</html>
`;
}

function contentSheets(theme: Theme, content: RenderedPage | null): string[] {
  if (content === null) return [];
  const own = content.assets.filter(({ kind }) => kind === 'style').map(({ path }) => path);
  return [theme.assets.stylesheet, ...own];
}

/** Style sheets of the site that name parts of this page; others are written for the pages of the theme. */
function ownSheets(theme: Theme): string[] {
  return theme.assets.userStylesheets.filter((path) => theme.readText(path).includes('not-found-'));
}

/** Leads to the home page, which opens the search with these words: nothing of it has to be loaded here. */
function searchForm(theme: Theme, strings: Strings): string {
  const { config, home } = theme.siteMap;
  if (config.excluded.search !== undefined) return '';
  const action = escapeAttribute(`${theme.basePath}/${encodePath(home.output)}`);
  const prompt = escapeAttribute(config.search.prompt ?? strings.searchPrompt);
  const field =
    'padding: 9px 14px; border-radius: 8px; border: 1px solid light-dark(#8b8b95, #71717b); background: transparent; color: inherit; font: inherit';
  return `<form role="search" action="${action}" style="display: flex; gap: 8px; margin: 24px 0 0; justify-content: center"><input type="search" name="search" required placeholder="${prompt}" aria-label="${prompt}" style="${field}; flex: 1; width: 0; min-width: 0"><button style="${field}; font-weight: 600; cursor: pointer">${escapeText(strings.search)}</button></form>`;
}

function absoluteLink(theme: Theme, href: string): { href: string; external: boolean } | null {
  const link = resolveLink(theme, '', href);
  if (link === null || link.external) return link;
  return { href: `${theme.basePath}/${link.href}`, external: false };
}

/** Makes relative URLs of HTML that was written for the root absolute. A `<` that is text is an entity. */
function absoluteHtml(html: string, base: string): string {
  return html.replace(/<[a-z][^<>]*>/gi, (tag) =>
    tag.replace(/ (href|src|poster)="(?![#/]|[a-z][\w+.-]*:)([^"]*)"/gi, ` $1="${escapeAttribute(base)}/$2"`),
  );
}
