import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NetworkError } from '../net/error.ts';
import { checkHost, type HostAddress } from '../net/host.ts';
import type { Access } from './credential.ts';
import { GitError, redact } from './error.ts';
import { failureOf } from './failure.ts';
import { addToMirror, attachMirror, keptRef, type Mirror } from './mirror.ts';
import type { GitLimits, GitPolicy } from './policy.ts';
import { isCommitId, type Repository } from './repository.ts';
import { type GitOutcome, runGit, TRANSFER_SETTINGS } from './run.ts';

/** Addresses of the host, once policy has let it pass. Throws GitError. */
export async function checkedAddresses(repository: Repository, policy: GitPolicy): Promise<HostAddress[]> {
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

/** What one operation works with: the bare repository on this machine, the one it speaks to, and its bounds. */
export interface Contact {
  repository: Repository;
  gitDir: string;
  access: Access;
  limits: GitLimits;
  signal: AbortSignal;
  /** Aborted when the transfer grows too large. */
  transfer: AbortController;
  /** What earlier jobs have fetched; undefined: everything is fetched. */
  mirror?: Mirror | undefined;
}

/**
 * Fetches one commit without its history: of a branch or tag, by its full id, or (null) of the default
 * branch. Creates the bare repository if it does not exist. Throws GitError.
 */
export async function fetchTip(
  contact: Contact,
  asked: string | null,
): Promise<{ commit: string; ref: string }> {
  const { repository } = contact;
  const target = await resolveRef(contact, asked);
  const { gitDir, mirror } = contact;
  const isNew = await initRepository(gitDir, target.objectId, contact.signal);
  if (isNew && mirror !== undefined) await attachMirror(mirror, gitDir, target.objectId.length);
  const kept = `+${target.objectId}:${keptRef(target.objectId)}`;
  const exact = await runFetch(contact, ['--depth=1'], [kept]);
  if (exact.status === 0) {
    const commit = await peel(contact, asked, target.objectId);
    if (mirror !== undefined) await addToMirror(mirror, gitDir, commit);
    return { commit, ref: target.ref };
  }
  // Old servers give only the tips of refs, and those only by name.
  if (!/unadvertised object/.test(exact.stderr)) throw fetchFailure(contact, asked, exact.stderr);
  const tip = 'refs/offprint/tip';
  const named = await (target.name === null
    ? runFetch(contact, [], ['+refs/heads/*:refs/offprint/heads/*', '+refs/tags/*:refs/offprint/tags/*'])
    : runFetch(contact, ['--depth=1'], [`+${target.name}:${tip}`]));
  if (named.status !== 0) throw failureOf(repository, named.stderr);
  return {
    commit: await peel(contact, asked, target.name === null ? target.objectId : tip),
    ref: target.ref,
  };
}

/** Makes an empty bare repository for objects of the same kind as this one; false if it was there. */
export async function initRepository(
  gitDir: string,
  objectId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const isThere = await stat(join(gitDir, 'HEAD')).then(
    () => true,
    () => false,
  );
  if (isThere) return false;
  const format = objectId.length === 64 ? 'sha256' : 'sha1';
  const made = await runGit({
    gitDir,
    signal,
    args: ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, gitDir],
  });
  if (made.status !== 0) throw new Error(`git init failed: ${made.stderr}`);
  return true;
}

interface Target {
  objectId: string;
  /** Full name on the server; null for a commit. */
  name: string | null;
  ref: string;
}

async function resolveRef(contact: Contact, asked: string | null): Promise<Target> {
  if (asked !== null && isCommitId(asked)) return { objectId: asked, name: null, ref: asked };
  const names = asked === null ? ['HEAD'] : [`refs/heads/${asked}`, `refs/tags/${asked}`];
  const { ids, head } = await listRefs(contact, [...names, ...names.map((name) => `${name}^{}`)]);
  for (const name of names) {
    const objectId = ids.get(`${name}^{}`) ?? ids.get(name);
    if (objectId !== undefined) return { objectId, name, ref: asked ?? head ?? 'HEAD' };
  }
  const url = redact(contact.repository.url);
  if (asked === null) throw new GitError('ref-not-found', `${url} has no commits on its default branch.`);
  const hint = /^[0-9a-f]{4,39}$/.test(asked) ? ' A commit is named by all of its 40 characters.' : '';
  throw new GitError('ref-not-found', `${url} has no branch or tag "${asked}".${hint}`);
}

/**
 * Refs of the remote repository by full name, and its default branch where it reports one. Patterns are those
 * of `git ls-remote`, which matches them with the ends of names: search for the exact name in the result.
 */
export async function listRefs(
  contact: Omit<Contact, 'limits' | 'transfer'>,
  patterns: readonly string[],
): Promise<{ ids: Map<string, string>; head: string | null }> {
  const ids = new Map<string, string>();
  let head: string | null = null;
  const take = (line: string): void => {
    const [id = '', name = ''] = line.split('\t');
    if (isCommitId(id)) ids.set(name, id);
    else if (name === 'HEAD') head ??= /^ref: refs\/heads\/(.+)$/.exec(id)?.[1] ?? null;
  };
  const listed = await runGit({
    gitDir: contact.gitDir,
    args: ['ls-remote', '--symref', '--quiet', '--', contact.repository.url, ...patterns],
    signal: contact.signal,
    environment: contact.access.environment,
    settings: contact.access.settings,
  });
  if (listed.status !== 0) throw failureOf(contact.repository, listed.stderr);
  for (const line of listed.stdout.toString('utf8').split('\n')) take(line);
  return { ids, head };
}

/** Runs `git fetch` once, within the limit of what it may bring. Resolves with any exit status. */
export async function runFetch(
  contact: Contact,
  options: readonly string[],
  refs: readonly string[],
): Promise<GitOutcome> {
  const watch = watchTransfer(contact);
  try {
    return await runGit({
      gitDir: contact.gitDir,
      args: [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        ...options,
        '--',
        contact.repository.url,
        ...refs,
      ],
      signal: contact.signal,
      environment: contact.access.environment,
      settings: ['fetch.unpackLimit=1', ...TRANSFER_SETTINGS, ...contact.access.settings],
    });
  } finally {
    clearInterval(watch);
  }
}

const WATCH_MS = 200;

/** Git has no limit for what a server sends, so the pack is watched as it grows. */
function watchTransfer({ gitDir, limits, repository, transfer }: Contact): NodeJS.Timeout {
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

async function peel(
  { gitDir, signal, repository }: Contact,
  asked: string | null,
  name: string,
): Promise<string> {
  const { status, stdout } = await runGit({
    gitDir,
    signal,
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
  });
  if (status === 0) return stdout.toString('latin1').trim();
  throw noCommit(repository, asked ?? name);
}

/** For a commit that the server does not have, git reports no more than for any ref. */
function fetchFailure({ repository }: Contact, asked: string | null, stderr: string): GitError {
  const failure = failureOf(repository, stderr);
  const isMissing = failure.code === 'ref-not-found' && asked !== null && isCommitId(asked);
  return isMissing ? noCommit(repository, asked) : failure;
}

function noCommit(repository: Repository, commit: string): GitError {
  return new GitError(
    'ref-not-found',
    `${redact(repository.url)} has no commit ${commit}. Push the commit, or use a commit, branch or tag of the repository.`,
  );
}
