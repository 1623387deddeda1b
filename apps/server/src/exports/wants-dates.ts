import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

/** Pages that are checked for their own setting. */
const MAX_PAGES = 50_000;
/** Folders without pages of the docs. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** Front matter is at the start of a page. */
const HEAD_BYTES = 2_048;
/** Pages between two turns of the event loop. */
const BATCH = 256;

/**
 * Whether docs show when their pages were changed: `metadata.timestamp` of docs.json, or `timestamp` or `rss` of a
 * page. Only then is it worth reading the history for dates of single files.
 */
export async function wantsDates(root: string): Promise<boolean> {
  for (const name of ['docs.json', 'mint.json']) {
    const text = await readFile(join(root, name), 'utf8').catch(() => '');
    if (/"timestamp"\s*:\s*true\b/.test(text)) return true;
  }
  const head = Buffer.alloc(HEAD_BYTES);
  let pages = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // Folders may vanish while others are read.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      if (!entry.isFile() || !/\.mdx?$/.test(entry.name)) continue;
      if (/^(?:timestamp|rss):\s*["']?true\b/m.test(headOf(path, head))) return true;
      pages += 1;
      if (pages % BATCH === 0) await turn();
      if (pages >= MAX_PAGES) return false;
    }
  }
  return false;
}

/** Front matter of a page, as far as `buffer` holds it. One call of a thread for each page would take longer. */
function headOf(path: string, buffer: Buffer): string {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const text = buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.byteLength, 0));
    return text.startsWith('---') ? (text.split(/\r?\n---/, 1)[0] ?? '') : '';
  } catch {
    return '';
  } finally {
    if (file !== null) closeSync(file);
  }
}
