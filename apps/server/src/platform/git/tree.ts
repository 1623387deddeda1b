import { GitError, redact, tooLarge, unexpectedLine } from './error.ts';
import { byteReader, eachRecord } from './output.ts';
import type { GitLimits } from './policy.ts';
import type { TakesContent, TreeEntry } from './remote.ts';
import { checkObjectId } from './repository.ts';
import { runGit } from './run.ts';
import { checkFolder, pathFault } from './tree-path.ts';

interface Row extends TreeEntry {
  objectId: string;
}

/**
 * Everything below a folder of a commit, in tree order, with the contents of the files that `takes` names. Links and submodules are named and not entered; a path that could not be a safe file name is left
 * out.
 *
 * Throws GitError `folder-not-found`, `too-large`.
 */
export async function readTree(
  gitDir: string,
  request: { commit: string; folder: string; takes: TakesContent; limits: GitLimits },
  signal: AbortSignal,
): Promise<TreeEntry[]> {
  const { commit, takes, limits } = request;
  checkObjectId(commit);
  const folder = checkFolder(request.folder);
  const rows: Row[] = [];
  const wanted: Row[] = [];
  let total = 0;
  const take = (record: string): void => {
    const row = rowOf(record);
    if (row === null || pathFault(row.path) !== null) return;
    if (rows.length >= limits.files) {
      throw tooLarge(limits.files, 'files');
    }
    rows.push(row);
    if (row.kind !== 'file' || !takes(row)) return;
    wanted.push(row);
    total += row.bytes;
    if (total > limits.totalBytes) {
      throw tooLarge(limits.totalBytes, 'bytes');
    }
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
  if (wanted.length > 0) await readContents(gitDir, wanted, signal);
  return rows.map(({ objectId: _objectId, ...entry }) => entry);
}

function rowOf(record: string): Row | null {
  const entry = /^(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(record);
  if (entry === null) throw unexpectedLine(record);
  const [, mode = '', objectId = '', size = '', path = ''] = entry;
  const kind = mode === '120000' ? 'symlink' : mode === '160000' ? 'submodule' : 'file';
  if (kind === 'file' && !mode.startsWith('100')) return null;
  const bytes = size === '-' ? 0 : Number(size);
  return { path, objectId, kind, executable: mode === '100755', bytes, content: null };
}

async function readContents(gitDir: string, rows: readonly Row[], signal: AbortSignal): Promise<void> {
  const { status } = await runGit({
    gitDir,
    signal,
    args: ['cat-file', '--batch', '--buffer'],
    input: rows.map(({ objectId }) => `${objectId}\n`),
    async consume(stdout) {
      const reader = byteReader(stdout);
      for (const row of rows) {
        if ((await reader.line()) !== `${row.objectId} blob ${row.bytes}`) {
          throw new GitError(
            'invalid',
            `The repository does not contain the content of ${redact(row.path)}.`,
          );
        }
        // A copy: pieces of an output share the memory they came in.
        row.content = Uint8Array.from(await reader.bytes(row.bytes));
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
  const rows: Row[] = [];
  const { status } = await runGit({
    gitDir,
    args: ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', commit, '--', path],
    signal,
    consume: (stdout) =>
      eachRecord(stdout, (record) => {
        const row = rowOf(record);
        if (row?.kind === 'file' && row.path === path && row.bytes <= MAX_TEXT_BYTES) rows.push(row);
      }),
  });
  if (status !== 0) throw new GitError('ref-not-found', `The commit ${commit} was not fetched.`);
  const [row] = rows;
  if (row === undefined) return null;
  await readContents(gitDir, [row], signal);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(row.content ?? new Uint8Array());
  } catch {
    return null;
  }
}
