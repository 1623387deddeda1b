import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. Resolves to the folders that it created, parents first; rejects with the
 * error of the system. Use it instead of the option `recursive` of Node 24, which never returns where the file system
 * accepts no folder, as in /proc.
 */
export async function makeFolder(path: string, mode?: number): Promise<string[]> {
  try {
    return await make(path, mode);
  } catch (error) {
    if (!lacksParent(error, path)) throw error;
  }
  const parents = await makeFolder(dirname(path), mode);
  return [...parents, ...(await make(path, mode))];
}

/** `makeFolder` for code that cannot wait. */
export function makeFolderSync(path: string, mode?: number): string[] {
  try {
    return makeSync(path, mode);
  } catch (error) {
    if (!lacksParent(error, path)) throw error;
  }
  const parents = makeFolderSync(dirname(path), mode);
  return [...parents, ...makeSync(path, mode)];
}

async function make(path: string, mode: number | undefined): Promise<string[]> {
  try {
    await mkdir(path, { mode });
    return [path];
  } catch (error) {
    // Systems report a folder that exists with different codes, such as EEXIST, EISDIR and EROFS.
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory()) return [];
    throw error;
  }
}

function makeSync(path: string, mode: number | undefined): string[] {
  try {
    mkdirSync(path, { mode });
    return [path];
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
    throw error;
  }
}

function lacksParent(error: unknown, path: string): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT' && dirname(path) !== path;
}
