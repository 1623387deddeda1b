import { randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { DEFAULT_GIT_LIMITS } from '../../platform/git/policy.ts';
import { pathFault } from '../../platform/git/tree-path.ts';
import { ContentStore, storedEntry } from '../workspace/content-store.ts';
import { contentRule } from '../workspace/contents.ts';
import type { BaseEntry, BaseTree, Change } from '../workspace/workspace.ts';

/** A folder cannot be worked on, or was not written. The message is for people. */
export class FolderError extends Error {
  override name = 'FolderError';
}

export interface FolderLimits {
  files: number;
  /** Bytes of all files that are read, together. */
  bytes: number;
}

/** As of a repository that the server reads. */
export const FOLDER_LIMITS: FolderLimits = {
  files: DEFAULT_GIT_LIMITS.files,
  bytes: DEFAULT_GIT_LIMITS.totalBytes,
};

/**
 * Reads a docs folder as a job finds it: regular files below it, links listed but never followed. Names that
 * start with a dot and `node_modules` are left out: they are not docs, and no job may write there. Throws
 * FolderError.
 */
export async function readFolder(folder: string, limits: FolderLimits = FOLDER_LIMITS): Promise<BaseTree> {
  const entries = new Map<string, BaseEntry>();
  const takes = contentRule();
  const store = new ContentStore(tmpdir());
  let total = 0;
  const add = (entry: BaseEntry, read = 0): void => {
    if (entries.size >= limits.files) {
      throw new FolderError(`${folder} has more than ${limits.files} files. Pass the folder of the docs.`);
    }
    total += read;
    if (total > limits.bytes) {
      const most = Math.floor(limits.bytes / 1_000_000);
      throw new FolderError(
        `The files in ${folder} are larger than ${most} MB. Pass the folder of the docs.`,
      );
    }
    entries.set(entry.path, entry);
  };
  const walk = async (below: string): Promise<void> => {
    for (const child of await childrenOf(join(folder, below))) {
      const path = below === '' ? child.name : `${below}/${child.name}`;
      if (pathFault(path) !== null) continue;
      if (child.isDirectory()) await walk(path);
      else if (child.isSymbolicLink()) add(link(path));
      else if (child.isFile()) {
        const { entry, bytes } = await read(folder, path, { takes, store });
        add(entry, bytes);
      }
    }
  };
  try {
    await walk('');
  } catch (error) {
    if (error instanceof FolderError) throw error;
    throw new FolderError(`Cannot read ${folder}: ${(error as Error).message}`, { cause: error });
  }
  return { entries };
}

async function childrenOf(folder: string): Promise<Dirent[]> {
  const children = await readdir(folder, { withFileTypes: true });
  return children
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const link = (path: string): BaseEntry => ({
  path,
  kind: 'symlink',
  executable: false,
  bytes: 0,
  content: null,
});

async function read(
  folder: string,
  path: string,
  { takes, store }: { takes: ReturnType<typeof contentRule>; store: ContentStore },
): Promise<{ entry: BaseEntry; bytes: number }> {
  const handle = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return { entry: link(path), bytes: 0 };
    const executable = (stat.mode & 0o111) !== 0;
    if (!takes({ path, bytes: stat.size }))
      return { entry: { path, kind: 'file', executable, bytes: stat.size, content: null }, bytes: 0 };
    const content = await handle.readFile();
    const entry = storedEntry(store, { path, executable }, content);
    return { entry, bytes: entry.bytes };
  } finally {
    await handle.close();
  }
}

/** Text of one file below the folder, whatever its name; null if it does not exist or is a link. */
export async function readText(folder: string, path: string): Promise<string | null> {
  try {
    if (!(await isPlain(folder, path))) return null;
    return await readFile(join(folder, path), 'utf8');
  } catch {
    return null;
  }
}

/**
 * The checkout that contains a folder, and the folder's path inside it with slashes; the folder itself
 * without a checkout.
 */
export async function repositoryOf(folder: string): Promise<{ root: string; docsFolder: string }> {
  for (let root = folder; ; root = dirname(root)) {
    if ((await lstat(join(root, '.git')).catch(() => null)) !== null) {
      return { root, docsFolder: relative(root, folder).split(sep).join('/') };
    }
    if (dirname(root) === root) return { root: folder, docsFolder: '' };
  }
}

/** Whether every folder on the way and the file itself are what they seem, and no links. */
async function isPlain(folder: string, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const stat = await lstat(join(folder, ...parts.slice(0, length))).catch(() => null);
    if (stat === null) return false;
    if (length < parts.length ? !stat.isDirectory() : !stat.isFile()) return false;
  }
  return true;
}

/**
 * Writes what a job has changed into the folder that `base` was read from. Every place is checked first: if
 * one of them is no longer what the job has read, nothing at all is written and FolderError names it.
 */
export async function writeChanges(
  folder: string,
  base: BaseTree,
  changes: readonly Change[],
): Promise<void> {
  const moved: string[] = [];
  for (const change of changes) if (!(await isUntouched(folder, base, change))) moved.push(change.path);
  if (moved.length > 0) {
    throw new FolderError(
      `Nothing was written, because these files changed after they were read: ${moved.join(', ')}. Run the command again.`,
    );
  }
  for (const { path, after } of changes) {
    const target = join(folder, path);
    if (after === null) {
      await unlink(target);
      continue;
    }
    await makeFolder(dirname(target));
    await replaceFile(target, after, base.entries.get(path)?.executable === true ? 0o755 : 0o644);
  }
}

async function isUntouched(folder: string, base: BaseTree, { path }: Change): Promise<boolean> {
  if (pathFault(path) !== null) return false;
  const entry = base.entries.get(path);
  if (entry === undefined) return isFree(folder, path);
  if (entry.kind !== 'file' || !(await isPlain(folder, path))) return false;
  const { content } = entry;
  if (content === null) return (await lstat(join(folder, path))).size === entry.bytes;
  return Buffer.from(content).equals(await readFile(join(folder, path)));
}

/** Whether a new file can be made: nothing is there, and the folders on the way are folders or not there yet. */
async function isFree(folder: string, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const stat = await lstat(join(folder, ...parts.slice(0, length))).catch(() => null);
    if (stat === null) return true;
    if (length === parts.length || !stat.isDirectory()) return false;
  }
  return false;
}

/** Readers see the old text or the new one, never a part. */
async function replaceFile(target: string, text: string, mode: number): Promise<void> {
  const partial = `${target}.${randomBytes(6).toString('hex')}.partial`;
  try {
    const handle = await open(partial, 'wx', mode);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
}
