import { fittingOrigins } from '@offprint/bundle/policy';
import { copyText } from './copy-text.ts';
import type { RenderedPage } from './mdx/page.ts';
import { fieldsOutput } from './nav/schema-page.ts';
import { type OpenSite, openSite, type SiteOptions } from './open-site.ts';
import { emitAssets, isReserved } from './output/assets.ts';
import { createEmitter, type Emitter } from './output/emitter.ts';
import { type PageFeed, pageFeed } from './output/feed.ts';
import { headersFile } from './output/headers.ts';
import { licenses } from './output/licenses.ts';
import { llmsFull, llmsIndex, llmsPages, markdownTwin, type PageText } from './output/llms.ts';
import { emitRedirects, homeStub } from './output/redirects.ts';
import { indexablePages, robots, sitemap } from './output/sitemap.ts';
import { emitSkills, findSkills } from './output/skills.ts';
import { createPageWriter, createTwinWriter, fieldsScript } from './output/write-pages.ts';
import { addAsset, type PageAsset } from './page-asset.ts';
import { checkExamples } from './reference/examples/check.ts';
import { createRemoteFiles, type FetchRemote, type RemoteFiles } from './remote/remote-files.ts';
import { fetchSiteFiles } from './remote/site-files.ts';
import { createSearchIndex, type SearchIndex } from './search/search-index.ts';
import type { NavKind, NavNode, Page, Redirect } from './site.ts';
import type { SourceTree } from './source.ts';
import { feedOutput, hasFeed, markdownOutput } from './theme/addresses.ts';
import type { Theme, ThemeFile } from './theme/index.ts';
import { sortWarnings, type Warn, type Warning } from './warning.ts';

export interface RenderOptions extends SiteOptions {
  /**
   * Gets files of other hosts that the site names, so that the output holds copies; by default none is fetched, and
   * what is not there is a link and a warning.
   */
  fetchRemote?: FetchRemote;
  /** Takes each output file once, in an order that depends on the source only. */
  emit(path: string, content: string | Uint8Array): void;
  /** Takes files of some megabytes instead of `emit`; the next file comes when it resolves. */
  emitLarge?(path: string, content: string | Uint8Array): Promise<void>;
  /** Called at the start of each page, with its source file or its path, and with null after the last one. */
  onPage?(file: string | null): void;
  /** Called at least once a page and once with the total before the first page. */
  onProgress?(progress: { rendered: number; total: number }): void;
}

export interface RenderResult {
  pageCount: number;
  warnings: Warning[];
  site: {
    name: string;
    description: string | null;
    /** Start of absolute URLs of the site; null where it is not known and the output has none. */
    url: string | null;
    languages: string[];
    versions: string[];
  };
  /**
   * Redirects after expansion over the known pages, then the patterns as written. Sources and destinations are
   * site-absolute paths or URLs.
   */
  redirects: Redirect[];
  /** Whether pages have a playground, and the origins to which they send requests. */
  playground: { isIncluded: boolean; connect: readonly string[] };
}

/** Pages between two turns of the event loop, so that progress is reported and files are written while a large site renders. */
const BATCH = 16;

/** Renders a site. Throws SourceError when the source cannot be exported at all; a bad page is a warning. */
export async function renderSite(options: RenderOptions): Promise<RenderResult> {
  const collected: Warning[] = [];
  const remote = createRemoteFiles(options.fetchRemote);
  const warn: Warn = (warning) => void collected.push(withUrl(warning, remote, options.source));
  const source =
    options.fetchRemote === undefined ? options.source : await fetchSiteFiles(options.source, remote, warn);
  const site = openSite({ ...options, source }, warn, remote);
  const { siteMap, theme, redirects } = site;
  const emitter = createEmitter(options, warn);
  const search = createSearchIndex(siteMap, ({ path, content }) => emitter.derive(path, content));
  const { texts, assets, feeds, playground } = await emitPages(site, remote, search, emitter, warn, options);

  checkExamples(siteMap, source, warn);
  const { skills, withheld } = findSkills(source, options.groups ?? [], warn);
  await emitAssets(siteMap, source, remote, withheld, emitter, warn);
  emitSkills(skills, source, theme.basePath, emitter);
  for (const file of remote.files()) emitter.derive(file.path, file.content);
  const themeFiles = site.themeFiles();
  for (const file of themeFiles) emitter.derive(file.path, file.content);
  const notFound = site.notFound();
  emitter.derive('404.html', notFound.html);
  for (const asset of notFound.assets) addAsset(assets, asset);
  await emitPageAssets(assets, emitter);
  if (!emitter.has('index.html')) emitter.derive('index.html', homeStub(theme));
  emitRedirects(theme, redirects, emitter);
  for await (const file of site.previews.draw()) {
    emitter.derive(file.path, file.content);
    await turn();
  }
  for (const feed of feeds) emitter.derive(feedOutput(feed.page), pageFeed(theme, feed));
  await emitDerived(theme, texts, themeFiles, playground.connect, emitter);
  if (siteMap.config.excluded.search === undefined) await emitSearch(search, emitter);

  const { config } = siteMap;
  return {
    pageCount: siteMap.pages.length,
    warnings: sortWarnings(collected),
    site: {
      name: config.name,
      description: config.description,
      url: theme.siteUrl,
      languages: labels(siteMap.navigation, 'language'),
      versions: labels(siteMap.navigation, 'version'),
    },
    redirects: [...redirects.exact, ...redirects.patterns],
    playground,
  };
}

