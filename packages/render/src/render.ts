import { type OpenSite, openSite, type SiteOptions } from './open-site.ts';
import { createAnchorCheck } from './output/anchors.ts';
import { emitAssets, isReserved } from './output/assets.ts';
import { createEmitter, type Emitter } from './output/emitter.ts';
import { headersFile } from './output/headers.ts';
import { licenses } from './output/licenses.ts';
import { llmsFull, llmsIndex, markdownTwin, type PageText } from './output/llms.ts';
import { notFoundPage } from './output/not-found.ts';
import { emitRedirects, homeStub } from './output/redirects.ts';
import { indexablePages, robots, sitemap } from './output/sitemap.ts';
import type { PageAsset } from './page-asset.ts';
import type { NavKind, NavNode, Page, Redirect } from './site.ts';
import { markdownOutput } from './theme/head.ts';
import type { Theme, ThemeFile } from './theme/index.ts';
import { sortWarnings, type Warn, type Warning } from './warning.ts';

export interface RenderOptions extends SiteOptions {
  /** Takes each output file once, in an order that depends on the source only. */
  emit(path: string, content: string | Uint8Array): void;
  /** Called at least once a page and once with the total before the first page. */
  onProgress?(progress: { rendered: number; total: number }): void;
}

export interface RenderResult {
  pageCount: number;
  warnings: Warning[];
  site: { name: string; description: string | null; languages: string[]; versions: string[] };
  /**
   * Redirects after expansion over the known pages, then the patterns as written. Sources and destinations are
   * site-absolute paths or URLs.
   */
  redirects: Redirect[];
}

/** Pages between two turns of the event loop, so that progress gets out and files go on while a large site renders. */
const BATCH = 16;

/** Renders a site. Throws SourceError when the source cannot be exported at all; a bad page is a warning. */
export async function renderSite(options: RenderOptions): Promise<RenderResult> {
  const { source, lastModified } = options;
  const collected: Warning[] = [];
  const warn: Warn = (warning) => void collected.push(warning);

  const site = openSite(options, warn);
  const { siteMap, theme, redirects } = site;
  const emitter = createEmitter(options.emit, warn);
  const { texts, assets } = await emitPages(site, emitter, warn, options.onProgress);

  emitAssets(siteMap, source, emitter, warn);
  const themeFiles = site.themeFiles();
  for (const file of themeFiles) emitter.derive(file.path, file.content);
  await emitPageAssets(assets, emitter);
  if (!emitter.has('index.html')) emitter.derive('index.html', homeStub(theme));
  emitRedirects(theme, redirects, emitter);
  await emitDerived(theme, texts, themeFiles, lastModified, emitter);

  const { config } = siteMap;
  return {
    pageCount: siteMap.pages.length,
    warnings: sortWarnings(collected),
    site: {
      name: config.name,
      description: config.description,
      languages: labels(siteMap.navigation, 'language'),
      versions: labels(siteMap.navigation, 'version'),
    },
    redirects: [...redirects.exact, ...redirects.patterns],
  };
}

async function emitPages(
  site: OpenSite,
  emitter: Emitter,
  warn: Warn,
  onProgress: RenderOptions['onProgress'],
): Promise<{ texts: Map<Page, PageText>; assets: Map<string, PageAsset> }> {
  const { pages } = site.siteMap;
  const total = pages.length;
  const texts = new Map<Page, PageText>();
  const assets = new Map<string, PageAsset>();
  const anchors = createAnchorCheck();
  let rendered = 0;
  onProgress?.({ rendered, total });
  for (const page of pages) {
    if (isReserved(page.output)) warnReserved(page, warn);
    else {
      const content = site.content(page);
      anchors.add(page.path, content);
      const description = page.description === null ? copyOf(content.description) : null;
      texts.set(page, { page, markdown: content.markdown, description });
      for (const asset of content.assets) assets.set(asset.path, asset);
      emitter.emit(page.output, site.document(page, content));
    }
    rendered++;
    onProgress?.({ rendered, total });
    if (rendered % BATCH === 0) await turn();
  }
  anchors.report(warn);
  return { texts, assets };
}

/** What only some pages load, by path: the order of first use would change with the pages that are rendered. */
async function emitPageAssets(assets: ReadonlyMap<string, PageAsset>, emitter: Emitter): Promise<void> {
  for (const path of [...assets.keys()].sort()) {
    const asset = assets.get(path);
    if (asset === undefined) continue;
    emitter.derive(path, await asset.content());
    for (const file of asset.files ?? []) emitter.derive(file.path, file.content());
  }
}

/** A text that is a part of a page's source keeps all of that source in memory; a copy does not. */
function copyOf(text: string | null): string | null {
  return text === null ? null : ` ${text}`.slice(1);
}

/** Lets the event loop run: what takes the files compresses them beside us. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What is made from the pages; files of the source with these names win. */
async function emitDerived(
  theme: Theme,
  texts: ReadonlyMap<Page, PageText>,
  files: readonly ThemeFile[],
  lastModified: string | undefined,
  emitter: Emitter,
): Promise<void> {
  let emitted = 0;
  for (const [page, text] of texts) {
    emitter.derive(markdownOutput(page), markdownTwin(theme, text));
    if (++emitted % BATCH === 0) await turn();
  }
  const indexable = indexablePages(theme);
  const index = llmsIndex(theme, texts, indexable);
  emitter.derive('404.html', notFoundPage(theme));
  for (const { path, content } of sitemap(theme, indexable, lastModified)) emitter.derive(path, content);
  emitter.derive('robots.txt', robots(theme));
  emitter.derive('llms.txt', index);
  emitter.derive('.well-known/llms.txt', index);
  emitter.derive('llms-full.txt', llmsFull(theme, texts, indexable));
  emitter.derive('_headers', headersFile(files));
  emitter.derive('_offprint/licenses.txt', licenses());
}

function warnReserved(page: Page, warn: Warn): void {
  warn({
    file: page.source ?? page.path,
    line: null,
    code: 'reserved-path',
    message: 'The path is reserved for files of the export, so the page was left out. Rename it.',
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
