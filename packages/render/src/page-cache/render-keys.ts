import { hash } from 'node:crypto';
import { BODY_CONFIG, descriptionFiles } from '../mdx/body-site.ts';
import type { OpenSite, SiteOptions } from '../open-site.ts';
import type { Page, SchemaPage, SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { mcpUrl } from '../theme/mcp-entries.ts';
import { pageLanguage } from '../theme/place.ts';
import type { PageCache } from './page-cache.ts';

/** Changes with what is stored of a render. */
const FORMAT = 7;

/** Keys of a render: equal ones mean equal output. */
export interface RenderKeys {
  /** All that any page can depend on, besides the texts and dates of the others. */
  site: string;
  /** What bodies of pages depend on, besides their own page, the files that they show, and names (`names.ts`). */
  bodies: string;
  /** For each page, what its body depends on besides that. */
  pages: readonly string[];
  /** What pages with links that redirects decide depend on. */
  redirects: string;
}

export function renderKeys(
  site: Pick<OpenSite, 'siteMap' | 'theme' | 'redirects' | 'codeClasses'>,
  source: SourceTree,
  cache: PageCache,
  options: SiteOptions & { encoder: string | null },
): RenderKeys {
  const { pages } = site.siteMap;
  const facts = pages.map((page) => factsOf(page, site.siteMap));
  const byPath = digestsByPath(source, cache);
  const bodies = bodiesKey(site, cache, options);
  const redirects = digest([site.redirects.exact, site.redirects.patterns]);
  const { linkPages, snippets, config } = site.siteMap;
  const described = JSON.stringify(descriptionFiles(site.siteMap));
  return {
    bodies,
    redirects,
    site: digest([
      bodies,
      redirects,
      config.files.map((file) => byPath.get(file)),
      linkPages,
      snippets,
      facts,
      site.theme.assets,
    ]),
    pages: pages.map((page, number) => {
      const content = page.source === null ? '' : byPath.get(page.source);
      const named = page.front['openapi-schema'] === null ? '' : described;
      return hash('sha256', `${content}\n${page.modified}\n${named}${facts[number]}`).slice(0, 32);
    }),
  };
}

/** As the own key of a page, for one of a schema. */
export const schemaKey = ({ page, file, name }: SchemaPage, siteMap: SiteMap): string =>
  digest([file, name, factsOf(page, siteMap)]).slice(0, 32);

/** Key of a page by its own one and those of what else it shows. */
export const withShown = (key: string, digests: readonly string[]): string =>
  digests.length === 0 ? key : hash('sha256', [key, ...digests].join('\n')).slice(0, 32);

const digest = (value: unknown): string => hash('sha256', JSON.stringify(value));

export const digestsByPath = (
  { paths }: SourceTree,
  { digests }: Pick<PageCache, 'digests'>,
): Map<string, string> => new Map(paths.map((path, at) => [path, digests[at] ?? '']));

/** All that `SiteState` gives to bodies: `BodySite`, the files of the source, variants of images, URLs. */
function bodiesKey(
  { siteMap, theme, codeClasses }: Pick<OpenSite, 'siteMap' | 'theme' | 'codeClasses'>,
  { program }: PageCache,
  options: SiteOptions & { encoder: string | null },
): string {
  const { siteUrl, paths, includeUnlisted, groups, publicOnly, lastModified, highlight, excluded, services } =
    options;
  const settings = {
    ...{ siteUrl, paths, includeUnlisted, groups, publicOnly, lastModified, highlight, excluded, services },
    ...(options.encoder === null ? {} : { encoder: options.encoder }),
  };
  const { config } = siteMap;
  const { home } = siteMap;
  return digest([
    [FORMAT, program, settings, config.files],
    [BODY_CONFIG.map((key) => config[key]), config.images],
    [home.path, ...codeClasses],
    [theme.siteUrl, theme.basePath, theme.services, mcpUrl(theme)],
  ]);
}

/** What a page says of itself, with its place in the navigation as far as its text and the search show it. */
function factsOf(page: Page, siteMap: SiteMap): string {
  const labels = page.trail.map(({ kind, label }) =>
    kind === 'root' || kind === 'page' ? kind : [kind, label],
  );
  // Members that are undefined are not in the JSON; objects without some members take twice the time.
  const without = { trail: undefined, previous: undefined, next: undefined, modified: undefined };
  return JSON.stringify([{ ...page, ...without }, labels, pageLanguage(siteMap, page)?.label]);
}
