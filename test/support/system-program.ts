/** Programs of the system that some tests need. A test without its program is skipped with the reason in its name. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Distributions put servers outside the PATH of users. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin'];

/** Path of a program; null if it is not installed. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SERVER_FOLDERS];
  return (
    folders
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path)) ?? null
  );
}

/** For the name of a test: why it is skipped, or nothing. */
export function missing(program: string | null, name: string): string {
  return program === null ? ` (skipped: ${name} is not installed)` : '';
}
