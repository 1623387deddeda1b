/** The search of a site as its readers have it: the files of the index, opened by the script that browsers run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readNumbers } from '@offprint/search/data';
import { createEngine } from '@offprint/search/engine';
import { openSite } from '../../packages/render/src/open-site.ts';
import { createSearchIndex } from '../../packages/render/src/search/search-index.ts';
import { directorySource } from '../../packages/render/src/source-directory.ts';

/** A section of a page as a result can show it; the first one of a page has no heading. */
export interface Section {
  /** Empty for the start of the page. */
  anchor: string;
  heading: string;
  text: string;
}

export interface SitePage {
  output: string;
  title: string;
  method: string;
  version: string | null;
  sections: Section[];
}

type Engine = ReturnType<typeof createEngine>;

/** The search of one language of a site. */
export interface SiteSearch {
  site: string;
  /** As in docs.json; null on a site without languages. */
  language: string | null;
  /** Labels of the versions that readers see first. */
  versions: readonly string[];
  pages: SitePage[];
  engine: Engine;
  /** Bytes of the index, and as gzip sends them. */
  bytes: number;
  gzipBytes: number;
}

interface Directory {
  /** Of its files by kind, each of 12 digits; `l`: of the lists of those of texts. */
  digests: Record<'t' | 'v' | 'n' | 'l', string>;
  /** Sections of each page, as `writeNumbers` writes them. */
  pages: string;
  versions: string[];
  languages: { label: string; path: string }[];
}

/** Files of a search index by their path. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** Every language of a docs folder, or of a folder with an exported site. */
export async function openSearches(folder: string, files = openIndex(folder)): Promise<SiteSearch[]> {
  const first = [...files.keys()].find(isDirectory);
  if (first === undefined) throw new Error(`${folder}: no search index`);
  const { languages } = readFile<Directory>(files, first);
  const places = languages.length > 0 ? languages : [{ label: null, path: first }];
  return Promise.all(places.map(({ label, path }) => openLanguage(folder, files, label, path)));
}

/** The index of a docs folder or an exported site. */
export const openIndex = (folder: string): Files =>
  existsSync(join(folder, '_offprint')) ? readExport(folder) : makeIndex(folder);

const isDirectory = (path: string): boolean => /^_offprint\/search(\.[\w-]+)?\.js$/.test(path);

function readExport(folder: string): Files {
  const root = join(folder, '_offprint');
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const found = paths.map((path) => `_offprint/${path}`).filter((path) => /\/search[./]/.test(path));
  return new Map(
    found.filter((path) => path.endsWith('.js')).map((path) => [path, readFileSync(join(folder, path))]),
  );
}

/** The index of a docs folder, without the pages. */
export function makeIndex(folder: string): Files {
  const site = openSite(
    { source: directorySource(folder), siteUrl: 'https://docs.example.com', highlight: false },
    () => {},
  );
  const files = new Map<string, Uint8Array>();
  const take = ({ path, content }: { path: string; content: string }): unknown =>
    files.set(path, Buffer.from(content));
  const search = createSearchIndex(site.siteMap, take);
  for (const page of site.siteMap.pages) {
    const content = site.content(page);
    site.document(page, content);
    search.add(page, content.sections);
  }
  search.files().forEach(take);
  return files;
}

/** The data of a file of the index, which is a script with one call. */
function readFile<Data>(files: Files, path: string): Data {
  const content = files.get(path);
  if (content === undefined) throw new Error(`${path}: not in the index`);
  const text = new TextDecoder().decode(content);
  return JSON.parse(text.slice(text.indexOf(',') + 1, text.lastIndexOf(')'))) as Data;
}

async function openLanguage(
  folder: string,
  files: Files,
  language: string | null,
  path: string,
): Promise<SiteSearch> {
  const directory = readFile<Directory>(files, path);
  const load = async (name: string): Promise<unknown> => readFile(files, pathOf(name));
  const engine = createEngine({ ...directory }, load);
  const own = [path, ...ownFiles(files, directory)];
  const sizes = own.map((name) => files.get(name)!);
  return {
    site: siteName(folder),
    language,
    versions: directory.versions,
    pages: await readPages(engine, readNumbers(directory.pages).length),
    engine,
    bytes: sizes.reduce((sum, { length }) => sum + length, 0),
    gzipBytes: sizes.reduce((sum, content) => sum + gzipSync(content).length, 0),
  };
}

const pathOf = (name: string): string => `_offprint/search/${name}.js`;

/** Paths of the files that a directory names, those of texts included. */
function ownFiles(files: Files, { digests }: Directory): string[] {
  const named = (kind: string, list: string): string[] =>
    Array.from(list.match(/.{12}/g) ?? [], (digest) => pathOf(`${kind}-${digest}`));
  const found = Object.entries(digests).flatMap(([kind, list]) => named(kind, list));
  const lists = named('l', digests.l).map((path) => readFile<string>(files, path));
  return [...found, ...lists.flatMap((list) => named('c', list))];
}

function siteName(folder: string): string {
  const full = resolve(folder);
  return basename(full) === 'docs' ? basename(dirname(full)) : basename(full);
}

async function readPages(engine: Engine, count: number): Promise<SitePage[]> {
  const pages: SitePage[] = [];
  for (let page = 0; page < count; page++) {
    const sections: Section[] = [];
    const first = await engine.entry(engine.startOf(page));
    for (let section = engine.startOf(page); section < engine.startOf(page + 1); section++) {
      const { id: anchor, heading, text } = await engine.entry(section);
      sections.push({ anchor, heading, text });
    }
    const { output, title, method } = first;
    pages.push({ output, title, method, version: engine.facetOf(page, 'version'), sections });
  }
  return pages;
}
