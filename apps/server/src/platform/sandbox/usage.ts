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

/** Of a process and all that it has started, directly or not. */
export interface ProcessUsage {
  residentBytes: number;
  cpuMs: number;
  threads: number;
}

/** More processes than a render and its wrappers ever are; the rest of a larger tree is not counted. */
const MAX_PROCESSES = 256;

/** Usage of a process group by its first process; null where the system does not report it. */
export async function processUsage(pid: number): Promise<ProcessUsage | null> {
  const sum: ProcessUsage = { residentBytes: 0, cpuMs: 0, threads: 0 };
  const waiting = [String(pid)];
  for (let count = 0; waiting.length > 0 && count < MAX_PROCESSES; count += 1) {
    const each = waiting.pop() ?? '';
    try {
      const [children, stat] = await Promise.all([
        readFile(`/proc/${each}/task/${each}/children`, 'utf8'),
        readFile(`/proc/${each}/stat`, 'utf8'),
      ]);
      waiting.push(...children.split(' ').filter((child) => child !== ''));
      // The name of the program is in parentheses and may contain anything. User and system time are fields 14
      // and 15, the number of threads is field 20, and the resident pages are field 24.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      sum.cpuMs += (Number(fields[11]) + Number(fields[12])) * TICK_MS;
      sum.threads += Number(fields[17]);
      sum.residentBytes += Number(fields[21]) * PAGE_BYTES;
    } catch {
      // It ended meanwhile; where the first is not reported, nothing is.
      if (each === String(pid)) return null;
    }
  }
  return sum;
}
