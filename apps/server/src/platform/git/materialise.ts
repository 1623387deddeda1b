import { writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { GitError, tooLarge, unexpectedLine } from './error.ts';
import { type KeptFiles, MAX_KEPT_BYTES, openKeptFiles } from './kept-files.ts';
import { type ByteReader, byteReader, eachRecord } from './output.ts';
import type { GitLimits } from './policy.ts';
import { runGit } from './run.ts';
import { pathFault } from './tree-path.ts';

/** Something of a tree that did not become a file. */
export interface Skipped {
  /** Path from the docs root; control characters escaped. */
  path: string;
  reason:
    | 'symlink'
    | 'submodule'
    | 'unsafe-path'
    | 'too-large'
    | 'lfs-pointer'
    | 'name-collision'
    | 'special-file';
  /** One sentence for people. */
  message: string;
}

export interface TreeFile {
  path: string;
  objectId: string;
  bytes: number;
}

interface TreeSource {
  gitDir: string;
  /** Full object name of the commit. */
  commit: string;
  /** As from checkFolder. */
  folder: string;
  limits: GitLimits;
  signal: AbortSignal;
}

/**
 * Lists the regular files of a folder of a commit, in tree order. Links and submodules are reported, not entered.
 * Throws GitError `folder-not-found`, `too-large`.
 */
export async function listTree(source: TreeSource): Promise<{ files: TreeFile[]; skipped: Skipped[] }> {
  const { limits } = source;
  const files: TreeFile[] = [];
  const skipped: Skipped[] = [];
  let total = 0;
  const take = (record: string): void => {
    const entry = /^(\d{6}) (\w+) ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(record);
    if (entry === null) throw unexpectedLine(record);
    const [, mode = '', , objectId = '', size = '', path = ''] = entry;
    if (files.length + skipped.length >= limits.files) {
      throw tooLarge(limits.files, 'files');
    }
    const reject = skipReason(mode, path, Number(size), limits);
    if (reject !== null) {
      skipped.push({ path: printable(path), ...reject });
      return;
    }
    total += Number(size);
    if (total > limits.totalBytes) {
      throw tooLarge(limits.totalBytes, 'bytes');
    }
    files.push({ path, objectId, bytes: Number(size) });
  };
  const { status } = await runGit({
    gitDir: source.gitDir,
    args: ['ls-tree', '-r', '-z', '-l', '--full-tree', `${source.commit}:${source.folder}`],
    signal: source.signal,
    consume: (stdout) => eachRecord(stdout, take),
  });
  if (status !== 0) {
    throw new GitError('folder-not-found', `The repository has no folder "${source.folder}" at this commit.`);
  }
  return { files, skipped };
}

function skipReason(
  mode: string,
  path: string,
  bytes: number,
  limits: GitLimits,
): Omit<Skipped, 'path'> | null {
  const fault = pathFault(path);
  if (fault !== null) return { reason: 'unsafe-path', message: `Excluded: ${fault}.` };
  if (mode === '120000')
    return {
      reason: 'symlink',
      message: 'Excluded: symbolic links are not followed. Commit the file itself.',
    };
  if (mode === '160000')
    return {
      reason: 'submodule',
      message: 'Excluded: submodules are not fetched. Commit the files to this repository.',
    };
  if (mode !== '100644' && mode !== '100755' && mode !== '100664') {
    return { reason: 'special-file', message: `Excluded: not a regular file (mode ${mode}).` };
  }
  if (bytes > limits.fileBytes) {
    return {
      reason: 'too-large',
      message: `Excluded: ${bytes} bytes exceed the limit of ${limits.fileBytes}.`,
    };
  }
  return null;
}

const LFS_POINTER = Buffer.from('version https://git-lfs.github.com/spec/');
const SMALL_FILE = 1024 ** 2;

/**
 * Writes files of a commit below `into`, byte for byte as they are stored: no filter, line-end conversion, keyword
 * or executable bit. `into` must be empty and nobody else's; files in it may be read-only, with other names in the
 * folder `kept`, which later calls use. Returns what was left out on the way.
 */
export async function writeFiles(
  source: Pick<TreeSource, 'gitDir' | 'signal'>,
  files: readonly TreeFile[],
  into: string,
  kept: string | null = null,
): Promise<Skipped[]> {
  for (const folder of new Set(files.map(({ path }) => dirname(join(into, path))))) {
    await makeFolder(folder);
  }
  const skipped: Skipped[] = [];
  const store = kept === null ? null : await openKeptFiles(kept, files);
  const unknown = files.filter(({ objectId }) => store?.has(objectId) !== true);
  const { status } = await runGit({
    gitDir: source.gitDir,
    args: ['cat-file', '--batch', '--buffer'],
    signal: source.signal,
    input: unknown.map(({ objectId }) => `${objectId}\n`),
    consume: (stdout) => writeBatch(stdout, files, { into, store }, skipped),
  });
  if (status !== 0) throw new GitError('invalid', 'The repository contains an object that cannot be read.');
  return skipped;
}

async function writeBatch(
  stdout: AsyncIterable<Buffer>,
  files: readonly TreeFile[],
  { into, store }: { into: string; store: KeptFiles | null },
  skipped: Skipped[],
): Promise<void> {
  const reader = byteReader(stdout);
  for (const file of files) {
    const target = join(into, file.path);
    if (store?.has(file.objectId) === true) {
      await orCollision(file, skipped, async () => store.take(file.objectId, target));
      continue;
    }
    const header = await reader.line();
    if (header !== `${file.objectId} blob ${file.bytes}`) {
      throw new GitError(
        'invalid',
        `The repository does not contain the content of ${printable(file.path)}.`,
      );
    }
    if (file.bytes > SMALL_FILE) {
      await orCollision(file, skipped, () => writeLarge(reader, target, file.bytes));
    } else {
      const content = await reader.bytes(file.bytes);
      if (content.subarray(0, LFS_POINTER.byteLength).equals(LFS_POINTER) && file.bytes < 1024) {
        const message =
          'Excluded: its content is in Git LFS, which is not fetched. Commit the file without LFS.';
        skipped.push({ path: printable(file.path), reason: 'lfs-pointer', message });
      } else {
        // Microseconds each; calls of a thread for a thousand files take a second on a busy machine.
        await orCollision(file, skipped, async () => {
          writeFileSync(target, content, { flag: 'wx', mode: 0o644 });
          if (file.bytes <= MAX_KEPT_BYTES) store?.add(file.objectId, target);
        });
      }
    }
    await reader.bytes(1);
  }
}

async function writeLarge(reader: ByteReader, target: string, bytes: number): Promise<void> {
  let handle: FileHandle | undefined;
  let failure: unknown;
  try {
    handle = await open(target, 'wx', 0o644);
  } catch (error) {
    failure = error;
  }
  // The content is read in any case, so that the next header is found.
  for (let left = bytes; left > 0; ) {
    const chunk = await reader.some(left);
    left -= chunk.byteLength;
    await handle?.writeFile(chunk);
  }
  await handle?.close();
  if (failure !== undefined) throw failure;
}

async function orCollision(file: TreeFile, skipped: Skipped[], write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const message =
      'Excluded: another file has the same name apart from case or Unicode form. Rename one of them.';
    skipped.push({ path: printable(file.path), reason: 'name-collision', message });
  }
}

/** A hostile name made safe for logs and responses. */
function printable(path: string): string {
  return path
    .slice(0, 1024)
    .replace(
      /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
    );
}
