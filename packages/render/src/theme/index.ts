import { containing, type Lookups } from '../mdx/lookups.ts';
import { naturalSize } from '../mdx/write/images.ts';
import type { RedirectRules } from '../nav/follow-redirects.ts';
import { runnableScripts } from '../scripts/user-scripts.ts';
import { lazyServiceFiles, serviceScripts, serviceStyles } from '../services/parts.ts';
import type { Services } from '../services/services.ts';
import { WIDGET_PAGE, widgetPage } from '../services/widget-page.ts';
import type { Page, SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import { createCounterparts } from './counterpart.ts';
import { mayHaveFeed } from './export-files.ts';
import { loadFonts } from './fonts.ts';
import { layoutOf } from './layouts.ts';
import { siteFonts } from './look.ts';
import { findPlace, type Place } from './place.ts';
import { siteScript, userApiScript } from './scripts.ts';
import { createSearch } from './search.ts';
import { createSharedParts } from './shared-parts.ts';
import { nameSidebarScripts, sidebarScript } from './sidebar.ts';
import { buildStylesheet, pictureStyles } from './stylesheet.ts';
import type { Theme } from './theme.ts';

export type { DocumentContent } from './document-content.ts';
export { pageDocument } from './shell.ts';
export type { Theme } from './theme.ts';

/** Style sheets or scripts of the source that every page loads. */
const MAX_USER_FILES = 100;

/** A file of the theme in the output. */
export interface ThemeFile {
  path: string;
  content: string | Uint8Array;
}

/** Prepares the chrome of one render. */
export function createTheme(options: {
  siteMap: SiteMap;
  source: SourceTree;
  siteUrl: Theme['siteUrl'];
  basePath: string;
  redirects: RedirectRules;
  previewOf: Theme['previewOf'];
  services: Services;
  lookups: Lookups;
  warn: Warn;
}): { theme: Theme; files: () => ThemeFile[] } {
  const { siteMap, siteUrl, source, services, warn } = options;
  const fonts = loadFonts();
  const own = siteFonts(siteMap.config, source, warn);
  const hasVariants = siteMap.config.images.variants !== null;
  const script = siteScript(own.preload, hasVariants);
  const styles = serviceStyles(services) + (hasVariants ? pictureStyles : '');
  const stylesheet = buildStylesheet(siteMap.config, source, { vendored: fonts, own }, styles, warn);
  const ofServices = serviceScripts(services);
  const search = createSearch(siteMap);
  const hasSearch = siteMap.config.excluded.search === undefined;
  const userScripts = runnableScripts(userFiles(siteMap, '.js', warn), source, siteUrl, warn);
  const userApi = userScripts.length === 0 ? [] : [userApiScript()];
  // Of the last page only: a place of each page would hold all siblings of all its levels.
  let last: { page: Page; place: Place } | null = null;
  const theme: Theme = {
    siteMap,
    layout: layoutOf(siteMap.config),
    siteUrl,
    basePath: options.basePath,
    redirects: options.redirects,
    services,
    assets: {
      script: script.path,
      stylesheet: stylesheet.path,
      userStylesheets: userFiles(siteMap, '.css', warn),
      userScripts: [...userApi.map(({ path }) => path), ...userScripts],
      serviceScripts: ofServices.map(({ path }) => path),
    },
    sidebarScripts: nameSidebarScripts(siteMap),
    parts: createSharedParts(),
    placeOf(page) {
      if (last?.page !== page) last = { page, place: findPlace(siteMap, page) };
      return last.place;
    },
    counterpartOf: createCounterparts(siteMap),
    searchOf: hasSearch ? search.linksOf : () => null,
    hasAsset: containing(siteMap.assets, options.lookups),
    mayHaveFeed: (page) => mayHaveFeed(page, options.lookups),
    readText: (path) => source.readText(path),
    imageSize: (path) => naturalSize(source, path),
    previewOf: options.previewOf,
    warn,
  };
  return {
    theme,
    files: () => [
      stylesheet,
      { path: script.path, content: script.content() },
      ...userApi,
      ...[...ofServices, ...lazyServiceFiles(services)].map(({ path, content }) => ({
        path,
        content: content(),
      })),
      ...(services.assistant ? [{ path: WIDGET_PAGE, content: widgetPage(theme) }] : []),
      ...(hasSearch ? search.files() : []),
      ...fonts.files.map((file) => ({ path: file.output, content: file.content })),
      ...[...theme.sidebarScripts].map(([node, path]) => ({ path, content: sidebarScript(theme, node) })),
    ],
  };
}

/** Files of the source with that ending, which every page loads. */
function userFiles({ assets }: SiteMap, ending: string, warn: Warn): string[] {
  const files = assets.filter((path) => path.toLowerCase().endsWith(ending));
  const left = files[MAX_USER_FILES];
  if (left !== undefined) {
    const message = `Every page would load ${files.length} ${ending} files from the docs folder; this one and the following ones were excluded. Merge them, or list those that pages do not need in \`.mintignore\`.`;
    warn({ file: left, line: null, code: 'config-too-large', message });
  }
  return files.slice(0, MAX_USER_FILES);
}
