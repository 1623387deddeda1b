import { randomBytes } from 'node:crypto';
import { GitError, redact } from './error.ts';
import { eachRecord } from './output.ts';
import type { CommitFacts, CommitRequest } from './remote.ts';
import { checkObjectId, isCommitId } from './repository.ts';
import { runGit } from './run.ts';
import { pathFault } from './tree-path.ts';

/**
 * Makes a commit without a checkout: a tree that is there, with some texts put in their place. The same request
 * gives the same object name on every machine. Throws GitError `invalid` for a path that cannot be written.
 */
export async function writeCommit(
  gitDir: string,
  request: CommitRequest,
  signal: AbortSignal,
): Promise<string> {
  const { parent, also = [], files } = request;
  const from = request.from ?? parent;
  for (const id of [parent, from, ...also]) checkObjectId(id);
  for (const path of files.keys()) {
    const fault = pathFault(path);
    if (fault !== null) throw unwritable(path, fault);
  }
  const modes = files.size === 0 ? new Map<string, string>() : await modesOf(gitDir, from, files, signal);
  const [tree = ''] = from === parent ? [] : await treesOf(gitDir, [from], signal);
  const { name, email } = request.author;
  const person = `${plain(name) || 'Offprint'} <${plain(email)}> ${Math.floor(request.at.getTime() / 1000)} +0000`;
  const stream = function* (): Iterable<string> {
    yield `commit ${scratchRef()}\nmark :1\nauthor ${person}\ncommitter ${person}\n${data(request.message)}`;
    yield `from ${parent}\n${also.map((id) => `merge ${id}\n`).join('')}`;
    if (tree !== '') yield `M 040000 ${tree} ""\n`;
    for (const [path, text] of files) if (text === null) yield `D ${quoted(path)}\n`;
    for (const [path, text] of files) {
      if (text !== null) yield `M ${modes.get(path) ?? '100644'} inline ${quoted(path)}\n${data(text)}`;
    }
    yield 'get-mark :1\n';
  };
  const [commit = ''] = await importObjects(gitDir, stream(), signal);
  return commit;
}

/**
 * Three-way merge of trees, whatever their histories say. Texts that both sides changed differently conflict; the
 * tree then holds them with markers, and `conflicts` names them.
 */
export async function mergeTrees(
  gitDir: string,
  request: { base: string; ours: string; theirs: string },
  signal: AbortSignal,
): Promise<{ tree: string; conflicts: string[] }> {
  const sides = [request.base, request.ours, request.theirs];
  for (const id of sides) checkObjectId(id);
  const [base = '', ours = '', theirs = ''] = await treesOf(gitDir, sides, signal);
  // Commits made up for the merge give it this base and no other, and need nothing of a history that is not here.
  const commit = (mark: number, tree: string, from: string): string =>
    `commit ${scratchRef()}\nmark :${mark}\ncommitter Offprint <> 0 +0000\n${data('')}${from}M 040000 ${tree} ""\n`;
  const made = await importObjects(
    gitDir,
    [
      commit(1, base, ''),
      commit(2, ours, 'from :1\n'),
      commit(3, theirs, 'from :1\n'),
      'get-mark :2\nget-mark :3\n',
    ],
    signal,
  );
  const { status, stdout, stderr } = await runGit({
    gitDir,
    signal,
    args: ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...made],
    settings: ['merge.directoryRenames=false'],
  });
  if (status !== 0 && status !== 1)
    throw new Error(`git merge-tree exited with ${status}: ${stderr.slice(0, 500)}`);
  const [tree = '', ...conflicts] = stdout
    .toString('utf8')
    .split('\0')
    .filter((part) => part !== '');
  checkObjectId(tree);
  return { tree, conflicts: [...new Set(conflicts)] };
}

/** Reads a commit that is here. Throws GitError `ref-not-found`. */
export async function readCommit(gitDir: string, commit: string, signal: AbortSignal): Promise<CommitFacts> {
  checkObjectId(commit);
  const { status, stdout } = await runGit({ gitDir, signal, args: ['cat-file', 'commit', commit] });
  const text = stdout.toString('utf8');
  const end = text.indexOf('\n\n');
  const head = end === -1 ? text : text.slice(0, end);
  const tree = /^tree ([0-9a-f]+)$/m.exec(head)?.[1];
  if (status !== 0 || tree === undefined) throw notHere(commit);
  const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1] ?? '');
  const seconds = /^committer .*> (\d{1,12}) [+-]\d+$/m.exec(head)?.[1];
  return {
    tree,
    parents,
    message: end === -1 ? '' : text.slice(end + 2),
    at: new Date(Number(seconds ?? 0) * 1000),
  };
}

/** Modes of files that will be overwritten; texts must not replace anything else. */
async function modesOf(
  gitDir: string,
  from: string,
  files: CommitRequest['files'],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const modes = new Map<string, string>();
  const written = [...files].filter(([, text]) => text !== null).map(([path]) => path);
  const folders = new Set(written.flatMap(foldersOf));
  const writes = new Set(written);
  const { status } = await runGit({
    gitDir,
    signal,
    args: ['ls-tree', '-r', '-z', '--full-tree', from],
    consume: (stdout) =>
      eachRecord(stdout, (record) => {
        const [mode = ''] = record.split(' ', 1);
        const path = record.slice(record.indexOf('\t') + 1);
        if (files.get(path) === null) return;
        if (writes.has(path)) {
          if (!mode.startsWith('100')) throw unwritable(path, 'the path is a link or a submodule');
          modes.set(path, mode === '100755' ? mode : '100644');
        } else if (folders.has(path) || foldersOf(path).some((folder) => writes.has(folder))) {
          throw unwritable(path, 'a file and a folder would have the same name');
        }
      }),
  });
  if (status !== 0) throw notHere(from);
  return modes;
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function treesOf(gitDir: string, ids: readonly string[], signal: AbortSignal): Promise<string[]> {
  const names = ids.map((id) => `${id}^{tree}`);
  const { status, stdout } = await runGit({ gitDir, signal, args: ['rev-parse', ...names] });
  if (status !== 0) throw notHere(ids.join(' or '));
  return stdout.toString('latin1').trim().split('\n');
}

/** Writes objects by a `git fast-import` stream; returns the output of its `get-mark` commands. */
async function importObjects(
  gitDir: string,
  stream: Iterable<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const input = function* (): Iterable<string> {
    yield* stream;
    yield 'done\n';
  };
  const { status, stdout, stderr } = await runGit({
    gitDir,
    signal,
    input: input(),
    args: ['fast-import', '--quiet', '--done', '--date-format=raw'],
  });
  const ids = stdout.toString('latin1').trim().split('\n');
  if (status === 0 && ids.every(isCommitId)) return ids;
  throw new Error(`git fast-import exited with ${status}: ${redact(stderr).slice(0, 500)}`);
}

/** A name of its own, so that what is made is kept and nothing made before is asked about. */
function scratchRef(): string {
  return `refs/offprint/made/${randomBytes(8).toString('hex')}`;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

function quoted(path: string): string {
  return `"${path.replaceAll('"', '\\"')}"`;
}

/** A name made safe for the head of a commit. */
function plain(text: string): string {
  return redact(text)
    .replace(/[<>\n\t]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}

function notHere(id: string): GitError {
  return new GitError('ref-not-found', `The commit ${id} was not fetched.`);
}

function unwritable(path: string, why: string): GitError {
  return new GitError('invalid', `The file "${redact(path.slice(0, 200))}" cannot be written: ${why}.`);
}
