import { GitError, redact } from '../../platform/git/error.ts';
import { repositoryPath } from '../policy/paths.ts';
import { commitMessage, hasTrailer, mergeMessage } from './message.ts';
import { type PublishAdapters, PublishError, type PublishRequest } from './request.ts';

/**
 * A job keeps a line of commits of its own, each on top of the one before, with the tree that the job wants. As long as
 * nobody else pushes, the branch is that line. When people have pushed, their tip and the line are merged: the merge has
 * the tip as its first parent and the job's own commit as its second, by which the next turn finds its line again.
 */

export interface Saved {
  commitSha: string | null;
  pushedSha: string | null;
}

type Remote = Pick<PublishAdapters, 'remote' | 'signal'>;

/** The commit that the branch continues from. */
export interface Step {
  /** What the branch shall be at; where it is when it holds everything. */
  commit: string;
  /** The job's last commit in that, to be saved as what it pushed. */
  pushed: string;
}

/**
 * The next step for the branch, given its current commit; null if no branch exists and there is nothing to
 * push to one. Follows from the request and the tip alone, down to the id of the commit.
 *
 * Throws PublishError `branch_moved`: with conflicts when people changed the same lines, without when the
 * branch is not the job's.
 */
export async function nextStep(
  request: PublishRequest,
  saved: Saved,
  tip: string | null,
  access: Remote,
): Promise<Step | null> {
  const { remote, signal } = access;
  const { baseCommit, branch } = request;
  await remote.fetchCommit(baseCommit, signal);
  if (tip === null) {
    const commit = await wantedCommit(request, baseCommit, access);
    if (await isSameTree(commit, baseCommit, access)) return null;
    return { commit, pushed: commit };
  }
  const last = await lastOfJob(request, saved, tip, access);
  if (last === null) throw notOurs(request, saved);
  await remote.fetchCommit(tip, signal);
  await remote.fetchCommit(last, signal);
  const isBegun = await isBegunOn(baseCommit, last, tip, access);
  const start = isBegun ? baseCommit : await ownCommit(request.jobId, last, access);
  const wanted = await wantedCommit(request, start, access);
  const held = { commit: tip, pushed: last };
  if (await isSameTree(wanted, start, access)) return held;
  // Pushed by a worker whose word of it was lost, or to be pushed now.
  if (wanted === tip || start === tip) return { commit: wanted, pushed: wanted };
  const merged = await remote.merge({ base: start, ours: wanted, theirs: tip }, signal);
  if (merged.conflicts.length > 0) {
    throw new PublishError(
      'branch_moved',
      `Other people have pushed to the branch "${branch}" and changed the same lines in ${shown(merged.conflicts)}.`,
      { conflicts: merged.conflicts },
    );
  }
  if (merged.tree === (await remote.readCommit(tip, signal)).tree) return held;
  const merge = {
    parent: tip,
    also: [wanted],
    from: merged.tree,
    files: new Map(),
    message: mergeMessage(request),
    author: request.author,
    at: request.commitAt,
  };
  const commit = await remote.commit(merge, signal);
  return { commit, pushed: commit };
}

/** Names that others gave, made safe for a message. */
export function shown(paths: readonly string[]): string {
  const names = paths.slice(0, 20).map((path) => redact(path.slice(0, 300)).replace(/\s+/g, ' '));
  return `${names.join(', ')}${paths.length > 20 ? ` and ${paths.length - 20} more` : ''}`;
}

function notOurs({ branch }: PublishRequest, { pushedSha }: Saved): PublishError {
  return new PublishError(
    'branch_moved',
    pushedSha === null
      ? `A branch "${branch}" that does not belong to this job already exists, so nothing was pushed to it.`
      : `The branch "${branch}" was rewritten by someone else and no longer contains the commits of the job, so nothing was pushed to it.`,
  );
}

/** Whether a branch that ended at a commit held what the job wants now. */
export async function branchContains(request: PublishRequest, tip: string, access: Remote): Promise<boolean> {
  const { remote, signal } = access;
  await remote.fetchCommit(request.baseCommit, signal);
  const last = await lastOfJob(request, request, tip, access);
  if (last === null) return false;
  await remote.fetchCommit(last, signal);
  const own = await ownCommit(request.jobId, last, access);
  return isSameTree(await wantedCommit(request, own, access), own, access);
}

/** Whether a commit that the job pushed was made in this turn. */
export async function isOfThisTurn(
  { jobId, commitAt }: PublishRequest,
  pushed: string,
  access: Remote,
): Promise<boolean> {
  const { at } = await access.remote.readCommit(await ownCommit(jobId, pushed, access), access.signal);
  return at.getTime() === Math.floor(commitAt.getTime() / 1000) * 1000;
}

/** The base with the changes of the job, on top of a commit. Throws PublishError `policy` for a file that cannot be. */
async function wantedCommit(
  request: PublishRequest,
  parent: string,
  { remote, signal }: Remote,
): Promise<string> {
  const { changes, policy, baseCommit, author, commitAt } = request;
  const files = changes.map(({ path, after }) => [repositoryPath(path, policy.docsFolder), after] as const);
  const wanted = { parent, from: baseCommit, files: new Map(files), author, at: commitAt };
  try {
    return await remote.commit({ ...wanted, message: commitMessage(request) }, signal);
  } catch (error) {
    const isUnwritable = error instanceof GitError && error.code === 'invalid';
    throw isUnwritable ? new PublishError('policy', error.message, { cause: error }) : error;
  }
}

/** The newest commit that the job pushed and the branch holds. */
async function lastOfJob(
  request: PublishRequest,
  { commitSha, pushedSha }: Saved,
  tip: string,
  { remote, signal }: Remote,
): Promise<string | null> {
  const known = [commitSha, pushedSha].filter((id) => id !== null);
  if (known.includes(tip)) return tip;
  for (const id of new Set(known)) if (await remote.isAncestor(id, tip, signal)) return id;
  // Pushed by a worker that could not even save what it made.
  const first = await wantedCommit(request, request.baseCommit, { remote, signal });
  return first === tip ? tip : null;
}

/**
 * Whether the work was restarted on the branch: on the last commit of the job, or on what people put on top
 * of it.
 */
async function isBegunOn(
  base: string,
  last: string,
  tip: string,
  { remote, signal }: Remote,
): Promise<boolean> {
  if (base === last || base === tip) return true;
  if (tip === last || (await remote.isAncestor(base, last, signal))) return false;
  return remote.isAncestor(last, base, signal);
}

/** The commit of the job's line behind what it pushed: itself, or the second parent of a merge that the job made. */
async function ownCommit(jobId: string, pushed: string, { remote, signal }: Remote): Promise<string> {
  const { message, parents } = await remote.readCommit(pushed, signal);
  const own = parents[1];
  if (own === undefined || !hasTrailer(message, jobId)) return pushed;
  await remote.fetchCommit(own, signal);
  return hasTrailer((await remote.readCommit(own, signal)).message, jobId) ? own : pushed;
}

async function isSameTree(one: string, other: string, { remote, signal }: Remote): Promise<boolean> {
  const [first, second] = [await remote.readCommit(one, signal), await remote.readCommit(other, signal)];
  return first.tree === second.tree;
}
