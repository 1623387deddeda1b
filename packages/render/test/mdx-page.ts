import { readPageKeys } from '../src/config/page-keys.ts';
import { createSiteContext, type RenderedPage, renderPageContent } from '../src/mdx/page.ts';
import { openDescriptions } from '../src/nav/description.ts';
import { folderStarts } from '../src/nav/folders.ts';
import { compileRedirects } from '../src/nav/follow-redirects.ts';
import type { NavNode, Page, Redirect, SiteConfig, SiteMap } from '../src/site.ts';
import { memorySource } from '../src/source.ts';
import type { Warning } from '../src/warning.ts';

export type Rendered = RenderedPage & { warnings: Warning[] };

/** A page of a test site, as nav/ would make it. */
export function testPage(path: string, body: string, change: Partial<Page> = {}): Page {
  return {
    path,
    output: `${path}.html`,
    source: `${path}.mdx`,
    readBody: () => body,
    bodyLine: 0,
    frontMatter: {},
    front: readPageKeys({}).values,
    title: 'Title',
    hasTitle: true,
    sidebarTitle: 'Title',
    description: null,
    lead: null,
    icon: null,
    tag: null,
    mode: 'default',
    hidden: false,
    noindex: false,
    indexable: true,
    searchable: true,
    boost: 1,
    contextual: null,
    deprecated: false,
    operation: null,
    channel: null,
    modified: null,
    trail: [],
    previous: null,
    next: null,
    ...change,
  };
}

export interface TestSite {
  files?: Record<string, string>;
  /** Paths of further pages, all empty. */
  pages?: readonly string[];
  redirects?: readonly Redirect[];
  variables?: Record<string, string>;
}

/** Renders one page, `docs/page`, of a site made of the files given. */
export function renderBody(body: string, site: TestSite = {}, change: Partial<Page> = {}): Rendered {
  const page = testPage('docs/page', body, change);
  return renderTestPage(page, site);
}

export function renderTestPage(page: Page, site: TestSite = {}): Rendered {
  const source = memorySource(site.files ?? {});
  const pages = [page, ...(site.pages ?? []).map((path) => testPage(path, ''))];
  const config = {
    variables: site.variables ?? {},
    icons: { library: 'fontawesome' },
    styling: { eyebrows: null, latex: null },
    colors: { primary: '#166e3f', light: '#26bd6c', dark: '#166e3f' },
  } as unknown as SiteConfig;
  const navigation = {
    kind: 'root',
    hidden: false,
    page: null,
    children: pages.map((each) => ({ kind: 'page', hidden: false, page: each, children: [] })),
  } as unknown as NavNode;
  const byPath = new Map(pages.map((each) => [each.path, each]));
  const siteMap = {
    config,
    navigation,
    folderStarts: folderStarts(navigation, byPath),
    pages,
    byPath,
    home: pages.find((each) => each.path === 'index') ?? page,
    assets: source.paths.filter((path) => !/\.mdx?$/.test(path)),
    snippets: [],
    schemaPages: new Map(),
    descriptions: openDescriptions(source, new Map(), () => {}),
    global: [],
    globalOwners: new Map(),
  } as unknown as SiteMap;
  const warnings: Warning[] = [];
  const redirects = site.redirects ?? [];
  const context = createSiteContext({
    source,
    siteMap,
    redirects: compileRedirects(redirects),
    warn: (warning) => warnings.push(warning),
  });
  return { ...renderPageContent(page, context), warnings };
}
