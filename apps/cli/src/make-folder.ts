import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents; the folders that it created. Throws the error of the system. The option
 * `recursive` of Node 24 never returns where the file system accepts no folder, as in /proc.
 */
export function makeFolder(path: string, mode?: number): string[] {
  if (existsSync(path)) return [];
  const parents = makeFolder(dirname(path), mode);
  mkdirSync(path, { mode });
  return [...parents, path];
}
