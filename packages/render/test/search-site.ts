import { createEngine } from '@offprint/search/engine';
import { type Output, textOf } from './output.ts';

export interface Found {
  /** Output path, best first. */
  pages: string[];
  titles: string[];
  /** Anchors of the sections of each page, by output path; '' is the start. */
  anchors: Record<string, string[]>;
  corrections: { from: string; to: string }[];
  outside: number;
  isPartial: boolean[];
  /** Names of the files that were read, the directory left out. */
  files: string[];
}

/** Searches an export by the files it emitted, as a browser would. */
export function openSearch(output: Pick<Output, 'files'>, language?: string) {
  const read = (path: string): unknown => {
    const script = textOf(output, path);
    const match = /^offprintSearch\(("(?:[^"\\]|\\.)*"),([\s\S]*)\);\n$/.exec(script);
    if (match === null) throw new Error(`no file of the index: ${path}`);
    return JSON.parse(match[2]!);
  };
  const directory = read(
    language === undefined ? '_offprint/search.js' : `_offprint/search.${language}.js`,
  ) as Record<string, unknown>;
  const files: string[] = [];
  const engine = createEngine(directory, async (name: string) => {
    files.push(name);
    return read(`_offprint/search/${name}.js`);
  });
  return {
    directory,
    engine,
    /** Names of the files that were read so far, the directory left out. */
    files,
    async find(query: string, filters: Record<string, string | null> = {}): Promise<Found> {
      files.length = 0;
      const { results, corrections, outside } = await engine.search(query, filters);
      const pages: string[] = [];
      const titles: string[] = [];
      const anchors: Record<string, string[]> = {};
      for (const { sections } of results) {
        const entries = await Promise.all(sections.map((section) => engine.entry(section)));
        pages.push(entries[0]!.output);
        titles.push(entries[0]!.title);
        anchors[entries[0]!.output] = entries.map(({ id }) => id);
      }
      const isPartial = results.map((result) => result.isPartial);
      return { pages, titles, anchors, corrections, outside, isPartial, files: [...files] };
    },
  };
}
