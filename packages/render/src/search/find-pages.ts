import { createEngine } from '@offprint/search/engine';

/** Finds pages as the search of an exported site does. */
export interface PageSearch {
  /** Paths of pages without extension, best first. */
  find(query: string): Promise<string[]>;
}

/** Pages of each language that are compared. */
const MAX_RESULTS = 100;

/**
 * The search of a site with its own engine. `read` returns files of the site, null for those that are not there;
 * `directories` are the paths of `_offprint/search*.js`. Files of the index are scripts; they are read as data and never
 * run. Throws a TypeError where one is damaged.
 */
export function createPageSearch(
  read: (path: string) => Promise<string | null>,
  directories: readonly string[],
): PageSearch {
  const data = async (path: string): Promise<unknown> => {
    const script = await read(path);
    const start = script?.indexOf(',') ?? -1;
    if (script === null || !script.startsWith('offprintSearch("') || !script.endsWith(');\n'))
      throw new TypeError(`${path} is not a file of a search index`);
    return JSON.parse(script.slice(start + 1, -');\n'.length));
  };
  const engines = directories.map(async (path) => {
    const directory = await data(path);
    if (typeof directory !== 'object' || directory === null)
      throw new TypeError(`${path} is not the directory of a search index`);
    return createEngine(directory, (name: string) => data(`_offprint/search/${name}.js`));
  });
  return {
    async find(query) {
      const lists: string[][] = [];
      for (const opened of engines) {
        const engine = await opened;
        const { results } = await engine.search(query);
        const pages: string[] = [];
        for (const { sections } of results.slice(0, MAX_RESULTS)) {
          const [section] = sections;
          if (section === undefined) continue;
          const { output } = await engine.entry(section);
          pages.push(String(output).replace(/\.html$/, ''));
        }
        lists.push(pages);
      }
      return lists.flat();
    },
  };
}

/** Paths of the directories of the search among the files of a site. */
export function searchDirectories(paths: Iterable<string>): string[] {
  return [...paths].filter((path) => /^_offprint\/search(?:\.[a-z][a-z0-9-]*)?\.js$/.test(path)).sort();
}
