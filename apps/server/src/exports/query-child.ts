/** Main module of a sandbox child: runs test queries on the search of two exports, with its own engine. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPageSearch } from '@offprint/render';
import { serveOnce } from '../platform/sandbox/protocol.ts';

export interface QueryInput {
  queries: readonly string[];
  /** Directories of the search of each export, whose files are in a folder named by its number. */
  sides: readonly (readonly string[])[];
}

/** Pages for each query of each export. */
export type QueryAnswer = string[][][];

/** Pages of a result that are returned. */
const MAX_PAGES = 50;

serveOnce<QueryInput, never, QueryAnswer>(async ({ queries, sides }, { folders }) => {
  const answer: QueryAnswer = [];
  for (const [number, directories] of sides.entries()) {
    const read = async (path: string): Promise<string | null> => {
      const file = join(folders.source, String(number), path);
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    };
    const search = createPageSearch(read, directories);
    const results: string[][] = [];
    for (const query of queries) results.push((await search.find(query)).slice(0, MAX_PAGES));
    answer.push(results);
  }
  return answer;
});
