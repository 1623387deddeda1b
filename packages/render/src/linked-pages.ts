import { isObject } from './config/json.ts';
import { createSiteContext, renderPageContent, type SiteContext } from './mdx/page.ts';
import { resolveLink } from './mdx/write/links.ts';
import { linkTarget } from './nav/page.ts';
import { isPattern, matchPattern, parsePattern } from './nav/path-pattern.ts';
import { expandRedirects } from './nav/redirects.ts';
import type { FindLinked } from './nav/site-map.ts';
import type { Page, Redirect, SiteMap } from './site.ts';
import type { SourceTree } from './source.ts';

/** Keys of docs.json whose values are links of every page. */
const LINK_KEYS: ReadonlySet<string> = new Set(['href', 'url', 'link', 'destination']);
/** A link in a line of Markdown. */
const MARKDOWN_LINK = /\]\(\s*([^\s)]{1,2000})/g;

/**
 * Finds what a site needs of folders such as `build`: the pages and files that its configuration, its redirects and its
 * pages lead to, then what those lead to. Pages that may name such a folder are rendered, so that every way to write
 * a link counts.
 */
export function linkedPages(source: SourceTree): FindLinked {
  return (siteMap, linkable) => {
    const linked = new Set<string>();
    const byOutput = new Map(siteMap.pages.map((page) => [page.output, page]));
    const open: Page[] = [];
    const visit = (output: string): void => {
      if (!linkable.has(output) || linked.has(output)) return;
      linked.add(output);
      const page = byOutput.get(output);
      if (page !== undefined) open.push(page);
    };
    const quiet = (): undefined => undefined;
    const redirects = expandRedirects(siteMap.config.redirects, siteMap, quiet).rules;
    const context = createSiteContext({ source, siteMap, redirects, highlight: false, visit, warn: quiet });
    const mayLink = nameSearch(siteMap, linkable, source);
    visitConfiguration(siteMap, linkable, context);
    open.push(...siteMap.pages.filter((page) => !linkable.has(page.output) && mayLink(page)));
    for (let page = open.pop(); page !== undefined; page = open.pop()) visitPage(page, context);
    return linked;
  };
}

function visitPage(page: Page, context: SiteContext): void {
  const target = linkTarget(page.front);
  if (target !== null) visitLink(target, page, context);
  else renderPageContent(page, context);
  for (const [, href = ''] of (page.description ?? '').matchAll(MARKDOWN_LINK))
    visitLink(href, page, context);
}

function visitLink(href: string, page: Page, context: SiteContext): void {
  resolveLink(href, { page, file: page.source ?? page.path, line: null }, context, []);
}

/** Links of docs.json: on every page, and of redirects. */
function visitConfiguration(siteMap: SiteMap, linkable: ReadonlySet<string>, context: SiteContext): void {
  const { home, config } = siteMap;
  const open: unknown[] = [config.raw];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (!isObject(value) && !Array.isArray(value)) continue;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member !== 'string') open.push(member ?? false);
      else if (LINK_KEYS.has(key)) visitLink(member, home, context);
      else for (const [, href = ''] of member.matchAll(MARKDOWN_LINK)) visitLink(href, home, context);
    }
  }
  for (const { destination } of siteMap.linkPages) visitLink(destination, home, context);
  for (const redirect of config.redirects) visitPattern(redirect, siteMap, linkable, context);
}

/** All pages that a pattern can mean which names their folder. */
function visitPattern(
  { destination }: Redirect,
  siteMap: SiteMap,
  linkable: ReadonlySet<string>,
  context: SiteContext,
): void {
  const pattern = isPattern(destination) ? parsePattern(destination.replace(/[?#].*$/s, '')) : null;
  if (pattern?.segments[0]?.kind !== 'text') return;
  for (const { path, output } of siteMap.pages)
    if (linkable.has(output) && matchPattern(pattern, path) !== null) context.visit?.(output);
}

/**
 * Whether a page can lead into one of the folders: it is in one, or its text, a variable or a snippet that it can show
 * names one. A redirect from another name counts by its destination.
 */
function nameSearch(
  { config, snippets }: SiteMap,
  linkable: ReadonlySet<string>,
  source: SourceTree,
): (page: Page) => boolean {
  const folders = new Set([...linkable].map(firstSegment));
  const names = [...folders].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const pattern = new RegExp(
    `(?:[/\\\\("'\`=<]|\\]:\\s{0,99})(?:${names})(?:[/\\\\)"'\`#?>\\s]|$)|(?:${names})[/\\\\]`,
    'i',
  );
  const isNamed = (text: string): boolean => pattern.test(text);
  const isShared =
    Object.values(config.variables).some((value) => isNamed(`/${value}`)) ||
    snippets.some((file) => isNamed(source.readText(file)));
  return (page) => {
    const body = page.readBody();
    const isOfShared = isShared && /import|<Snippet|\{\{/.test(body);
    // Its relative links do not name the folder.
    const isInside = folders.has(firstSegment(page.output));
    return isInside || isOfShared || isNamed(body) || isNamed(page.description ?? '');
  };
}

function firstSegment(output: string): string {
  return output.replace(/(?:\/.*|\.html)$/s, '');
}
