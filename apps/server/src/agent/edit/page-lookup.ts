import type { Workspace } from '../workspace/workspace.ts';

/** Finds pages and files by what links and navigation entries write. */
export interface PageLookup {
  /** File of the page that an entry of the navigation refers to; null if it does not exist. */
  find(entry: string): string | null;
  /** File at a path from the docs root that a link means, page or not. */
  target(path: string): string | null;
  has(path: string): boolean;
  pages: readonly string[];
}

const PAGE = /\.mdx?$/i;

/** URL path of a page file: without ending, `x/index` as `x`, the root index as `index`. */
export function pagePath(file: string): string {
  const path = file.replace(PAGE, '');
  return path.endsWith('/index') ? path.slice(0, -'/index'.length) : path;
}

/** The path that an entry means: blanks, `./`, slashes around it, the ending and `/index` do not count. */
export function entryPath(entry: string): string {
  const path = pagePath(
    entry
      .trim()
      .replace(/^\.\//, '')
      .replace(/^\/+|\/+$/g, ''),
  );
  return path === '' ? 'index' : path;
}

/** Paths that are equal on some file system. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

export function isPage(file: string): boolean {
  return PAGE.test(file);
}

export function pageLookup(workspace: Pick<Workspace, 'filePaths'>): PageLookup {
  return lookupOf(workspace.filePaths());
}

/** As pageLookup, of these files. */
export function lookupOf(files: readonly string[]): PageLookup {
  const known = new Set(files);
  const pages = files.filter(isPage);
  const byPath = new Map<string, string>();
  for (const file of pages) {
    const key = foldPath(pagePath(file));
    if (!byPath.has(key)) byPath.set(key, file);
  }
  const page = (path: string): string | null => byPath.get(foldPath(path)) ?? null;

  return {
    pages,
    has: (path) => known.has(path),
    find: (entry) => page(entryPath(entry)) ?? page(entryPath(decode(entry))),
    target(path) {
      const plain = path.replace(/^\/+|\/+$/g, '');
      if (plain === '' || plain === '.') return page('index');
      const bare = plain.replace(/\.(?:mdx?|html)$/i, '');
      return page(bare) ?? page(bare.replace(/\/index$/i, '')) ?? (known.has(plain) ? plain : null);
    },
  };
}

/** Percent-encoded text as it was, or as it is where that cannot be. */
export function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
