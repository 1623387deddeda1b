import type { PullRequest } from '../../platform/forge/port.ts';
import { GitError } from '../../platform/git/error.ts';
import { sayNote, scanChanges } from '../policy/diff-scan.ts';
import { publishFault } from './fault.ts';
import { guardBranch } from './guard.ts';
import { branchContains, isOfThisTurn, nextStep, type Saved, type Step, shown } from './line.ts';
import {
  endedMeanwhile,
  findPullRequest,
  holdPullRequest,
  openPullRequest,
  recordOf,
} from './pull-request.ts';
import { type PublishAdapters, PublishError, type Published, type PublishRequest } from './request.ts';

export * from './request.ts';

/** How often the branch may move between a look and the push that follows. */
const MAX_PUSH_ATTEMPTS = 3;

/**
 * Brings the changes of a job to a branch of its own and a pull request. Every step first checks what exists,
 * and its result follows from the request alone, so a publication that was interrupted anywhere is finished
 * by the same call: one branch, one commit, one pull request. Only the job's branch is written to, and only
 * forward.
 *
 * Throws PublishError, what the journal throws, and the reason of `signal`.
 */
export async function publishChanges(request: PublishRequest, adapters: PublishAdapters): Promise<Published> {
  try {
    return await publish(request, adapters);
  } catch (error) {
    throw publishFault(error);
  }
}

/**
 * Whether the branch of the job has had its time: its pull request is merged or closed and does not hold what
 * the job wants now. The job then continues from the base branch, under a new branch name. To be asked before
 * publishing.
 */
export async function needsNewRound(request: PublishRequest, adapters: PublishAdapters): Promise<boolean> {
  try {
    const found = await findPullRequest(request, adapters);
    return found !== null && found.state !== 'open' && !(await isDone(request, found, adapters));
  } catch (error) {
    throw publishFault(error);
  }
}

async function publish(request: PublishRequest, adapters: PublishAdapters): Promise<Published> {
  const { forge, journal } = adapters;
  const { branch, baseCommit } = request;
  const notes = scan(request);
  await guardBranch(request, adapters);
  const before = await findPullRequest(request, adapters);
  if (before !== null && before.state !== 'open') {
    // Merged by somebody between the push and the word of it.
    if (!(await isDone(request, before, adapters))) throw endedMeanwhile(request, before);
    const pullRequest = recordOf(before, branch);
    await journal.savePullRequest(pullRequest);
    return { branch, commit: before.headCommit ?? baseCommit, pullRequest, notes };
  }
  if (before !== null) await holdPullRequest(request, before, adapters);
  const step = await push(request, adapters);
  if (step === null) return { branch, commit: baseCommit, pullRequest: null, notes: [] };
  const { commit } = step;
  const isKnown = request.pullRequests.some((one) => one.branch === branch);
  if (!forge.hasPullRequests || (isKnown && !(await isOfThisTurn(request, step.pushed, adapters)))) {
    return { branch, commit, pullRequest: null, notes };
  }
  notes.push(...(await baseMoved(request, commit, adapters)));
  const opened = await openPullRequest(request, notes, adapters);
  const pullRequest = opened === null ? null : recordOf(opened, branch);
  if (pullRequest !== null) await journal.savePullRequest(pullRequest);
  return { branch, commit, pullRequest, notes };
}

const MAX_BLOCKED = 20;

/** What a reviewer should check. Throws PublishError `policy` for what may not leave at all. */
function scan({ changes, policy, base, secrets }: PublishRequest): string[] {
  const { blocked, notes } = scanChanges(changes, { policy, base, secrets });
  if (blocked.length === 0) return notes.map(sayNote);
  const said = blocked.slice(0, MAX_BLOCKED).map(sayNote);
  const left = blocked.length - said.length;
  throw new PublishError(
    'policy',
    `Nothing was published. ${said.join(' ')}${left > 0 ? ` And ${left} more.` : ''}`,
  );
}

/**
 * Moves the branch to where the job wants it, and returns its new content; null if there was never anything
 * to push.
 */
async function push(
  request: PublishRequest,
  { remote, journal, signal }: PublishAdapters,
): Promise<Step | null> {
  const { branch } = request;
  const saved: Saved = { commitSha: request.commitSha, pushedSha: request.pushedSha };
  for (let look = 0; look < MAX_PUSH_ATTEMPTS; look += 1) {
    const tip = await remote.branchTip(branch, signal);
    const step = await nextStep(request, saved, tip, { remote, signal });
    if (step === null) return null;
    const { commit, pushed } = step;
    if (commit !== tip) {
      // Also when it is saved already: a worker that has lost the job learns of it here, before it pushes.
      await journal.saveCommit(commit);
      saved.commitSha = commit;
      if ((await remote.push({ commit, branch, expected: tip }, signal)) === 'moved') continue;
    }
    if (pushed !== saved.pushedSha) await journal.savePushed(pushed);
    return step;
  }
  throw new PublishError(
    'branch_moved',
    `Other people pushed to the branch "${branch}" during each of the ${MAX_PUSH_ATTEMPTS} attempts to push the changes.`,
    { retryable: true },
  );
}

/** Whether a pull request that has ended holds everything, so that nothing is left to publish. */
async function isDone(
  request: PublishRequest,
  { headCommit }: PullRequest,
  { remote, signal }: PublishAdapters,
): Promise<boolean> {
  if (headCommit === null) return false;
  try {
    return await branchContains(request, headCommit, { remote, signal });
  } catch (error) {
    // A commit that was removed with its branch cannot be inspected.
    if (error instanceof GitError && error.code === 'ref-not-found') return false;
    throw error;
  }
}

/** Commits that the base branch may have received since, beyond which a conflict with it is not detected. */
const MAX_SINCE = 512;

/**
 * Whether the base branch has moved since the work started, and what of it stands against the changes. A help for
 * reviewers: not to be had, no harm.
 */
async function baseMoved(
  { baseBranch, branch, baseCommit }: PublishRequest,
  commit: string,
  { remote, signal }: PublishAdapters,
): Promise<string[]> {
  try {
    const tip = await remote.branchTip(baseBranch, signal);
    if (tip === null || tip === baseCommit) return [];
    await remote.fetchCommit(tip, signal);
    const base = await remote.mergeBase(tip, commit, signal, MAX_SINCE);
    if (base === tip) return [];
    const moved = `The branch ${baseBranch} has changed since this work started`;
    if (base === null) return [`${moved}. Whether both sides changed the same lines is not known.`];
    await remote.fetchCommit(base, signal);
    const { conflicts } = await remote.merge({ base, ours: commit, theirs: tip }, signal);
    if (conflicts.length === 0) return [`${moved}. Its changes do not conflict with these.`];
    return [
      `${moved}, and both sides changed the same lines in ${shown(conflicts)}. Merge ${baseBranch} into ${branch} and resolve the conflicts.`,
    ];
  } catch (error) {
    if (error instanceof GitError) return [];
    throw error;
  }
}
