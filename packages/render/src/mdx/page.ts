import type { TocEntry } from '../components/component.ts';
import { htmlOf } from '../components/markup.ts';
import { type SideView, sideView } from '../components/side.ts';
import { escapeText } from '../escape.ts';
import { noImages } from '../images/site-images.ts';
import { islandAssets } from '../islands/assets.ts';
import type { RedirectRules } from '../nav/follow-redirects.ts';
import type { PageAsset } from '../page-asset.ts';
import type { Playground } from '../reference/playground/embed.ts';
import { createRemoteFiles, type RemoteFiles } from '../remote/remote-files.ts';
import { readSections, type Section } from '../search/sections.ts';
import type { Page, SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { classesOfScript, utilityAsset } from '../theme/utilities.ts';
import type { Node } from '../tree.ts';
import type { KnownWarning, Warn } from '../warning.ts';
import { apiContent } from './api-content.ts';
import { bodySite } from './body-site.ts';
import { type ResolvedPage, resolvePage } from './evaluate/resolve.ts';
import { openSiteBudget } from './guard/budget.ts';
import { createImports } from './imports.ts';
import { type Lookups, noLookups, noting, recordable } from './lookups.ts';
import { type Module, makeModule } from './parse/modules.ts';
import type { SiteState } from './state.ts';
import { firstParagraph, lineText } from './text.ts';
import type { AnchorPlace } from './write/anchors.ts';
import { type FeedEntry, feedEntries } from './write/feed.ts';
import { type PageLink, resolveLink } from './write/links.ts';
import { writeMarkdown } from './write/markdown.ts';
import { twinLinks } from './write/twin-link.ts';
import { writePage } from './write/write.ts';
import type { Writer } from './write/writer.ts';

/** What all pages of one render share. Pages are rendered one after the other. */
export type SiteContext = SiteState;

/** One page after parse, resolve and write. */
export interface RenderedPage {
  /** HTML of the body: everything below the page header. */
  html: string;
  /** Headings h2-h4 and what components add, in document order. */
  toc: TocEntry[];
  /** Plain text of the body for the search, cut at headings; the first section is the start of the page. */
  sections(): Section[];
  /** Body of the Markdown twin, without front matter and title. */
  markdown: string;
  /** Links with a fragment to pages of this site, this page included. */
  links: PageLink[];
  /** Every id that the body defines. */
  ids: Set<string>;
  /** Ids that headings have besides their own. */
  aliases: ReadonlySet<string>;
  /** Where each id is written, in the order of their place on the page; those of aliases last. */
  places: ReadonlyMap<string, AnchorPlace>;
  /** Content of the side column, in addition to or instead of the table of contents. */
  side: { kind: SideView['kind']; html: string } | null;
  /** Style sheets and scripts that this page loads beyond those of every page, in order of first use. */
  assets: readonly PageAsset[];
  /** The form that sends requests of the operation of the page; null without one. */
  playground: Playground | null;
  /** Entries of the RSS feed of the page, in document order. */
  feed: readonly FeedEntry[];
  /** Plain text of the first paragraph; null without one. */
  description: string | null;
}

/** Prepares what all pages share; `warn` takes each defect of the source once, however many pages show it. */
export function createSiteContext(options: {
  source: SourceTree;
  siteMap: SiteMap;
  redirects: RedirectRules;
  /** Base of links in Markdown twins, without a slash at its end; default they are relative. */
  siteUrl?: string | null;
  mcpUrl?: string | null;
  remote?: RemoteFiles;
  inspect?: SiteState['inspect'];
  onDiagram?: SiteState['onDiagram'];
  visit?: SiteState['visit'];
  highlight?: boolean;
  codeClasses?: ReadonlySet<string>;
  lookups?: Lookups;
  warn: Warn;
}): SiteContext {
  const { source, siteMap, redirects } = options;
  const lookups = recordable(options.lookups ?? noLookups);
  const warn = warnOnce(options.warn);
  const site: SiteContext = {
    source,
    siteMap: bodySite(siteMap, lookups),
    redirects,
    lookups,
    isQuiet: false,
    siteUrl: options.siteUrl ?? null,
    mcpUrl: options.mcpUrl ?? null,
    remote: options.remote ?? createRemoteFiles(undefined),
    images: noImages,
    warn: (warning) => {
      if (!site.isQuiet) warn(warning);
    },
    modules: new Map(),
    instances: new Map(),
    imports: createImports(),
    expressions: new Map(),
    origins: new WeakMap(),
    foldedPaths: noting(new Map(siteMap.pages.map((page) => [page.path.toLowerCase(), page])), lookups),
    apiTexts: new Map(),
    budget: openSiteBudget(siteMap.pages.length),
    codeClasses: options.codeClasses ?? new Set(),
    highlight: options.highlight ?? true,
    inspect: options.inspect ?? null,
    onDiagram: options.onDiagram ?? null,
    visit: options.visit ?? null,
  };
  return site;
}

function warnOnce(warn: Warn): Warn {
  const seen = new Set<string>();
  return (warning: KnownWarning) => {
    const key = `${warning.file}\n${warning.line}\n${warning.code}\n${warning.message}`;
    if (seen.has(key)) return;
    seen.add(key);
    warn(warning);
  };
}

/** Renders the body of a page. Never throws: content that cannot be rendered is a warning and shown as text. */
export function renderPageContent(page: Page, site: SiteContext): RenderedPage {
  try {
    return render(page, site);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    site.warn({
      file: page.source ?? page.path,
      line: null,
      code: 'page-failed',
      message: `The page is shown as plain text: ${message}`,
    });
    return plainPage(page);
  }
}

function render(page: Page, site: SiteContext): RenderedPage {
  const file = page.source ?? page.path;
  const options = { source: site.source, variables: site.siteMap.config.variables, warn: site.warn };
  const source = page.readBody();
  const budget = site.budget.open(page, source.length);
  const module: Module = makeModule(source, file, page.bodyLine, false, options);
  const body = resolvePage(page, module, { steps: budget.steps, sourceLength: source.length }, site);
  const api = apiContent(page, body.children, budget, site);
  const children = [...api.lead, ...body.children, ...api.reference];
  const resolved = withoutRepeatedTitle({ ...body, children }, page);
  site.inspect?.({ page, children: resolved.children, fileOf: (node) => site.origins.get(node) });
  const { html, writer } = writePage(resolved, page, budget, site);
  const side = sideView(writer);
  const markdown = writeMarkdown(resolved.children, {
    link: twinLinks(page, site),
    footnotes: resolved.footnotes,
    maxCharacters: budget.characters,
  });
  site.budget.close(page, { steps: body.steps, characters: html.length + markdown.length });
  return {
    html,
    toc: writer.entries,
    sections: () =>
      readSections(
        resolved.children.filter((node) => !api.isUnsearched(node)),
        resolved.footnotes,
        (node) => anchorOf(node, writer),
      ),
    markdown,
    links: writer.links,
    ids: writer.anchors.ids,
    aliases: writer.anchors.aliases,
    places: writer.anchors.places,
    side: side === null ? null : { kind: side.kind, html: htmlOf(side.view) },
    assets: [
      ...writer.pageAssets.values(),
      ...pageAssets(writer, module, site),
      ...(api.playground === null ? [] : [api.playground.asset]),
    ],
    playground: api.playground,
    feed: feedOf(writer),
    description: firstParagraph(resolved.children),
  };
}

/** The id under which a heading or component was written. */
function anchorOf(node: Node, { headingAnchors, elementAnchors }: Writer): string | undefined {
  if (!('children' in node)) return undefined;
  const heading = headingAnchors.get(node.children);
  return heading ?? (node.type === 'element' ? elementAnchors.get(node) : undefined);
}

/** What the page loads because of its content. */
function pageAssets(writer: Writer, module: Module, site: SiteContext): PageAsset[] {
  const { assets, code } = islandAssets(writer.islands, module, site, writer.strings);
  for (const text of code) writer.classes.add(classesOfScript(text));
  const { colors } = site.siteMap.config;
  const file = writer.page.source ?? writer.page.path;
  const utilities = utilityAsset(writer.classes, {
    colors,
    hasFile: site.siteMap.hasAsset,
    warn: (code, message) => site.warn({ file, line: null, code, message }),
  });
  return utilities === null ? assets : [utilities, ...assets];
}

/** Made when all of the page is written, since the ids of headings are known then. Links were reported already. */
function feedOf({ updates, headingAnchors, page, site, file }: Writer): FeedEntry[] {
  if (updates.length === 0) return [];
  const silent = { ...site, warn: () => {} };
  return updates.flatMap((update) =>
    feedEntries(update, {
      anchorOf: (heading) => ('children' in heading ? (headingAnchors.get(heading.children) ?? null) : null),
      link: (href) => resolveLink(href, { page, file, line: null }, silent, [])?.href ?? null,
    }),
  );
}

/** The header shows the title already; a first heading that repeats it is left out. */
function withoutRepeatedTitle(resolved: ResolvedPage, page: Page): ResolvedPage {
  const first = resolved.children[0];
  if (first?.type !== 'heading' || first.depth !== 1 || page.mode === 'custom' || page.mode === 'frame')
    return resolved;
  if (withoutMarks(lineText(first.children)) !== withoutMarks(page.title)) return resolved;
  return { ...resolved, children: resolved.children.slice(1), repeatedTitle: first };
}

/** Text without the marks of inline code and emphasis: titles keep them, the text of a heading does not. */
function withoutMarks(text: string): string {
  return text.replace(/[`*_~]/g, '').trim();
}

function plainPage(page: Page): RenderedPage {
  const body = page.readBody();
  return {
    html: `<pre>${escapeText(body)}</pre>`,
    toc: [],
    sections: () => [{ id: '', title: '', isHeading: true, text: body }],
    markdown: body,
    links: [],
    ids: new Set(),
    aliases: new Set(),
    places: new Map(),
    side: null,
    assets: [],
    playground: null,
    feed: [],
    description: null,
  };
}
