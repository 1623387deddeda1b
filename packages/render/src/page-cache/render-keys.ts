import { hash } from 'node:crypto';
import { BODY_CONFIG } from '../mdx/body-site.ts';
import type { OpenSite, SiteOptions } from '../open-site.ts';
import type { Page, SchemaPage, SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { mcpUrl } from '../theme/mcp-entries.ts';
import { pageLanguage } from '../theme/place.ts';
import type { PageCache } from './page-cache.ts';

/** Changes with what is stored of a render. */
const FORMAT = 3;

/** Files that only the pages which show them depend on: those of pages, and what pages import. */
export const pageFiles = ({ pages, snippets }: SiteMap): Set<string> =>
  new Set([...pages.flatMap(({ source }) => source ?? []), ...snippets]);

/** Keys of a render: equal ones mean equal output. */
export interface RenderKeys {
  /** All that any page can depend on, besides the texts and dates of the others. */
  site: string;
  /** What bodies of pages depend on, besides their own page and the files that they import. */
  bodies: string;
  /** For each page, what its body depends on besides that and the files that it imports. */
  pages: readonly string[];
}

export function renderKeys(
  site: Pick<OpenSite, 'siteMap' | 'theme' | 'redirects'>,
  source: SourceTree,
  cache: PageCache,
  options: SiteOptions & { encoder: string | null },
): RenderKeys {
  const { pages } = site.siteMap;
  const facts = pages.map((page) => factsOf(page, site.siteMap));
  const bodies = bodiesKey(site, source, cache, options);
  const byPath = digestsByPath(source, cache);
  const { linkPages, snippets, config } = site.siteMap;
  return {
    bodies,
    site: digest([bodies, config.files.map((file) => byPath.get(file)), linkPages, snippets, facts]),
    pages: pages.map((page, number) => {
      const content = page.source === null ? '' : byPath.get(page.source);
      return hash('sha256', `${content}\n${page.modified}\n${facts[number]}`).slice(0, 32);
    }),
  };
}

/** As the own key of a page, for one of a schema. */
export const schemaKey = ({ page, file, name }: SchemaPage, siteMap: SiteMap): string =>
  digest([file, name, factsOf(page, siteMap)]).slice(0, 32);

/** Key of a page by its own one and the digests of the files that it imports. */
export const withImports = (key: string, digests: readonly string[]): string =>
  digests.length === 0 ? key : hash('sha256', [key, ...digests].join('\n')).slice(0, 32);

const digest = (value: unknown): string => hash('sha256', JSON.stringify(value));

export const digestsByPath = (
  { paths }: SourceTree,
  { digests }: Pick<PageCache, 'digests'>,
): Map<string, string> => new Map(paths.map((path, at) => [path, digests[at] ?? '']));

/** All that `SiteState` gives to bodies: `BodySite`, the files of the source, redirects, variants of images, URLs. */
function bodiesKey(
  { siteMap, theme, redirects }: Pick<OpenSite, 'siteMap' | 'theme' | 'redirects'>,
  source: SourceTree,
  { program, digests }: PageCache,
  options: SiteOptions & { encoder: string | null },
): string {
  const { siteUrl, paths, includeUnlisted, groups, publicOnly, lastModified, highlight, excluded, services } =
    options;
  const settings = {
    ...{ siteUrl, paths, includeUnlisted, groups, publicOnly, lastModified, highlight, excluded, services },
    ...(options.encoder === null ? {} : { encoder: options.encoder }),
  };
  const { config } = siteMap;
  const keyless = new Set([...pageFiles(siteMap), ...config.files]);
  const files = source.paths.map((path, at) => [path, keyless.has(path) ? '' : digests[at]]);
  const pages = siteMap.pages.map(
    ({ path, output, source: file, operation, channel, front, frontMatter }) => [
      path,
      output,
      file,
      operation,
      channel,
      front.rss,
      typeof frontMatter.openapi === 'string',
    ],
  );
  return digest([
    [FORMAT, program, settings, files, pages],
    [BODY_CONFIG.map((key) => config[key]), config.images],
    [siteMap.assets, siteMap.home.path, [...siteMap.folderStarts].map(([path, page]) => [path, page.path])],
    [redirects.exact, redirects.patterns],
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
