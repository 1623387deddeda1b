import { readNumbers } from './engine/search-data.js';
import { DamagedIndexError, readIndexFile } from './index-file.ts';
import { fieldsOf, isText, type ReadFile, readText } from './site-files.ts';

/** The directory of the index of one language, checked: the engine trusts its sizes. */
export interface Directory {
  /** Output path: `_offprint/search.en.js`. */
  path: string;
  /** As in docs.json; null on a site without languages. */
  language: string | null;
  data: Readonly<Record<string, unknown>>;
  /** Sections of each page. */
  sections: readonly number[];
  bytes: number;
}

/** Sections of one language, and kinds of labels. */
const MAX_SECTIONS = 4_000_000;
const FACETS = 3;

const SINGLE = '_offprint/search.js';
const PATH = /^_offprint\/search(?:\.[a-z][a-z0-9-]*)?\.js$/;
const MAX_PAGE = 4 * 1024 * 1024;

/**
 * Languages that docs.json may name, in the form of file names. A site whose start page names no index is searched by
 * them: the list of files of a release cannot be read by name on a site server.
 */
export const LANGUAGE_KEYS =
  'en es fr de zh cn zh-hans zh-hant ja jp ja-jp ko pt pt-br it ru ar ca cs da fi fr-ca he hi hu id lv nl no pl ro sv tr uk uz vi'.split(
    ' ',
  );

/** The directories of a site, that of its default language first; empty where the site has no search. */
export async function readDirectories(read: ReadFile): Promise<Directory[]> {
  const single = await readDirectory(read, SINGLE, null);
  if (single !== null) return [single];
  const named = await namedDirectory(read);
  const paths = [
    ...(named === null ? [] : [named]),
    ...LANGUAGE_KEYS.map((key) => `_offprint/search.${key}.js`),
  ];
  for (const path of paths) {
    const first = await readDirectory(read, path, null);
    if (first === null) continue;
    const languages = languagesOf(first);
    const all = await Promise.all(languages.map(({ path: at, label }) => readDirectory(read, at, label)));
    const found = all.filter((one) => one !== null);
    const isDefault = (one: Directory): boolean => one.path === named;
    return [...found.filter(isDefault), ...found.filter((one) => !isDefault(one))];
  }
  return [];
}

/** The index that the search field of the start page opens. */
async function namedDirectory(read: ReadFile): Promise<string | null> {
  const page = await readText(read, 'index.html', MAX_PAGE);
  const field = page === null ? undefined : /<button [^>]*\bid="search-bar-entry"[^>]*>/.exec(page)?.[0];
  const path = field === undefined ? undefined : /\bdata-index="([^"]*)"/.exec(field)?.[1];
  return path !== undefined && PATH.test(path) ? path : null;
}

function languagesOf({ data, path }: Directory): { path: string; label: string | null }[] {
  const list: readonly unknown[] = Array.isArray(data.languages) ? data.languages : [];
  const found = list.flatMap((entry) => {
    const fields = fieldsOf(entry);
    const { path: at, label } = fields ?? {};
    return isText(at) && isText(label) && PATH.test(at) ? [{ path: at, label }] : [];
  });
  return found.length === 0 ? [{ path, label: null }] : found.slice(0, 100);
}

async function readDirectory(
  read: ReadFile,
  path: string,
  language: string | null,
): Promise<Directory | null> {
  const file = await readIndexFile(read, path);
  if (file === null) return null;
  const data = fieldsOf(file.data);
  const sections = data === null ? null : checkedSections(data);
  if (data === null || sections === null)
    throw new DamagedIndexError(`${path} is not the directory of a search index.`);
  return { path, language, data, sections, bytes: file.bytes };
}

/** Sections of each page, if the engine can work with the directory. */
function checkedSections(data: Readonly<Record<string, unknown>>): number[] | null {
  const digests = fieldsOf(data.digests);
  const hasTexts =
    [data.pages, data.chunks, data.runs, data.boosts, data.shards].every(isText) &&
    ['t', 'v', 'l'].every((kind) => isText(digests?.[kind])) &&
    (data.names === undefined || (isText(data.names) && isText(digests?.n)));
  const hasLists =
    [data.stop, data.letters, data.versions].every(isTexts) &&
    Array.isArray(data.labels) &&
    data.labels.length === FACETS &&
    data.labels.every(isTexts);
  if (!hasTexts || !hasLists || !isText(data.pages) || !isText(data.chunks)) return null;
  const sections = readNumbers(data.pages);
  const total = sumOf(sections);
  return total !== null && total === sumOf(readNumbers(data.chunks)) ? sections : null;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** The sum of counts; null if it is too large for a site, or a count is negative. */
function sumOf(counts: readonly number[]): number | null {
  let sum = 0;
  for (const count of counts) {
    sum += count;
    if (count < 0 || sum > MAX_SECTIONS) return null;
  }
  return sum;
}
