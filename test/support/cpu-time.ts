/**
 * Measures the CPU time of a test file, with that of the child processes that ended during it, for the list of slow
 * files. Unlike the elapsed time, it is the same on a busy machine. Reports nothing where /proc is missing.
 */
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    cpuSeconds?: number;
  }
}

/** Linux counts in ticks of this many per second on every common architecture. */
const TICKS_PER_SECOND = 100;

const start = cpuSeconds();

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures that a hook uses from this pattern.
afterAll(({}, suite) => {
  const end = cpuSeconds();
  if (start !== null && end !== null) suite.meta.cpuSeconds = end - start;
});

function cpuSeconds(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The second field is the name of the program in parentheses, which may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // utime, stime, cutime and cstime of proc(5).
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return ticks / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}
