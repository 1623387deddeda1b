import type { NavNode, Page, Redirect, SiteMap } from '../site.ts';
import type { Warn } from '../warning.ts';
import type { Place } from './place.ts';

/** What all pages of one render share in their chrome. */
export interface Theme {
  siteMap: SiteMap;
  /** Origin and base path of canonical URLs, without a slash at the end. */
  siteUrl: string;
  redirects: ReadonlyMap<string, Redirect>;
  assets: ThemeAssets;
  /** Output path of the script with the whole tree of a sidebar, by the node whose children stand in it. */
  sidebarScripts: ReadonlyMap<NavNode, string>;
  placeOf(page: Page): Place;
  /** The page that stands for this one in another language, version or product; else that branch's first. */
  counterpartOf(branch: NavNode, current: NavNode | null, page: Page): Page | null;
  /** Whether the source holds a file that is copied to the output. */
  hasAsset(path: string): boolean;
  warn: Warn;
}

/** Output paths of what every page loads. */
export interface ThemeAssets {
  /** Blocking: light or dark before the first paint, preload of the fonts, and the sidebar builder. */
  themeScript: string;
  /** Deferred: everything else. */
  siteScript: string;
  stylesheet: string;
  userStylesheets: readonly string[];
  userScripts: readonly string[];
}
