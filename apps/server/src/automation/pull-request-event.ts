import { type Members, members, readPayload, short } from './push.ts';
import type { Delivery } from './signature.ts';

/** What happened to a pull request, independent of the forge. Texts are of strangers, cut short. */
export interface PullRequestEvent {
  number: number;
  /** `updated`: it has other commits. */
  action: 'opened' | 'updated' | 'closed';
  isMerged: boolean;
  headBranch: string;
  /** Null where the forge does not name it. */
  headCommit: string | null;
  baseBranch: string;
  /**
   * The head is in another repository, which anyone can create: it gets no secrets, and by default needs the
   * approval of a member.
   */
  isFork: boolean;
  /** Path of the repository of the head: `somebody/docs`; null if it was deleted. */
  headRepository: string | null;
  /** Account that opened it; null where the forge does not name it. */
  author: string | null;
}

/** Names of the event, in lower case. */
const EVENTS = new Set(['pull_request', 'pull_request_sync', 'merge request hook', 'merge_request']);

const ACTIONS: Readonly<Record<string, PullRequestEvent['action']>> = {
  opened: 'opened',
  open: 'opened',
  reopened: 'opened',
  reopen: 'opened',
  synchronize: 'updated',
  synchronized: 'updated',
  update: 'updated',
  closed: 'closed',
  close: 'closed',
  merge: 'closed',
};

/**
 * Reads the event of a pull request from a delivery whose signature was verified; null for other events and for changes
 * that do not concern its commits. Throws the 400 for a body that is not a payload.
 */
export function readPullRequestEvent(delivery: Delivery, event: string): PullRequestEvent | null {
  if (!EVENTS.has(event.toLowerCase())) return null;
  const payload = readPayload(delivery.body, delivery.header('content-type') ?? '');
  const merge = members(payload.object_attributes);
  return Object.keys(merge).length > 0 ? readMergeRequest(payload, merge) : readPullRequest(payload);
}

/** GitHub, Gitea and Forgejo. */
function readPullRequest(payload: Members): PullRequestEvent | null {
  const pull = members(payload.pull_request);
  const [head, base] = [members(pull.head), members(pull.base)];
  const [headRepository, baseRepository] = [repositoryOf(head.repo), repositoryOf(base.repo)];
  const action = ACTIONS[short(payload.action) ?? ''];
  const number = numberOf(pull.number) ?? numberOf(payload.number);
  const [headBranch, baseBranch] = [short(head.ref), short(base.ref)];
  if (action === undefined || number === null || headBranch === null || baseBranch === null) return null;
  return {
    number,
    action,
    isMerged: action === 'closed' && pull.merged === true,
    headBranch,
    headCommit: commitOf(head.sha),
    baseBranch,
    // Without both names it is not known to be of this repository.
    isFork: headRepository === null || headRepository.toLowerCase() !== baseRepository?.toLowerCase(),
    headRepository,
    author: short(members(pull.user).login, 60),
  };
}

function readMergeRequest(payload: Members, merge: Members): PullRequestEvent | null {
  const written = short(merge.action);
  const action = ACTIONS[written ?? ''];
  const number = numberOf(merge.iid);
  const [headBranch, baseBranch] = [short(merge.source_branch), short(merge.target_branch)];
  if (action === undefined || number === null || headBranch === null || baseBranch === null) return null;
  // Only an update with other commits names the one before.
  if (action === 'updated' && short(merge.oldrev) === null) return null;
  const [source, target] = [merge.source_project_id, merge.target_project_id];
  return {
    number,
    action,
    isMerged: written === 'merge',
    headBranch,
    headCommit: commitOf(members(merge.last_commit).id),
    baseBranch,
    isFork: typeof source !== 'number' || source !== target,
    headRepository: short(members(merge.source).path_with_namespace),
    author: short(members(payload.user).username, 60),
  };
}

function repositoryOf(value: unknown): string | null {
  return short(members(value).full_name);
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function commitOf(value: unknown): string | null {
  return typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : null;
}
