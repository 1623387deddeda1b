import type { SourceTree } from '../source.ts';

export interface FilesBesidePages {
  source: Pick<SourceTree, 'has' | 'readText' | 'size'>;
  /** Files that would be copied. */
  assets: readonly string[];
  /** Files that pages import; they are not copied. */
  snippets: readonly string[];
  /** Files of the pages of the export. */
  kept: readonly string[];
  /** Files of the pages that are left out. */
  leftOut: readonly string[];
  /** docs.json and the files that it consists of. */
  config: readonly string[];
  /** Whether an asset must be named by what is kept. Otherwise only those are withheld that left-out pages name. */
  mustBeNamed: boolean;
}

const TEXT = /\.(?:mdx?|[jt]sx?|css|html?|json|ya?ml|svg|xml|txt)$/i;
const DESCRIPTION = /\.(?:json|ya?ml)$/i;
/** Load with every page. */
const OF_EVERY_PAGE = /\.(?:css|js)$/i;
const ENDINGS = ['', '.mdx', '.md', '.jsx', '.tsx', '.js', '.ts'];
const MAX_TEXT = 4 * 1024 * 1024;
const PATH = /[^\s"'`()<>[\]{}|\\?#=,;]+/g;

/**
 * Files that only pages name which are left out of the export, directly or over other files: their images, scripts and
 * downloads. What a text names is read as paths of files, so that every way to write a link counts; where a path does
 * not lead to a file, its name counts.
 */
export function withheldFiles(files: FilesBesidePages): Set<string> {
  const { assets, leftOut, mustBeNamed } = files;
  if (leftOut.length === 0 && !mustBeNamed) return new Set();
  const search = createSearch(files);
  const always = assets.filter((file) => OF_EVERY_PAGE.test(file));
  const named = search([...files.kept, ...files.config, ...always]);
  // a description with pages that are left out contains their text
  const own = assets.filter((file) => leftOut.includes(file));
  if (mustBeNamed) return new Set([...assets.filter((file) => !named.has(file)), ...own]);
  const closed = search(leftOut);
  return new Set([...assets.filter((file) => closed.has(file) && !named.has(file)), ...own]);
}

/** Finds the files that texts name, and those that these name. */
function createSearch({ source, assets, snippets, config, mustBeNamed }: FilesBesidePages) {
  const known = new Set([...assets, ...snippets]);
  const byName = new Map<string, string[]>();
  const odd: string[] = [];
  for (const file of known) {
    const name = nameOf(file);
    byName.set(name, [...(byName.get(name) ?? []), file]);
    if (/[\s"'`()<>[\]{}|\\?#=,;%]/.test(name)) odd.push(file);
  }
  const isConfig = new Set(config);
  const find = (token: string, from: string): string[] => {
    const path = decoded(token);
    const folder = from.includes('/') ? from.slice(0, from.lastIndexOf('/') + 1) : '';
    for (const base of path.startsWith('/') ? [''] : [folder, '']) {
      const plain = normalized(base + path);
      const found = ENDINGS.map((ending) => plain + ending).find((file) => known.has(file));
      if (found !== undefined) return [found];
    }
    return byName.get(nameOf(path)) ?? [];
  };
  const namedBy = (file: string): string[] => {
    if (!TEXT.test(file) || !source.has(file) || source.size(file) > MAX_TEXT) return [];
    const text = source.readText(file);
    const found = new Set<string>();
    for (const [token] of text.matchAll(PATH))
      if (/[./]/.test(token)) for (const target of find(token, file)) found.add(target);
    for (const target of odd) {
      const name = target.slice(target.lastIndexOf('/') + 1);
      if (text.includes(name) || text.includes(encodeURI(name))) found.add(target);
    }
    return [...found];
  };
  return (roots: readonly string[]): Set<string> => {
    const seen = new Set(roots);
    for (const file of seen) {
      for (const target of namedBy(file)) {
        // the navigation names descriptions of all pages
        if (mustBeNamed && isConfig.has(file) && DESCRIPTION.test(target)) continue;
        seen.add(target);
      }
    }
    return seen;
  };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();

function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

function decoded(token: string): string {
  try {
    return token.includes('%') ? decodeURIComponent(token) : token;
  } catch {
    return token;
  }
}
