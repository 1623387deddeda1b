import { type FileHandle, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Pages that are checked for their own setting. */
const MAX_PAGES = 50_000;
/** Folders without pages of the docs. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** Front matter is at the start of a page. */
const HEAD_BYTES = 2_048;

/**
 * Whether docs show when their pages were changed: `metadata.timestamp` of docs.json, or `timestamp` or `rss` of a
 * page. Only then is it worth reading the history for dates of single files.
 */
export async function wantsDates(root: string): Promise<boolean> {
  for (const name of ['docs.json', 'mint.json']) {
    const text = await readFile(join(root, name), 'utf8').catch(() => '');
    if (/"timestamp"\s*:\s*true\b/.test(text)) return true;
  }
  let pages = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // Folders may vanish while others are read.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      if (!entry.isFile() || !/\.mdx?$/.test(entry.name)) continue;
      if (/^(?:timestamp|rss):\s*["']?true\b/m.test(await headOf(path))) return true;
      pages += 1;
      if (pages >= MAX_PAGES) return false;
    }
  }
  return false;
}

async function headOf(path: string): Promise<string> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const text = buffer.toString('utf8', 0, bytesRead);
    return text.startsWith('---') ? (text.split(/\r?\n---/, 1)[0] ?? '') : '';
  } catch {
    return '';
  } finally {
    await file?.close();
  }
}
