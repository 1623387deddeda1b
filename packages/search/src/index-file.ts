import { type ReadFile, readText } from './site-files.ts';

/** The search index of a site is missing a file, or a file of it is damaged. */
export class DamagedIndexError extends Error {
  override name = 'DamagedIndexError';
}

/** The largest file is a directory: some bytes for each page. */
export const MAX_INDEX_FILE = 16 * 1024 * 1024;

const START = 'offprintSearch("';
const END = ');\n';

/** Data of a file of the index. It is a script with one call, which is read as data and never run. */
export async function readIndexFile(
  read: ReadFile,
  path: string,
): Promise<{ data: unknown; bytes: number } | null> {
  const script = await readText(read, path, MAX_INDEX_FILE);
  return script === null ? null : { data: parseIndexFile(script, path), bytes: script.length };
}

/** As `readIndexFile`, from the text of the script. Throws a DamagedIndexError. */
export function parseIndexFile(script: string, path: string): unknown {
  const start = script.indexOf(',');
  try {
    if (start < 0 || !script.startsWith(START) || !script.endsWith(END)) throw new SyntaxError('no call');
    return JSON.parse(script.slice(start + 1, -END.length));
  } catch (error) {
    throw new DamagedIndexError(`${path} is not a file of a search index.`, { cause: error });
  }
}
