import { readdirSync, readFileSync } from 'node:fs';

/** Options of Node for a process that ends when the test process that started it is killed. */
export const LINKED = [
  '--import',
  new URL('../../scripts/stop-when-orphaned.mjs', import.meta.url).href,
] as const;

/**
 * What every process of the machine says in one file below /proc, such as `cmdline`; '' for one that is gone or
 * closed.
 */
export function readProcesses(file: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'latin1');
      } catch {
        return '';
      }
    });
}
