import { loadConfig } from './config/config.ts';
import { parseDate } from './dates.ts';
import type { Diagram } from './diagrams/check.ts';
import type { Excluded } from './excluded.ts';
import type { SiteImages } from './images/site-images.ts';
import { linkedPages } from './linked-pages.ts';
import type { SiteBudget } from './mdx/guard/budget.ts';
import { type Lookups, noLookups } from './mdx/lookups.ts';
import { createSiteContext, type RenderedPage, renderPageContent } from './mdx/page.ts';
import type { InspectedPage } from './mdx/state.ts';
import { codeClasses } from './mdx/write/code-classes.ts';
import { withoutLeftOut } from './nav/audience.ts';
import type { PageHeads } from './nav/page-files.ts';
import { type ExpandedRedirects, expandRedirects } from './nav/redirects.ts';
import { schemaPath } from './nav/schema-page.ts';
import { buildSiteMap } from './nav/site-map.ts';
import { createPreviews, type Previews } from './og/previews.ts';
import { notFoundContent, notFoundPage } from './output/not-found.ts';
import type { PageAsset } from './page-asset.ts';
import { createRemoteFiles, type RemoteFiles } from './remote/remote-files.ts';
import { useSiteFiles } from './remote/site-files.ts';
import { resolveServices, type WantedServices } from './services/services.ts';
import type { Page, SchemaPage, SiteMap } from './site.ts';
import type { SourceTree } from './source.ts';
import {
  createTheme,
  type DocumentContent,
  pageDocument,
  type Theme,
  type ThemeFile,
} from './theme/index.ts';
import { mcpUrl } from './theme/mcp-entries.ts';
import { basePathOf } from './theme/paths.ts';
import type { Warn } from './warning.ts';

export interface SiteOptions {
  source: SourceTree;
  /**
   * Origin and base path of the published site: `https://docs.example.com`. null = not known; without
   * `seo.metatags.canonical`, the output then has no absolute URL of the site.
   */
  siteUrl: string | null;
  /** Page paths to render (leading slash and extension tolerated); undefined = every published page. */
  paths?: readonly string[];
  /** Pages that no navigation lists; default true. */
  includeUnlisted?: boolean;
  /** When the source was last changed, as the date of its commit (RFC 3339): for files without a date of their own. */
  lastModified?: string;
  /** Date (RFC 3339) of the last change of a source file by its history; null where that is not known. */
  modifiedAt?(file: string): string | null;
  /** Groups whose restricted pages are included; default none. */
  groups?: readonly string[];
  /** Only pages that need no sign-in on a site that others do; default false. */
  publicOnly?: boolean;
  /** Called with the tree of each page that is rendered. */
  inspect?: (page: InspectedPage) => void;
  /** Called with each diagram of the pages that are rendered. */
  onDiagram?: (diagram: Diagram) => void;
  /** Whether code is highlighted, a quarter of the time; default true. */
  highlight?: boolean;
  /** What an earlier render has read of pages; default none. */
  heads?: PageHeads;
  /** Takes what pages look up; default nothing. */
  lookups?: Lookups;
  /** Features to leave out, with reasons; default none. */
  excluded?: Excluded;
  /** Services of the platform that serves the site; default none. */
  services?: WantedServices;
}

/** A site with its configuration read and its pages known, of which any page can be rendered at any time. */
export interface OpenSite {
  siteMap: SiteMap;
  redirects: ExpandedRedirects;
  theme: Theme;
  /** Images of pages for sites that show links to them. */
  previews: Previews;
  /** Classes that the style sheets of the site give the look of code. */
  codeClasses: ReadonlySet<string>;
  /** What the pages may take together. */
  budget: SiteBudget;
  /** Shows images with these variants from now on; without a call, pages show the originals. */
  useImages(images: SiteImages): void;
  /** Body of a page. Never throws: a defect of the renderer degrades that page and does not stop the export. */
  content(page: Page): RenderedPage;
  /** Files that the body of a page was made from besides its own, once it was rendered; sorted. */
  importsOf(page: Page): string[];
  /** Makes a page of a schema to which a page refers, and returns its path; null if it cannot have one. */
  addSchemaPage(schema: Omit<SchemaPage, 'page'>, from: Page): string | null;
  /** The whole HTML document. */
  document(page: Page, content: DocumentContent): string;
  /** The page for URLs that are not found. */
  notFound(): { html: string; assets: readonly PageAsset[] };
  /** What every page shares: style sheet, scripts, fonts, sidebars. */
  themeFiles(): ThemeFile[];
}

/**
 * Reads the configuration and lists the pages; `remote` has the files of other hosts. Throws SourceError when the
 * source cannot be rendered at all.
 */
export function openSite(
  options: SiteOptions,
  warn: Warn,
  remote: RemoteFiles = createRemoteFiles(undefined),
): OpenSite {
  const { source } = options;
  const config = loadConfig(
    source,
    warn,
    (written) => useSiteFiles(written, remote),
    options.excluded,
    options.services,
  );
  const published = options.siteUrl?.replace(/\/+$/, '') ?? null;
  const siteUrl = published ?? config.seo.canonical;
  const { paths, includeUnlisted, groups, publicOnly } = options;
  const siteMap = buildSiteMap(
    source,
    config,
    {
      ...{ paths, includeUnlisted, groups, publicOnly },
      heads: options.heads,
      findLinked: linkedPages(source),
      descriptionUse: options.lookups?.descriptions,
    },
    warn,
  );
  datePages(siteMap.pages, options);
  const only = publicOnly === true ? siteMap.pages : null;
  const open = withoutLeftOut(config.redirects, siteMap.leftOut, only);
  const redirects = expandRedirects(open, siteMap, warn, options.lookups);
  const previews = createPreviews({ siteMap, source, siteUrl, warn });
  const { theme, files } = createTheme({
    siteMap,
    source,
    siteUrl,
    basePath: published === null ? '' : basePathOf(published),
    redirects: redirects.rules,
    previewOf: previews.of,
    services: resolveServices(options.services, config),
    lookups: options.lookups ?? noLookups,
    warn,
  });
  const context = createSiteContext({
    siteUrl,
    source,
    siteMap,
    redirects: redirects.rules,
    mcpUrl: mcpUrl(theme),
    remote,
    inspect: options.inspect ?? null,
    onDiagram: options.onDiagram ?? null,
    highlight: options.highlight ?? true,
    codeClasses: codeClasses(source, siteMap.assets),
    lookups: options.lookups ?? noLookups,
    warn,
  });
  return {
    siteMap,
    redirects,
    theme,
    previews,
    codeClasses: context.codeClasses,
    budget: context.budget,
    useImages(images) {
      context.images = images;
    },
    content: (page) => renderPageContent(page, context),
    importsOf: (page) => (page.source === null ? [] : context.imports.reachedFrom(page.source)),
    addSchemaPage: (schema, from) => schemaPath(schema, from, context.siteMap),
    document: (page, content) => pageDocument(theme, page, content),
    notFound() {
      const page = notFoundContent(config);
      const content =
        page === null ? null : context.images.during('none', () => renderPageContent(page, context));
      return { html: notFoundPage(theme, content), assets: content?.assets ?? [] };
    },
    themeFiles: files,
  };
}

/** Pages without a date in their front matter have that of their file, else that of the commit. */
function datePages(pages: readonly Page[], { modifiedAt, lastModified }: SiteOptions): void {
  for (const page of pages) {
    const known = page.source === null ? null : (modifiedAt?.(page.source) ?? null);
    page.modified ??= parseDate(known) ?? parseDate(lastModified);
  }
}