/** Authors know a downloaded file by its URL, which the configuration names. */
function withUrl(warning: Warning, remote: RemoteFiles, source: SourceTree): Warning {
  const url = remote.urlOf(warning.file);
  if (url === null) return warning;
  const { line, code, message } = warning;
  const place = line === null ? '' : `, line ${line}`;
  const file = source.has('docs.json') ? 'docs.json' : 'mint.json';
  return { file, line: null, code, message: `In ${url.slice(0, 200)}${place}: ${message}` };
}

async function emitPages(
  site: OpenSite,
  remote: RemoteFiles,
  search: SearchIndex,
  emitter: Emitter,
  warn: Warn,
  { onProgress, onPage }: Pick<RenderOptions, 'onProgress' | 'onPage'>,
): Promise<{
  texts: Map<Page, PageText>;
  assets: Map<string, PageAsset>;
  feeds: PageFeed[];
  playground: RenderResult['playground'];
}> {
  const { pages, config } = site.siteMap;
  const hasSearch = config.excluded.search === undefined;
  const total = pages.length;
  const texts = new Map<Page, PageText>();
  const assets = new Map<string, PageAsset>();
  const feeds: PageFeed[] = [];
  const connect = new Set<string>();
  let isIncluded = false;
  const write = createPageWriter(site, emitter);
  const twins = createTwinWriter(site, emitter);
  const waiting: Page[] = [];
  const take = (page: Page, content: RenderedPage): void => {
    const description =
      page.description === null && content.description !== null ? copyText(content.description) : null;
    const text = { page, markdown: content.markdown, description };
    if (twins.needsText(page)) texts.set(page, text);
    for (const asset of content.assets) addAsset(assets, asset);
    isIncluded ||= content.playground !== null;
    for (const origin of content.playground?.connect ?? []) connect.add(origin);
    if (hasSearch) search.add(page, content.sections);
    if (hasFeed(page, content.feed)) feeds.push({ page, entries: content.feed });
    write.page(page, content);
    twins.write(text);
  };
  let rendered = 0;
  const step = async (): Promise<void> => {
    onProgress?.({ rendered: ++rendered, total });
    if (rendered % BATCH === 0) await turn();
  };
  onProgress?.({ rendered, total });
  for (const page of pages) {
    onPage?.(page.source ?? page.path);
    const { misses } = remote;
    const content = isReserved(page.output) ? null : site.content(page);
    if (content === null) warnReserved(page, warn);
    else if (remote.misses > misses) {
      waiting.push(page);
      continue;
    } else take(page, content);
    await step();
  }
  onPage?.(null);
  // Copies of files are known only after all pages have named theirs, so that they are fetched at once.
  if (waiting.length > 0) await remote.load();
  for (const page of waiting) {
    onPage?.(page.source ?? page.path);
    take(page, site.content(page));
    await step();
  }
  // Their content can refer to more of them.
  for (const { page } of site.siteMap.schemaPages.values()) {
    onPage?.(page.path);
    const content = site.content(page);
    take(page, content);
    emitter.derive(fieldsOutput(page), fieldsScript(content));
    if (++rendered % BATCH === 0) await turn();
  }
  onPage?.(null);
  await write.rest(warn, turn);
  return {
    texts,
    assets,
    feeds,
    playground: { isIncluded, connect: fittingOrigins([...connect].sort()) },
  };
}

/** What only some pages load, by path: the order of first use would change with the pages that are rendered. */
async function emitPageAssets(assets: ReadonlyMap<string, PageAsset>, emitter: Emitter): Promise<void> {
  for (const path of [...assets.keys()].sort()) {
    const asset = assets.get(path);
    if (asset === undefined) continue;
    emitter.derive(path, await asset.content());
    for (const file of asset.files ?? []) {
      if (!emitter.has(file.path)) emitter.derive(file.path, await file.content());
    }
  }
}

async function emitSearch(search: SearchIndex, emitter: Emitter): Promise<void> {
  for (const [at, file] of search.files().entries()) {
    emitter.derive(file.path, file.content);
    if ((at + 1) % BATCH === 0) await turn();
  }
}

/** Lets the event loop run: the receiver of the files compresses them at the same time. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Files generated from the pages; source files with these names win. */
async function emitDerived(
  theme: Theme,
  texts: ReadonlyMap<Page, PageText>,
  files: readonly ThemeFile[],
  connect: readonly string[],
  emitter: Emitter,
): Promise<void> {
  for (const [page, text] of texts) {
    const path = markdownOutput(page);
    if (!emitter.has(path)) emitter.derive(path, markdownTwin(theme, text));
  }
  const indexable = indexablePages(theme);
  const listed = llmsPages(theme, indexable);
  for (const { path, content } of sitemap(theme, indexable)) emitter.derive(path, content);
  emitter.derive('robots.txt', robots(theme));
  const index = llmsIndex('llms.txt', theme, texts, listed);
  emitter.derive('llms.txt', index);
  const path = '.well-known/llms.txt';
  emitter.derive(path, theme.siteUrl === null ? llmsIndex(path, theme, texts, listed) : index);
  await emitter.deriveLarge('llms-full.txt', llmsFull(theme, texts, listed));
  emitter.derive('_headers', headersFile(theme, files, connect));
  emitter.derive('_offprint/licenses.txt', licenses());
}

function warnReserved(page: Page, warn: Warn): void {
  warn({
    file: page.source ?? page.path,
    line: null,
    code: 'reserved-path',
    message: 'The path is reserved for files of the export, so the page was excluded. Rename it.',
  });
}

function labels(root: NavNode, kind: NavKind): string[] {
  const found = new Set<string>();
  const visit = (node: NavNode): void => {
    if (node.kind === kind) found.add(node.label);
    for (const child of node.children) visit(child);
  };
  visit(root);
  return [...found];
}
