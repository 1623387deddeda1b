import { isUtf8 } from 'node:buffer';
import { GitError, redact, tooLarge, unexpectedLine } from './error.ts';
import { byteReader, eachRecord } from './output.ts';
import type { GitLimits } from './policy.ts';
import type { TreeEntry } from './remote.ts';
import { checkObjectId } from './repository.ts';
import { runGit } from './run.ts';
import { checkFolder, pathFault } from './tree-path.ts';

/**
 * Everything below a folder of a commit, in tree order. Links and submodules are named and not entered; a path that
 * could not be a safe file name is left out.
 *
 * Throws GitError `folder-not-found`, `too-large`.
 */
export async function listTree(
  gitDir: string,
  request: { commit: string; folder: string; limits: GitLimits },
  signal: AbortSignal,
): Promise<TreeEntry[]> {
  const { commit, limits } = request;
  checkObjectId(commit);
  const folder = checkFolder(request.folder);
  const entries: TreeEntry[] = [];
  const take = (record: string): void => {
    const entry = entryOf(record);
    if (entry === null || pathFault(entry.path) !== null) return;
    if (entries.length >= limits.files) throw tooLarge(limits.files, 'files');
    entries.push(entry);
  };
  const { status } = await runGit({
    gitDir,
    args: ['ls-tree', '-r', '-z', '-l', '--full-tree', `${commit}:${folder}`],
    signal,
    consume: (stdout) => eachRecord(stdout, take),
  });
  if (status !== 0) {
    throw new GitError('folder-not-found', `The repository has no folder "${folder}" at this commit.`);
  }
  return entries;
}

function entryOf(record: string): TreeEntry | null {
  const entry = /^(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(record);
  if (entry === null) throw unexpectedLine(record);
  const [, mode = '', objectId = '', size = '', path = ''] = entry;
  const kind = mode === '120000' ? 'symlink' : mode === '160000' ? 'submodule' : 'file';
  if (kind === 'file' && !mode.startsWith('100')) return null;
  const bytes = size === '-' ? 0 : Number(size);
  return { path, objectId, kind, executable: mode === '100755', bytes };
}

/** Calls `take` with the content of each file, in their order. Throws GitError `too-large`, `invalid`. */
export async function readContents(
  gitDir: string,
  { files, limits }: { files: readonly TreeEntry[]; limits: Pick<GitLimits, 'totalBytes'> },
  take: (file: TreeEntry, content: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> {
  if (files.length === 0) return;
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > limits.totalBytes)
    throw tooLarge(limits.totalBytes, 'bytes');
  const { status } = await runGit({
    gitDir,
    signal,
    args: ['cat-file', '--batch', '--buffer'],
    input: files.map(({ objectId }) => `${objectId}\n`),
    async consume(stdout) {
      const reader = byteReader(stdout);
      for (const file of files) {
        if ((await reader.line()) !== `${file.objectId} blob ${file.bytes}`) {
          throw new GitError(
            'invalid',
            `The repository does not contain the content of ${redact(file.path)}.`,
          );
        }
        take(file, await reader.bytes(file.bytes));
        await reader.bytes(1);
      }
    },
  });
  if (status !== 0) throw new GitError('invalid', 'The repository contains an object that cannot be read.');
}

const MAX_TEXT_BYTES = 1024 ** 2;

/** One regular file of a commit or tree as UTF-8 text; null when it is not there, larger than 1 MB, or no text. */
export async function readText(
  gitDir: string,
  commit: string,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  checkObjectId(commit);
  if (pathFault(path) !== null) return null;
  const entries: TreeEntry[] = [];
  const { status } = await runGit({
    gitDir,
    args: ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', commit, '--', path],
    signal,
    consume: (stdout) =>
      eachRecord(stdout, (record) => {
        const entry = entryOf(record);
        if (entry?.kind === 'file' && entry.path === path && entry.bytes <= MAX_TEXT_BYTES)
          entries.push(entry);
      }),
  });
  if (status !== 0) throw new GitError('ref-not-found', `The commit ${commit} was not fetched.`);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text: string | null = null;
  const take = (_file: TreeEntry, content: Uint8Array): void => {
    if (isUtf8(content)) text = decoder.decode(content);
  };
  await readContents(gitDir, { files: entries, limits: { totalBytes: MAX_TEXT_BYTES } }, take, signal);
  return text;
}
