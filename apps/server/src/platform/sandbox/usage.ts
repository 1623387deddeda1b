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
/** /proc counts CPU time in hundredths of a second on every platform that Node supports. */
const TICK_MS = 10;

export interface ProcessUsage {
  residentBytes: number;
  /** CPU time of all its threads. */
  cpuMs: number;
}

/**
 * Usage of the newest process below `pid`, which wrappers started one in another; null where the system does not
 * report it.
 */
export async function processUsage(pid: number): Promise<ProcessUsage | null> {
  try {
    let leaf = String(pid);
    for (let depth = 0; depth < 8; depth += 1) {
      const [child] = (await readFile(`/proc/${leaf}/task/${leaf}/children`, 'utf8')).trim().split(' ');
      if (child === undefined || child === '') break;
      leaf = child;
    }
    const stat = await readFile(`/proc/${leaf}/stat`, 'utf8');
    // The name of the program is in parentheses and may contain anything. User and system time are fields 14
    // and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      residentBytes: Number(fields[21]) * PAGE_BYTES,
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    };
  } catch {
    return null;
  }
}
