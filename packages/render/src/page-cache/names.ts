/** Names by which pages find other pages and files, so that an added one concerns only those that have looked for it. */
import { MEDIA } from '../media.ts';
import type { SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';

/** What a site has that a render looks up by name, and that no key of a render includes. */
export interface Names {
  /**
   * Files that only the pages which show them depend on: those of pages, what pages import, and media. Also what all
   * pages load: style sheets, of which bodies read only which classes are code, and scripts, of which documents read only
   * whether browsers can run them.
   */
  files: readonly string[];
  /** All other files, but not those of the configuration. */
  others: readonly string[];
  /** The media among the assets. */
  media: readonly string[];
  /** Paths of the pages in their order. */
  pages: readonly string[];
  /** The first page of each folder, by the path of the folder. */
  folders: readonly (readonly [string, string])[];
}

const LOADED = /\.(?:css|js)$/i;

/** Characters of names that were looked up; more of them than any real site has are not kept. */
const MAX_NOTED = 8_000_000;

/** Names that were looked up and that another site may have something else for. */
export interface Noted {
  add(name: string): void;
  /** null if there were too many. */
  all(): readonly string[] | null;
}

export function createNoted(): Noted {
  const names = new Set<string>();
  let left = MAX_NOTED;
  return {
    add(name) {
      if (left < 0 || names.has(name)) return;
      left -= name.length;
      if (left < 0) names.clear();
      else names.add(name);
    },
    all: () => (left < 0 ? null : [...names]),
  };
}

export function namesOf(siteMap: SiteMap, source: SourceTree): Names {
  const { pages, snippets, assets, folderStarts, config } = siteMap;
  const own = new Set([...pages.flatMap((page) => page.source ?? []), ...snippets]);
  const configured = new Set(config.files);
  const isOwn = (path: string): boolean => own.has(path) || MEDIA.test(path) || LOADED.test(path);
  return {
    files: source.paths.filter(isOwn),
    others: source.paths.filter((path) => !isOwn(path) && !configured.has(path)),
    media: assets.filter((path) => MEDIA.test(path)),
    pages: pages.map(({ path }) => path),
    folders: [...folderStarts].map(([path, page]) => [path, page.path]),
  };
}

/** Names that lead to something else than in the earlier render; null if one of the files or pages is gone. */
export function changedNames(earlier: Names, now: Names): string[] | null {
  const files = addedTo(earlier.files, now.files);
  const media = addedTo(earlier.media, now.media);
  const pages = addedTo(earlier.pages, now.pages);
  const others = [...addedIn(earlier.others, now.others), ...addedIn(now.others, earlier.others)];
  if (files === null || media === null || pages === null) return null;
  const before = new Map(earlier.folders);
  const after = new Map(now.folders);
  const folders = [...before.keys(), ...after.keys()].filter((path) => before.get(path) !== after.get(path));
  return [...files, ...media, ...others, ...pages.flatMap((path) => [path, path.toLowerCase()]), ...folders];
}

function addedTo(earlier: readonly string[], now: readonly string[]): string[] | null {
  return addedIn(now, earlier).length > 0 ? null : addedIn(earlier, now);
}

/** Names of the second list that are not in the first one. */
function addedIn(earlier: readonly string[], now: readonly string[]): string[] {
  const known = new Set(earlier);
  return now.filter((name) => !known.has(name));
}
