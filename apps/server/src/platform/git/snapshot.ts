import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NetworkError } from '../net/error.ts';
import { checkHost, type HostAddress } from '../net/host.ts';
import { type Access, withAccess } from './credential.ts';
import { type FileDates, fileDates } from './dates.ts';
import { GitError, redact } from './error.ts';
import { failureOf } from './failure.ts';
import { listTree, type Skipped, writeFiles } from './materialise.ts';
import type { GitCredential, GitLimits, GitPolicy } from './policy.ts';
import { checkRef, isCommitId, parseRepository, type Repository } from './repository.ts';
import { runGit } from './run.ts';
import { checkFolder } from './tree-path.ts';

export interface SnapshotRequest {
  /** Address as parseRepository takes it. */
  repository: string;
  /** Branch, tag or full commit id; null = the default branch. */
  ref: string | null;
  /** Folder inside the repository, '' for all of it. */
  folder: string;
  /** Folder to fill; made when it is not there, else it must be empty. */
  into: string;
  credential?: GitCredential;
  policy: GitPolicy;
  limits: GitLimits;
  signal: AbortSignal;
  /** Whether the files that were written need dates of their own, for which the history is fetched; default no. */
  wantsDates?(root: string): Promise<boolean>;
}

export interface RepositorySnapshot {
  /** Full object name, which the files were read from. */
  commit: string;
  /** Committer date in UTC, RFC 3339 to the second. */
  committedAt: string;
  /** Name of the branch or tag, or the commit when that was asked for. */
  ref: string;
  files: number;
  bytes: number;
  skipped: Skipped[];
  /** By path; undefined when they were not wanted, or the history could not be had within its limits. */
  dates?: FileDates;
}

/**
 * Copies the regular files of one commit into a folder, without a checkout: nothing of the repository is run,
 * followed or interpreted. On failure the folder is left to the caller to delete.
 *
 * Throws GitError, or the reason of `signal` when it aborts.
 */
