import { readDirectories } from './directory.ts';
import { createEngine } from './engine/search-engine.js';
import { DamagedIndexError, readIndexFile } from './index-file.ts';
import type { ReadFile } from './site-files.ts';

/** A section of a page, for teams that run a search of their own. */
export interface SearchRecord {
  /** Path and anchor; unique in a site. */
  id: string;
  /** Of the page, without extension: `guides/start`. */
  path: string;
  /** Empty for the start of the page. */
  anchor: string;
  title: string;
  /** Empty for the start of the page. */
  heading: string;
  breadcrumbs: readonly string[];
  /** HTTP method of an operation; empty for other pages. */
  method: string;
  language: string | null;
  version: string | null;
  product: string | null;
  tab: string | null;
  content: string;
}

/** Pages that are read with one engine: it keeps what it reads. */
const PAGES_AT_A_TIME = 100;

/** The sections of a site, one page at a time. Throws a DamagedIndexError. */
export async function* readRecords(read: ReadFile): AsyncGenerator<SearchRecord[]> {
  for await (const { records } of readPages(read)) yield records;
}

/** As `readRecords`, with the path of the index that has the page. */
export async function* readPages(
  read: ReadFile,
): AsyncGenerator<{ directory: string; records: SearchRecord[] }> {
  const load = async (name: string): Promise<unknown> => {
    const path = `_offprint/search/${name}.js`;
    const file = await readIndexFile(read, path);
    if (file === null) throw new DamagedIndexError(`${path} is missing in the search index.`);
    return file.data;
  };
  for (const { path: directory, data, language, sections } of await readDirectories(read)) {
    let engine = createEngine(data, load);
    for (const [page, count] of sections.entries()) {
      if (page % PAGES_AT_A_TIME === 0) engine = createEngine(data, load);
      const facets = {
        language,
        version: engine.facetOf(page, 'version'),
        product: engine.facetOf(page, 'product'),
        tab: engine.facetOf(page, 'tab'),
      };
      const records: SearchRecord[] = [];
      for (let at = 0; at < count; at++) {
        const entry = await engine.entry(engine.startOf(page) + at);
        const path = entry.output.replace(/\.html$/, '');
        records.push({
          id: entry.id === '' ? path : `${path}#${entry.id}`,
          path,
          anchor: entry.id,
          title: entry.title,
          heading: entry.heading,
          breadcrumbs: [...entry.crumbs],
          method: entry.method,
          ...facets,
          content: entry.text,
        });
      }
      yield { directory, records };
    }
  }
}
