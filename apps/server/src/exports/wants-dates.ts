import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

/** Pages that are checked for their own setting. */
export const MAX_PAGES = 50_000;
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
  for (const name of ['docs.json', 'mint.json'])
    if (showsDates(name, await readFile(join(root, name)).catch(() => Buffer.alloc(0)))) return true;
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
      if (showsDates(entry.name, headOf(path, head))) return true;
      pages += 1;
      if (pages % BATCH === 0) await turn();
      if (pages >= MAX_PAGES) return false;
    }
  }
  return false;
}

/** Whether the content of a file asks for dates. */
export function showsDates(path: string, content: Uint8Array): boolean {
  if (path === 'docs.json' || path === 'mint.json') return /"timestamp"\s*:\s*true\b/.test(textOf(content));
  if (!/\.mdx?$/.test(path)) return false;
  const text = textOf(content.subarray(0, HEAD_BYTES));
  const head = text.startsWith('---') ? (text.split(/\r?\n---/, 1)[0] ?? '') : '';
  return /^(?:timestamp|rss):\s*["']?true\b/m.test(head);
}

const textOf = (content: Uint8Array): string =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8');

/** The start of a file in `buffer`. One call of a thread for each page would take longer. */
function headOf(path: string, buffer: Buffer): Uint8Array {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.byteLength, 0));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (file !== null) closeSync(file);
  }
}