export async function snapshotRepository(request: SnapshotRequest): Promise<RepositorySnapshot> {
  const { limits } = request;
  const repository = parseRepository(request.repository, request.policy);
  const folder = checkFolder(request.folder);
  const asked = request.ref === null ? null : checkRef(request.ref);
  await mkdir(request.into, { recursive: true });
  const work = await mkdtemp(join(dirname(request.into), '.git-work-'));
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  const transfer = new AbortController();
  const signal = AbortSignal.any([request.signal, deadline, transfer.signal]);
  const gitDir = join(work, 'repository');
  try {
    const addresses = await checkedAddresses(repository, request.policy);
    const { commit, ref } = await withAccess(
      repository,
      addresses,
      request.credential,
      request.policy,
      work,
      (access) => fetchCommit({ repository, gitDir, access, asked, limits, signal, transfer }),
    );
    const source = { gitDir, commit, folder, limits, signal };
    const { files, skipped } = await listTree(source);
    const unwritten = await writeFiles(source, files, request.into);
    skipped.push(...unwritten);
    const wanted = (await request.wantsDates?.(request.into)) === true;
    const dates = wanted
      ? await historyDates({ request, repository, addresses, work, commit, folder, signal })
      : undefined;
    return {
      ...(dates === undefined ? {} : { dates }),
      commit,
      committedAt: await commitDate(gitDir, commit, signal),
      ref,
      files: files.length - unwritten.length,
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      skipped,
    };
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    if (transfer.signal.aborted) throw transfer.signal.reason;
    if (deadline.aborted) {
      throw new GitError(
        'timeout',
        `Reading ${redact(repository.url)} took longer than ${Math.round(limits.timeoutMs / 1000)} s.`,
      );
    }
    throw error;
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Commits of a history that is fetched, and what that may take: dates are worth less than the export. */
const HISTORY_COMMITS = 2_000;
const HISTORY_BYTES = 128 * 1024 ** 2;
const HISTORY_MS = 60_000;

/**
 * Dates of files by the last commits, fetched without the content of files. Undefined when the server does not give
 * them within the limits. Throws the reason of the request's signal only.
 */
async function historyDates(history: {
  request: SnapshotRequest;
  repository: Repository;
  addresses: readonly HostAddress[];
  work: string;
  commit: string;
  folder: string;
  signal: AbortSignal;
}): Promise<FileDates | undefined> {
  const { request, repository, addresses, work, commit, folder } = history;
  const gitDir = join(work, 'history');
  const transfer = new AbortController();
  const signal = AbortSignal.any([history.signal, AbortSignal.timeout(HISTORY_MS), transfer.signal]);
  try {
    return await withAccess(
      repository,
      addresses,
      request.credential,
      request.policy,
      work,
      async (access) => {
        const limits = { ...request.limits, transferBytes: HISTORY_BYTES };
        const fetch = { repository, gitDir, access, asked: commit, limits, signal, transfer };
        await initRepository(gitDir, commit, signal);
        const { status } = await runFetch(
          fetch,
          [`--depth=${HISTORY_COMMITS}`, '--filter=blob:none'],
          [commit],
        );
        return status === 0 ? await fileDates({ gitDir, commit, folder, signal }) : undefined;
      },
    );
  } catch {
    history.signal.throwIfAborted();
    return undefined;
  }
}

async function checkedAddresses(repository: Repository, policy: GitPolicy): Promise<HostAddress[]> {
  try {
    return await checkHost(repository.host, policy);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new GitError(
      error.code === 'host-refused' || error.code === 'invalid' ? error.code : 'unreachable',
      error.message,
    );
  }
}

interface Fetch {
  repository: Repository;
  gitDir: string;
  access: Access;
  asked: string | null;
  limits: GitLimits;
  signal: AbortSignal;
  /** Aborted when the transfer grows too large. */
  transfer: AbortController;
}

async function fetchCommit(fetch: Fetch): Promise<{ commit: string; ref: string }> {
  const { gitDir, signal, repository } = fetch;
  const target = await resolveRef(fetch);
  await initRepository(gitDir, target.objectId, signal);
  const exact = await runFetch(fetch, ['--depth=1'], [target.objectId]);
  if (exact.status === 0) return { commit: await peel(fetch, target.objectId), ref: target.ref };
  // Old servers give only the tips of refs, and those only by name.
  if (!/unadvertised object/.test(exact.stderr)) throw fetchFailure(fetch, exact.stderr);
  const tip = 'refs/offprint/tip';
  const named = await (target.name === null
    ? runFetch(fetch, [], ['+refs/heads/*:refs/offprint/heads/*', '+refs/tags/*:refs/offprint/tags/*'])
    : runFetch(fetch, ['--depth=1'], [`+${target.name}:${tip}`]));
  if (named.status !== 0) throw failureOf(repository, named.stderr);
  return { commit: await peel(fetch, target.name === null ? target.objectId : tip), ref: target.ref };
}

async function initRepository(gitDir: string, objectId: string, signal: AbortSignal): Promise<void> {
  const format = objectId.length === 64 ? 'sha256' : 'sha1';
  const made = await runGit({
    gitDir,
    signal,
    args: ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, gitDir],
  });
  if (made.status !== 0) throw new Error(`git init failed: ${made.stderr}`);
}

interface Target {
  objectId: string;
  /** Full name on the server; null for a commit. */
  name: string | null;
  ref: string;
}

async function resolveRef(fetch: Fetch): Promise<Target> {
  const { asked, repository } = fetch;
  if (asked !== null && isCommitId(asked)) return { objectId: asked, name: null, ref: asked };
  const names = asked === null ? ['HEAD'] : [`refs/heads/${asked}`, `refs/tags/${asked}`];
  const listed = await runGit({
    gitDir: fetch.gitDir,
    args: [
      'ls-remote',
      '--symref',
      '--quiet',
      '--',
      repository.url,
      ...names,
      ...names.map((name) => `${name}^{}`),
    ],
    signal: fetch.signal,
    environment: fetch.access.environment,
    settings: fetch.access.settings,
  });
  if (listed.status !== 0) throw failureOf(repository, listed.stderr);
  const lines = listed.stdout.toString('utf8').split('\n');
  const ids = new Map<string, string>();
  for (const line of lines) {
    const [id = '', name = ''] = line.split('\t');
    if (isCommitId(id)) ids.set(name, id);
  }
  for (const name of names) {
    const objectId = ids.get(`${name}^{}`) ?? ids.get(name);
    if (objectId === undefined) continue;
    const head = lines.map((line) => /^ref: refs\/heads\/(.+)\tHEAD$/.exec(line)?.[1]).find(Boolean);
    return { objectId, name, ref: asked ?? head ?? 'HEAD' };
  }
  const url = redact(repository.url);
  if (asked === null) throw new GitError('ref-not-found', `${url} has no commits on its default branch.`);
  const hint = /^[0-9a-f]{4,39}$/.test(asked) ? ' A commit is named by all of its 40 characters.' : '';
  throw new GitError('ref-not-found', `${url} has no branch or tag "${asked}".${hint}`);
}

async function runFetch(fetch: Fetch, options: readonly string[], refs: readonly string[]) {
  const watch = watchTransfer(fetch);
  try {
    return await runGit({
      gitDir: fetch.gitDir,
      args: [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        ...options,
        '--',
        fetch.repository.url,
        ...refs,
      ],
      signal: fetch.signal,
      environment: fetch.access.environment,
      settings: ['fetch.unpackLimit=1', ...fetch.access.settings],
    });
  } finally {
    clearInterval(watch);
  }
}

const WATCH_MS = 200;

/** Git has no limit for what a server sends, so the pack is watched as it grows. */
function watchTransfer({ gitDir, limits, repository, transfer }: Fetch): NodeJS.Timeout {
  const packs = join(gitDir, 'objects', 'pack');
  return setInterval(async () => {
    let bytes = 0;
    for (const name of await readdir(packs).catch(() => [])) {
      bytes += await stat(join(packs, name)).then(
        ({ size }) => size,
        () => 0,
      );
    }
    if (bytes <= limits.transferBytes) return;
    const message = `${redact(repository.url)} sends more than ${limits.transferBytes} bytes for one commit.`;
    transfer.abort(new GitError('too-large', message));
  }, WATCH_MS);
}

async function peel({ gitDir, signal, repository, asked }: Fetch, name: string): Promise<string> {
  const { status, stdout } = await runGit({
    gitDir,
    signal,
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
  });
  if (status === 0) return stdout.toString('latin1').trim();
  throw noCommit(repository, asked ?? name);
}

/** Of a commit that the server does not have, git tells no more than that of any ref. */
function fetchFailure({ repository, asked }: Fetch, stderr: string): GitError {
  const failure = failureOf(repository, stderr);
  const isMissing = failure.code === 'ref-not-found' && asked !== null && isCommitId(asked);
  return isMissing ? noCommit(repository, asked) : failure;
}

function noCommit(repository: Repository, commit: string): GitError {
  return new GitError(
    'ref-not-found',
    `${redact(repository.url)} has no commit ${commit}. Push it there if it is yours, or name a commit, branch or tag that the repository has.`,
  );
}

async function commitDate(gitDir: string, commit: string, signal: AbortSignal): Promise<string> {
  const { status, stdout } = await runGit({ gitDir, signal, args: ['cat-file', 'commit', commit] });
  const header = stdout.toString('utf8').split('\n\n', 1)[0] ?? '';
  const seconds = /^committer .*> (\d{1,12}) [+-]\d+$/m.exec(header)?.[1];
  if (status !== 0 || seconds === undefined) return '1970-01-01T00:00:00Z';
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z');
}
