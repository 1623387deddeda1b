import { fittingOrigins } from '@offprint/bundle/policy';
import { readReviewFiles } from './check/review-files.ts';
import { copyText } from './copy-text.ts';
import type { OpenEncoder } from './images/encoder.ts';
import { openImages, type SiteImages } from './images/site-images.ts';
import { noLookups } from './mdx/lookups.ts';
import type { RenderedPage } from './mdx/page.ts';
import { inDescription } from './nav/generated-warning.ts';
import type { PageAccess } from './nav/page-access.ts';
import { fieldsOutput } from './nav/schema-page.ts';
import { type OpenSite, openSite, type SiteOptions } from './open-site.ts';
import { assetsOf, isReserved } from './output/assets.ts';
import { createEmitter, type Emitter } from './output/emitter.ts';
import { type PageFeed, pageFeed } from './output/feed.ts';
import { headersFile } from './output/headers.ts';
import { licenses } from './output/licenses.ts';
import { anchorFacts, collectLinkFacts, type LinkFacts } from './output/link-facts.ts';
import {
  joinLlms,
  KNOWN_PART,
  llmsIndex,
  llmsPages,
  llmsPart,
  llmsParts,
  markdownTwin,
  type PageAbout,
  type PageText,
} from './output/llms.ts';
import { emitRedirects, homeStub } from './output/redirects.ts';
import { indexablePages, robots, sitemap } from './output/sitemap.ts';
import { emitSkills, findSkills } from './output/skills.ts';
import { createPageWriter, createTwinWriter, fieldsScript } from './output/write-pages.ts';
import { addAsset, type PageAsset } from './page-asset.ts';
import type { KnownPage } from './page-cache/known-page.ts';
import { openCache } from './page-cache/open-cache.ts';
import type { PageCache } from './page-cache/page-cache.ts';
import { createPageStore, type NewPage, type PageStore } from './page-cache/page-store.ts';
import { StaleRenderError } from './page-cache/stale-render.ts';
import type { Step } from './page-cache/steps.ts';
import { checkExamples } from './reference/examples/check.ts';
import { openLinkPlaces } from './reference/link-places.ts';
import { createRemoteFiles, type FetchRemote, type RemoteFiles } from './remote/remote-files.ts';
import { fetchSiteFiles } from './remote/site-files.ts';
import type { SectionTexts } from './search/index-set.ts';
import { createSearchIndex, type SearchIndex } from './search/search-index.ts';
import type { Services } from './services/services.ts';
import type { NavKind, NavNode, Page, Redirect } from './site.ts';
import type { SourceTree } from './source.ts';
import type { AddedFile, PiecedFile, StoredFile } from './stored-file.ts';
import { feedOutput, hasFeed, markdownOutput } from './theme/addresses.ts';
import type { Theme } from './theme/index.ts';
import { sortWarnings, type Warn, type Warning } from './warning.ts';

export interface RenderOptions extends SiteOptions {
  /**
   * Gets files of other hosts that the site names, so that the output holds copies; by default none is fetched, and
   * what is not there is a link and a warning.
   */
  fetchRemote?: FetchRemote;
  /** Opens what encodes variants of images, for sites that ask for them; by default pages show the originals. */
  openEncoder?: OpenEncoder;
  /** Takes each output file once, in an order that depends on the source only. Returns what a packer knows of it. */
  emit(path: string, content: string | Uint8Array): AddedFile | undefined;
  /** Takes files of some megabytes instead of `emit`, with a cache also in pieces; the next file comes when it resolves. */
  emitLarge?(path: string, content: string | Uint8Array | PiecedFile): Promise<AddedFile | undefined>;
  /**
   * Where pages are kept from one render to the next; pages that are the same are not rendered again. `emit` must return
   * what the packer knows of each file then. Not used with `fetchRemote`: files of other hosts can change at any time.
   */
  cache?: PageCache;
  /** Takes a file that the earlier render emitted instead of `emit`. */
  emitStored?(path: string, content: StoredFile): AddedFile | undefined;
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
  /** What pages say of their readers. */
  access: PageAccess;
  /** Whether pages have a playground, and the origins to which they send requests. */
  playground: { isIncluded: boolean; connect: readonly string[] };
  /** Services of the platform that pages use. */
  services: Services;
  /** Where pages, anchors and redirects are in the source (`output/link-facts.ts`). */
  links: string;
  /** What has encoded the variants of images; null for a site without variants. */
  encoder: string | null;
  /** Whether another render of the same source with the same encoder gives the same bytes: no limit of the machine was met. */
  isFinal: boolean;
  /** Pages that were rendered; the others are those of the earlier render. */
  renderedPages: number;
  /** What the next render with the cache needs (`EarlierRender.state`); null without one. */
  state: string | null;
}

/** Pages between two turns of the event loop, so that progress is reported and files are written while a large site renders. */
const BATCH = 16;

