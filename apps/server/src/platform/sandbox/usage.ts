import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files below a folder; links count as themselves. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await folderBytes(path);
    else if (entry.isFile())
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}

const PAGE_BYTES = 4096;

/**
 * Resident memory in bytes of the newest process below `pid`, which wrappers started one in another;
 * null where the system does not tell.
 */
export async function residentBytes(pid: number): Promise<number | null> {
  try {
    let leaf = String(pid);
    for (let depth = 0; depth < 8; depth += 1) {
      const [child] = (await readFile(`/proc/${leaf}/task/${leaf}/children`, 'utf8')).trim().split(' ');
      if (child === undefined || child === '') break;
      leaf = child;
    }
    return Number((await readFile(`/proc/${leaf}/statm`, 'utf8')).split(' ')[1]) * PAGE_BYTES;
  } catch {
    return null;
  }
}
