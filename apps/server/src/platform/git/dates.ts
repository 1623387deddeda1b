import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { GitError } from './error.ts';
import { runGit } from './run.ts';

/** Dates of the last change, RFC 3339 in UTC to the second, by path from the folder asked for. */
export type FileDates = Record<string, string>;

export interface DatesRequest {
  gitDir: string;
  /** Name of a commit as rev-parse takes it. */
  commit: string;
  /** Folder inside the repository without slashes at its ends, '' for all of it. */
  folder: string;
  signal: AbortSignal;
}

/** Maximum commits that are read; older changes stay without a date. */
export const MAX_COMMITS = 20_000;
const MAX_FILES = 200_000;
/** Ends a process that hangs. What a history may take is bounded by its commits and files, not by time. */
const LOCAL_MS = 120_000;

/**
 * Reads from a history when each file was changed last, by the committer dates. Of a history that was cut off (a
 * shallow clone), the oldest commit says nothing: it shows every file as new.
 *
 * What was read when `signal` aborts is given back; a history that cannot be read has no dates. Never throws.
 */
export async function fileDates({ gitDir, commit, folder, signal }: DatesRequest): Promise<FileDates> {
  const dates = new Map<string, string>();
  const prefix = folder === '' ? '' : `${folder}/`;
  try {
    const cut = await shallowCommits(gitDir, signal);
    const reader = createReader((path, id, date) => {
      const name = path.startsWith(prefix) ? path.slice(prefix.length) : null;
      // The first commit that names a file is the last that changed it, so it also hides the cut ones.
      if (name !== null && !dates.has(name) && dates.size < MAX_FILES)
        dates.set(name, cut.has(id) ? '' : date);
    });
    await runGit({
      gitDir,
      signal,
      args: [
        'log',
        '-z',
        '--format=%x01%H %ct',
        '--name-only',
        '--no-renames',
        '--no-ext-diff',
        '--no-textconv',
        '--no-show-signature',
        '--no-color',
        `--max-count=${MAX_COMMITS}`,
        '--end-of-options',
        commit,
        '--',
        ...(folder === '' ? [] : [`:(top,literal)${folder}`]),
      ],
      async consume(stdout) {
        for await (const chunk of stdout) reader(chunk);
      },
    });
  } catch (error) {
    if (!signal.aborted && !(error instanceof GitError)) throw error;
  }
  return Object.fromEntries([...dates].filter(([, date]) => date !== ''));
}

/** Commits whose parents were left out when the history was fetched. */
async function shallowCommits(gitDir: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { status, stdout } = await runGit({ gitDir, signal, args: ['rev-parse', '--git-path', 'shallow'] });
  if (status !== 0) return new Set();
  const path = resolve(gitDir, stdout.toString('utf8').trim());
  const text = await readFile(path, 'utf8').catch(() => '');
  return new Set(text.split('\n').filter((line) => line !== ''));
}

/** Takes the output of `git log -z --name-only` in pieces: `\x01<id> <seconds>`, then the paths of that commit. */
function createReader(found: (path: string, id: string, date: string) => void): (chunk: Buffer) => void {
  const rest: Buffer[] = [];
  let id = '';
  let date = '';
  const take = (token: string): void => {
    const header = /^\x01([0-9a-f]{40,64}) (\d{1,12})$/.exec(token);
    if (header === null) {
      const path = token.startsWith('\n') ? token.slice(1) : token;
      if (path !== '' && date !== '') found(path, id, date);
      return;
    }
    id = header[1] ?? '';
    date = new Date(Number(header[2]) * 1000).toISOString().replace('.000Z', 'Z');
  };
  return (chunk) => {
    for (let at = 0; at < chunk.byteLength; ) {
      const end = chunk.indexOf(0, at);
      rest.push(chunk.subarray(at, end === -1 ? chunk.byteLength : end));
      if (end === -1) return;
      take(Buffer.concat(rest.splice(0)).toString('utf8'));
      at = end + 1;
    }
  };
}

/**
 * Dates of the files of a folder in a checkout on this machine, by the history of what is checked out. Empty
 * where there is no repository or no Git. Nothing of the repository is run, whatever its configuration says.
 */
export async function checkoutDates(folder: string): Promise<FileDates> {
  const found = await findRepository(resolve(folder));
  if (found === null) return {};
  return fileDates({
    gitDir: found.gitDir,
    commit: 'HEAD',
    folder: resolve(folder).slice(found.root.length).replaceAll('\\', '/').replace(/^\/+/, ''),
    signal: AbortSignal.timeout(LOCAL_MS),
  });
}

/** The closest folder above with a `.git`, which in worktrees is a file that names the folder. */
async function findRepository(folder: string): Promise<{ root: string; gitDir: string } | null> {
  for (let root = folder; ; root = dirname(root)) {
    const path = join(root, '.git');
    const info = await stat(path).catch(() => null);
    if (info?.isDirectory()) return { root, gitDir: path };
    if (info?.isFile()) {
      const target = /^gitdir: (.+)$/m.exec(await readFile(path, 'utf8'))?.[1];
      return target === undefined ? null : { root, gitDir: resolve(root, target.trim()) };
    }
    if (root === dirname(root)) return null;
  }
}