/** Renders a site. Throws SourceError when the source cannot be exported at all; a bad page is a warning. */
export async function renderSite(options: RenderOptions): Promise<RenderResult> {
  const collected: Warning[] = [];
  const remote = createRemoteFiles(options.fetchRemote);
  const { cache } = options;
  const opening =
    cache === undefined || options.fetchRemote !== undefined ? null : openCache(cache, options.source);
  const warn: Warn = (warning) => {
    collected.push(withUrl(warning, remote, options.source));
    opening?.watch.warn(warning);
  };
  const own = opening?.watch.source ?? options.source;
  const source = options.fetchRemote === undefined ? own : await fetchSiteFiles(own, remote, warn);
  const lookups = opening?.watch.lookups ?? noLookups;
  const seen = opening === null ? {} : { heads: opening.heads, lookups };
  const opened = openSite({ ...options, source, ...seen }, warn, remote);
  const site = opening?.watch.over(opened) ?? opened;
  const { siteMap, theme, redirects } = site;
  const { config } = siteMap;
  const images = await openImages(config, source, options.openEncoder, warn);
  site.useImages(images);
  const { encoder } = images;
  const store = opening === null ? null : createPageStore(site, opening, { ...options, encoder }, warn);
  const emitter = createEmitter(options, warn);
  const search = createSearchIndex(
    siteMap,
    ({ path, content }) => emitter.derive(path, content),
    (language) => store?.keptIndex(language, emitter.derive) ?? null,
  );
  /** Runs a step, or emits what it emitted in the earlier render of the same. */
  const repeat: Repeat = async (step) => (store === null ? step.run(emitter) : store.repeat(step, emitter));
  const themeFiles = once(site.themeFiles);
  const links = collectLinkFacts(siteMap);
  const made = await emitPages({ site, remote, images, search, emitter, store, links, warn, options });
  if (images.isStale) throw new StaleRenderError();
  links.redirects([...redirects.exact, ...redirects.patterns]);
  links.review(readReviewFiles(source, warn));
  const { assets, feeds, playground } = made;

  await emitFiles({ site, source, remote, emitter, store, repeat, warn, options });
  for (const file of remote.files()) emitter.derive(file.path, file.content);
  await repeat({
    name: 'theme',
    needs: 'site',
    key: '',
    run(to) {
      for (const file of themeFiles()) to.derive(file.path, file.content);
    },
  });
  const notFound = site.notFound();
  emitter.derive('404.html', notFound.html);
  for (const asset of notFound.assets) addAsset(assets, asset);
  await emitPageAssets(assets, emitter, store);
  // a stub would show which page is the first of all
  if (!emitter.has('index.html') && options.publicOnly !== true)
    emitter.derive('index.html', homeStub(theme));
  await repeat({
    name: 'redirects',
    needs: 'site',
    key: '',
    run: (to) => emitRedirects(theme, redirects, to),
  });
  for await (const file of site.previews.draw((path) => store?.earlier(path) ?? null)) {
    emitter.derive(file.path, file.content);
    await turn();
  }
  for (const feed of feeds) emitter.derive(feedOutput(feed.page), pageFeed(theme, feed));
  await emitDerived(theme, made, emitter, store, repeat);
  const { connect } = playground;
  await repeat({
    name: 'headers',
    needs: 'site',
    key: JSON.stringify(connect),
    run(to) {
      to.derive('_headers', headersFile(theme, themeFiles(), connect));
      to.derive('_offprint/licenses.txt', licenses());
    },
  });
  if (siteMap.config.excluded.search === undefined) await emitSearch(search, emitter);

  const placed = openLinkPlaces(lookups.descriptions.of(source));
  return {
    pageCount: siteMap.pages.length,
    warnings: sortWarnings(collected.map((warning) => placed(inDescription(warning, siteMap)))),
    site: siteFacts(theme),
    redirects: [...redirects.exact, ...redirects.patterns],
    access: siteMap.access,
    playground,
    services: theme.services,
    links: links.text(),
    encoder,
    isFinal: images.isFinal,
    renderedPages: store?.rendered() ?? siteMap.pages.length,
    state: images.isFinal ? (store?.end() ?? null) : null,
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

interface PageTask {
  site: OpenSite;
  remote: RemoteFiles;
  images: SiteImages;
  search: SearchIndex;
  emitter: Emitter;
  store: PageStore | null;
  links: LinkFacts;
  warn: Warn;
  options: Pick<RenderOptions, 'onProgress' | 'onPage'>;
}

/** What files of the whole site need of its pages. */
interface MadePages {
  abouts: ReadonlyMap<Page, PageAbout>;
  /** Texts of rendered pages that are needed later. */
  texts: ReadonlyMap<Page, PageText>;
  assets: Map<string, PageAsset>;
  feeds: readonly PageFeed[];
  playground: RenderResult['playground'];
}

/** Writes pages, and collects what files of the whole site need of them. */
function createPageSink({ site, search, emitter, store, links }: PageTask) {
  const hasSearch = site.siteMap.config.excluded.search === undefined;
  const abouts = new Map<Page, PageAbout>();
  const texts = new Map<Page, PageText>();
  const assets = new Map<string, PageAsset>();
  const feeds: PageFeed[] = [];
  const connect = new Set<string>();
  let isIncluded = false;
  const write = createPageWriter(site, emitter, { onWritten: store?.written });
  const twins = createTwinWriter(site, emitter);
  const collect = (
    page: Page,
    content: Pick<KnownPage, 'assets' | 'connect' | 'description' | 'feed'>,
  ): PageAbout => {
    const description =
      page.description === null && content.description !== null ? copyText(content.description) : null;
    const about = { page, description };
    abouts.set(page, about);
    for (const asset of content.assets) addAsset(assets, asset);
    isIncluded ||= content.connect !== null;
    for (const origin of content.connect ?? []) connect.add(origin);
    if (hasFeed(page, content.feed)) feeds.push({ page, entries: content.feed });
    return about;
  };
  const addSections = (page: Page, { sections }: RenderedPage): SectionTexts | null => {
    if (!hasSearch) return null;
    if (store !== null) return search.addAs(store.idOf(page), page, sections);
    search.add(page, sections);
    return null;
  };
  return {
    add(page: Page, content: RenderedPage): NewPage {
      const about = collect(page, { ...content, connect: content.playground?.connect ?? null });
      const text = { ...about, markdown: content.markdown };
      links.page(page, anchorFacts(page, content));
      if (twins.needsText(page)) texts.set(page, text);
      const sections = addSections(page, content);
      const document = write.page(page, content);
      return { content, sections, document, twin: twins.write(text) };
    },
    /** Adds a page of the earlier render. */
    addKnown(page: Page, known: KnownPage): void {
      collect(page, known);
      links.page(page, known.anchors);
      if (known.sections !== null) search.addKnown(page, known.sections);
      write.known(page, known, known.document);
      twins.writeKnown(page, known.twin);
    },
    rest: write.rest,
    end: (): MadePages => ({
      abouts,
      texts,
      assets,
      feeds,
      playground: { isIncluded, connect: fittingOrigins([...connect].sort()) },
    }),
  };
}

/**
 * The body of a page. At the first image that has to be encoded, all later pages are rendered to find theirs, so that all
 * are encoded at once and pages still come in their order.
 */
async function contentWithImages(page: Page, task: PageTask): Promise<RenderedPage> {
  const { site, images, store, options } = task;
  const { pages } = site.siteMap;
  const ask = (one: Page): RenderedPage => images.during('ask', () => site.content(one));
  const { misses } = images;
  const content = ask(page);
  if (images.misses === misses) return content;
  for (const [at, later] of pages.slice(pages.indexOf(page) + 1).entries()) {
    if (store?.isKnown(later) === true || isReserved(later.output)) continue;
    options.onPage?.(later.source ?? later.path);
    ask(later);
    if (at % BATCH === 0) await turn();
  }
  options.onPage?.(null);
  await images.load();
  return ask(page);
}

async function emitPages(task: PageTask): Promise<MadePages> {
  const { site, remote, images, store, warn } = task;
  const { onProgress, onPage } = task.options;
  const { pages } = site.siteMap;
  const total = pages.length;
  const sink = createPageSink(task);
  const waiting: Page[] = [];
  let rendered = 0;
  const step = async (): Promise<void> => {
    onProgress?.({ rendered: ++rendered, total });
    if (rendered % BATCH === 0) await turn();
  };
  onProgress?.({ rendered, total });
  for (const page of pages) {
    onPage?.(page.source ?? page.path);
    const { misses } = remote;
    const known = store?.find(page) ?? null;
    const isLeftOut = isReserved(page.output);
    const content = known === null && !isLeftOut ? await contentWithImages(page, task) : null;
    if (isLeftOut) warnReserved(page, warn);
    if (known !== null) sink.addKnown(page, known);
    else if (content !== null && remote.misses > misses) {
      waiting.push(page);
      continue;
    } else {
      const made = content === null ? null : sink.add(page, content);
      store?.add(page, made);
    }
    await step();
  }
  onPage?.(null);
  // Copies of files are known only after all pages have named theirs, so that they are fetched at once.
  if (waiting.length > 0) await remote.load();
  for (const page of waiting) {
    onPage?.(page.source ?? page.path);
    sink.add(
      page,
      images.during('settle', () => site.content(page)),
    );
    await step();
  }
  let schemas = 0;
  // Their content can refer to more of them.
  for (const { page } of site.siteMap.schemaPages.values()) {
    addSchemaPage(page, task, sink);
    if (++schemas % BATCH === 0) await turn();
  }
  onPage?.(null);
  store?.endPages();
  await sink.rest(warn, turn);
  return sink.end();
}

function addSchemaPage(
  page: Page,
  { site, images, emitter, store, options }: PageTask,
  sink: ReturnType<typeof createPageSink>,
): void {
  options.onPage?.(page.path);
  const known = store?.find(page) ?? null;
  if (known !== null) {
    sink.addKnown(page, known);
    if (known.fields !== null) emitter.derive(fieldsOutput(page), known.fields);
    return;
  }
  const content = images.during('none', () => site.content(page));
  const made = sink.add(page, content);
  store?.add(page, made);
  emitter.derive(fieldsOutput(page), fieldsScript(content));
}

interface FilesTask extends Pick<PageTask, 'site' | 'remote' | 'emitter' | 'store' | 'warn'> {
  source: SourceTree;
  repeat: Repeat;
  options: Pick<RenderOptions, 'groups' | 'publicOnly'>;
}

/** Files beside the pages, and skills: files of the source with the same names win. */
async function emitFiles(task: FilesTask): Promise<void> {
  const { site, source, remote, emitter, store, repeat, warn, options } = task;
  const { siteMap, theme } = site;
  const { skills, withheld } = findSkills(source, options, warn);
  const files = assetsOf(siteMap, source, remote, withheld, warn);
  for (const { path, isMedium, content } of files) {
    if (!isMedium) continue;
    if (store === null) await emitter.emitLarge(path, content());
    else await store.copy(path, emitter, content);
  }
  await repeat({
    name: 'files',
    needs: 'bodies',
    key: JSON.stringify([skills, [...withheld], files.map(({ path }) => path)]),
    async run(to) {
      checkExamples(siteMap, source, warn);
      for (const { path, isMedium, content } of files) if (!isMedium) await to.emitLarge(path, content());
      emitSkills(skills, source, theme.basePath, to);
    },
  });
}

/** What only some pages load, by path: the order of first use would change with the pages that are rendered. */
async function emitPageAssets(
  assets: ReadonlyMap<string, PageAsset>,
  emitter: Emitter,
  store: PageStore | null,
): Promise<void> {
  const make = async (asset: Pick<PageAsset, 'path' | 'content'>) =>
    store === null ? await asset.content() : await store.makeAsset(asset);
  for (const path of [...assets.keys()].sort()) {
    const asset = assets.get(path);
    if (asset === undefined) continue;
    emitter.derive(path, await make(asset));
    for (const file of asset.files ?? []) {
      if (!emitter.has(file.path)) emitter.derive(file.path, await make(file));
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

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

type Repeat = (step: Step) => Promise<void>;

/** Files generated from the pages; source files with these names win. */
async function emitDerived(
  theme: Theme,
  { abouts, texts }: MadePages,
  emitter: Emitter,
  store: PageStore | null,
  repeat: Repeat,
): Promise<void> {
  for (const [page, text] of texts) {
    const path = markdownOutput(page);
    if (!emitter.has(path)) emitter.derive(path, markdownTwin(theme, text));
  }
  const indexable = indexablePages(theme);
  const listed = llmsPages(theme, indexable);
  for (const { path, content } of sitemap(theme, indexable)) emitter.derive(path, content);
  emitter.derive('robots.txt', robots(theme));
  const descriptions = store === null ? [] : listed.map((page) => abouts.get(page)?.description ?? null);
  await repeat({
    name: 'llms.txt',
    needs: 'site',
    key: JSON.stringify(descriptions),
    run(to) {
      const index = llmsIndex('llms.txt', theme, abouts, listed);
      to.derive('llms.txt', index);
      const path = '.well-known/llms.txt';
      to.derive(path, theme.siteUrl === null ? llmsIndex(path, theme, abouts, listed) : index);
    },
  });
  if (!emitter.has('llms-full.txt')) {
    const parts = llmsParts(theme, listed, (page) => {
      const text = texts.get(page);
      if (text !== undefined) return llmsPart(theme, text);
      return abouts.has(page) ? KNOWN_PART : null;
    });
    await emitter.deriveLarge('llms-full.txt', store?.joinLlms(parts) ?? joinLlms(parts));
  }
}

function warnReserved(page: Page, warn: Warn): void {
  warn({
    file: page.source ?? page.path,
    line: null,
    code: 'reserved-path',
    message: 'The path is reserved for files of the export, so the page was excluded. Rename it.',
  });
}

function siteFacts({ siteMap, siteUrl }: Theme): RenderResult['site'] {
  const { config, navigation } = siteMap;
  return {
    name: config.name,
    description: config.description,
    url: siteUrl,
    languages: labels(navigation, 'language'),
    versions: labels(navigation, 'version'),
  };
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
