import { lstat, realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';

/** For a project with a folder as its source on a server that allows none. */
export const FOLDERS_DISABLED =
  'Folder sources are for development and are disabled. An operator can enable them with OFFPRINT_ALLOW_FOLDER_SOURCES.';

/** The folder below which folder sources are allowed: `/` for every folder, null for none. */
export type FolderRoot = string | null;

export type FoundFolder = { path: string } | { fault: 'missing' } | { fault: 'outside'; root: string };

/** The real path of a folder at or below `root`, symbolic links of both resolved. */
export async function findAllowedFolder(path: string, root: string): Promise<FoundFolder> {
  const [real, realRoot] = await Promise.all([resolve(path), resolve(root)]);
  // The same response for all that is outside, so that it does not show which folders exist.
  if (realRoot === null || (real === null && !isBelow(path, root))) return { fault: 'outside', root };
  if (real === null) return { fault: 'missing' };
  if (!isBelow(real, realRoot)) return { fault: 'outside', root };
  return (await lstat(real)).isDirectory() ? { path: real } : { fault: 'missing' };
}

const resolve = (path: string): Promise<string | null> => realpath(path).catch(() => null);

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
