/** Names by which pages find other pages and files, so that an added one concerns only those that have looked for it. */
import { MEDIA } from '../media.ts';
import { pagesOfChannels, pagesOfOperations } from '../nav/page-operation.ts';
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
  /** Files that links and images may name. */
  assets: readonly string[];
  /** Paths of the pages in their order. */
  pages: readonly string[];
  /** Other names that lead to pages, with their paths: folders lead to their first page, operations and channels to theirs. */
  targets: readonly (readonly [string, string])[];
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
    assets,
    pages: pages.map(({ path }) => path),
    targets: [...folderStarts, ...pagesOfOperations(siteMap), ...pagesOfChannels(siteMap)].map(
      ([name, page]) => [name, page.path],
    ),
  };
}

/** Names that lead to something else than in the earlier render. */
export function changedNames(earlier: Names, now: Names): Set<string> {
  const changed = [...differing(earlier.files, now.files), ...differing(earlier.others, now.others)];
  const pages = differing(earlier.pages, now.pages).flatMap((path) => [path, path.toLowerCase()]);
  const nameOf = new Map(
    [...earlier.targets, ...now.targets].map((target) => [target.join('\n'), target[0]]),
  );
  const lines = ({ targets }: Names): string[] => targets.map((target) => target.join('\n'));
  const targets = differing(lines(earlier), lines(now)).flatMap((target) => nameOf.get(target) ?? []);
  return new Set([...changed, ...differing(earlier.assets, now.assets), ...pages, ...targets]);
}

/** Names that only one of two lists contains. */
function differing(earlier: readonly string[], now: readonly string[]): string[] {
  const before = new Set(earlier);
  const after = new Set(now);
  return [...earlier.filter((name) => !after.has(name)), ...now.filter((name) => !before.has(name))];
}
