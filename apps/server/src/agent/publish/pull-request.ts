import { ForgeError, type PullRequest } from '../../platform/forge/port.ts';
import type { JobPullRequest } from '../record.ts';
import { listsHeld, marker, pullRequestBody, pullRequestTitle, updatedBody } from './message.ts';
import { type PublishAdapters, PublishError, type PublishRequest } from './request.ts';

type ForgeAccess = Pick<PublishAdapters, 'forge' | 'signal'>;

/**
 * The pull request of the branch, unless it is a finished one of somebody else; null without one.
 */
export async function findPullRequest(
  { branch, jobId, pullRequests }: PublishRequest,
  { forge, signal }: ForgeAccess,
): Promise<PullRequest | null> {
  if (!forge.hasPullRequests) return null;
  const found = await forge.findPullRequest(branch, signal);
  if (found === null || found.headBranch !== branch) return null;
  const isOurs =
    found.body.includes(marker(jobId)) ||
    pullRequests.some((one) => one.branch === branch && one.number === found.number);
  return found.state === 'open' || isOurs ? found : null;
}

/** Makes sure that there is one open pull request for the branch and that it says what it holds. */
export async function openPullRequest(
  request: PublishRequest,
  notes: readonly string[],
  { forge, signal }: ForgeAccess,
): Promise<PullRequest | null> {
  const found = await findPullRequest(request, { forge, signal });
  if (found !== null) return bringUpToDate(request, notes, found, { forge, signal });
  try {
    return await forge.createPullRequest(
      {
        headBranch: request.branch,
        baseBranch: request.baseBranch,
        title: pullRequestTitle(request),
        body: pullRequestBody(request, notes),
        draft: request.draft,
      },
      signal,
    );
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    // Nothing between base and branch: people have brought the same changes in already.
    if (error.fault === 'no-commits') return null;
    if (error.fault !== 'duplicate') throw error;
    const other = await findPullRequest(request, { forge, signal });
    if (other !== null) return bringUpToDate(request, notes, other, { forge, signal });
    throw new PublishError('pr_rejected', error.message, { retryable: true, cause: error });
  }
}

/**
 * Makes a pull request that is ready a draft again before changes are pushed to it that were not checked, or code that
 * it does not list yet. Code that it
 * lists was released by the person who marked it as ready.
 */
export async function holdPullRequest(
  request: PublishRequest,
  found: PullRequest,
  { forge, signal }: ForgeAccess,
): Promise<void> {
  if (found.isDraft || found.state !== 'open') return;
  if (!request.isUnchecked && listsHeld(request, found.body)) return;
  await forge.updatePullRequest(found.number, { draft: true }, signal);
}

async function bringUpToDate(
  request: PublishRequest,
  notes: readonly string[],
  found: PullRequest,
  { forge, signal }: ForgeAccess,
): Promise<PullRequest> {
  if (found.state !== 'open') throw endedMeanwhile(request, found);
  // Somebody else's words are left as they are.
  if (!found.body.includes(marker(request.jobId))) return found;
  const body = updatedBody(found.body, request, notes);
  // Once it was changed for this turn, a person may have marked it as ready.
  if (sameText(found.body, body)) return found;
  const draft = request.reasons.length > 0 && !found.isDraft ? { draft: true } : {};
  return forge.updatePullRequest(found.number, { body, ...draft }, signal);
}

/** Some forges store bodies with other line ends, or without blanks at their end. */
function sameText(one: string, other: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim();
  return plain(one) === plain(other);
}

export function endedMeanwhile({ branch }: PublishRequest, { state, url }: PullRequest): PublishError {
  return new PublishError(
    'branch_moved',
    `The pull request ${url} of the branch "${branch}" was ${state} before it contained the latest changes.`,
    { retryable: true },
  );
}

export function recordOf({ number, url, state }: PullRequest, branch: string): JobPullRequest {
  return { number, url, branch, state };
}
