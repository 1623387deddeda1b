import type { TocEntry } from '../components/component.ts';
import type { Page, Redirect, SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';

/** A link from one page to a place on a page of the site, for the check of anchors after all pages are rendered. */
export interface PageLink {
  /** Path of the page it leads to (`Page.path`). */
  target: string;
  /** Decoded fragment without `#`; never empty. */
  hash: string;
  /** Source file and 1-based line of the link. */
  file: string;
  line: number | null;
}

/** What all pages of one render share. */
export interface SiteContext {
  readonly source: SourceTree;
  readonly siteMap: SiteMap;
  readonly redirects: readonly Redirect[];
  readonly warn: Warn;
}

/** One page after parse, resolve and write. */
export interface RenderedPage {
  /** HTML of the body: what stands below the page header. */
  html: string;
  /** Headings h2-h4 and what components add, in document order. */
  toc: TocEntry[];
  /** Plain text of the body for search, blocks separated by line feeds. */
  text: string;
  /** Body of the Markdown twin, without front matter and title. */
  markdown: string;
  /** Links with a fragment to pages of this site, this page included. */
  links: PageLink[];
  /** Every id that the body defines. */
  ids: Set<string>;
  /** Plain text of the first paragraph; null without one. */
  description: string | null;
}

/** Prepares what all pages share; `warn` takes each defect of the source once per place. */
export function createSiteContext(options: {
  source: SourceTree;
  siteMap: SiteMap;
  redirects: readonly Redirect[];
  warn: Warn;
}): SiteContext {
  return { ...options };
}

/** Renders the body of a page. Never throws: what cannot be rendered is a warning and stands as text. */
export function renderPageContent(_page: Page, _site: SiteContext): RenderedPage {
  return { html: '', toc: [], text: '', markdown: '', links: [], ids: new Set(), description: null };
}
