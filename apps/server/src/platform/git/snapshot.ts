import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import type { HostAddress } from '../net/host.ts';
import { type CommitDetails, readCommitDetails } from './commit-details.ts';
import { withAccess } from './credential.ts';
import { type FileDates, fileDates } from './dates.ts';
import { GitError, redact } from './error.ts';
import { checkedAddresses, fetchTip, initRepository, runFetch } from './fetch.ts';
import { listTree, type Skipped, writeFiles } from './materialise.ts';
import { keptFilesOf, mirrorFailure, openMirror } from './mirror.ts';
import type { GitCredential, GitLimits, GitPolicy } from './policy.ts';
import { checkRef, parseRepository, type Repository } from './repository.ts';
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
  /** Folder that keeps what is fetched for later snapshots; default: each fetches everything. */
  mirror?: string | undefined;
  policy: GitPolicy;
  limits: GitLimits;
  signal: AbortSignal;
  /** Whether the files that were written need dates of their own, for which the history is fetched; default no. */
  wantsDates?(root: string): Promise<boolean>;
}

export interface RepositorySnapshot {
  /** Full object name, which the files were read from. */
  commit: string;
  details: CommitDetails;
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
  await makeFolder(request.into);
  const work = await mkdtemp(join(dirname(request.into), '.git-work-'));
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  const transfer = new AbortController();
  const signal = AbortSignal.any([request.signal, deadline, transfer.signal]);
  const gitDir = join(work, 'repository');
  const mirror = request.mirror === undefined ? undefined : await openMirror(request.mirror);
  try {
    const addresses = await checkedAddresses(repository, request.policy);
    const { commit, ref } = await withAccess(
      repository,
      addresses,
      request.credential,
      request.policy,
      work,
      (access) => fetchTip({ repository, gitDir, access, limits, signal, transfer, mirror }, asked),
    );
    const source = { gitDir, commit, folder, limits, signal };
    const { files, skipped } = await listTree(source);
    const unwritten = await writeFiles(source, files, request.into, keptFilesOf(mirror));
    skipped.push(...unwritten);
    const wanted = (await request.wantsDates?.(request.into)) === true;
    const history = { request, repository, addresses, work, commit, folder, signal };
    return {
      // Dates that are wanted and not known are those of the commit.
      ...(wanted ? { dates: (await historyDates(history)) ?? {} } : {}),
      commit,
      details: await readCommitDetails(gitDir, commit, signal),
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
    throw await mirrorFailure(error, mirror, redact(repository.url));
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Commits of a history that is fetched, and the bytes that it may take: dates are worth less than the export. The time
 * limit is for a server that hangs: a busy machine must not give pages other dates.
 */
const HISTORY_COMMITS = 2_000;
const HISTORY_BYTES = 128 * 1024 ** 2;
const HISTORY_MS = 300_000;

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
        const contact = { repository, gitDir, access, limits, signal, transfer };
        await initRepository(gitDir, commit, signal);
        const { status } = await runFetch(
          contact,
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
