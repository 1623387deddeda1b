import type { RedirectRules } from '../nav/follow-redirects.ts';
import type { Services } from '../services/services.ts';
import type { NavNode, Page, SiteMap } from '../site.ts';
import type { Warn } from '../warning.ts';
import type { ImageSize } from './image-size.ts';
import type { Layout } from './layouts.ts';
import type { Place } from './place.ts';
import type { SharedParts } from './shared-parts.ts';

/** What all pages of one render share in their chrome. */
export interface Theme {
  siteMap: SiteMap;
  layout: Layout;
  /** Origin and base path of absolute URLs of the site, without a slash at the end; null = not known. */
  siteUrl: string | null;
  /** Path below which hosts serve the site, without a slash at the end: `/docs`, or empty. */
  basePath: string;
  redirects: RedirectRules;
  /** Services of the platform that serves the site; all are off in an export for download. */
  services: Services;
  assets: ThemeAssets;
  /** Output path of the script with the whole tree of a sidebar, by the node whose children it shows. */
  sidebarScripts: ReadonlyMap<NavNode, string>;
  parts: SharedParts;
  placeOf(page: Page): Place;
  /** The page that stands for this one in another language, version or product; else that branch's first. */
  counterpartOf(branch: NavNode, current: NavNode | null, page: Page): Page | null;
  /**
   * What the search of a language loads, null for the language of a site without languages; null where the export has no
   * search.
   */
  searchOf(language: string | null): SearchLinks | null;
  /** Whether the source holds a file that is copied to the output. */
  hasAsset(path: string): boolean;
  /** Whether a page has a feed or may have one. */
  mayHaveFeed(page: Page): boolean;
  /** Text of a file of the source. */
  readText(path: string): string;
  /** Size of an image of the source in pixels; null when its header does not tell. */
  imageSize(path: string): ImageSize | null;
  /** The preview image made for a page; null where none is. */
  previewOf(page: Page): PreviewImage | null;
  warn: Warn;
}

/** What pages of one language load when a reader searches. */
export interface SearchLinks {
  /** Output path of the script with the dialog and the engine. */
  script: string;
  /** Output path of the style sheet of the dialog. */
  sheet: string;
  /** Output path of the directory of the index. */
  index: string;
}

/** An image that shows a page where links to it are shared. */
export interface PreviewImage extends ImageSize {
  /** Output path. */
  path: string;
  alt: string;
}

/** Output paths of what every page loads. */
export interface ThemeAssets {
  /** Light or dark, fonts and the sidebar before the first paint; everything else when the page is parsed. */
  script: string;
  stylesheet: string;
  userStylesheets: readonly string[];
  userScripts: readonly string[];
  /** Of the services; after all others. */
  serviceScripts: readonly string[];
}
