import type { Forge } from '../../platform/forge/port.ts';
import type { GitRemote } from '../../platform/git/remote.ts';
import type { WritePolicy } from '../policy/write-policy.ts';
import type { FailureCode, JobPullRequest } from '../record.ts';
import type { BaseTree, Change } from '../workspace/workspace.ts';

/** What is published: everything comes from the job's row, so that any worker does the same. */
export interface PublishRequest {
  jobId: string;
  /** Changes against the base, paths below the docs root. */
  changes: readonly Change[];
  /** What they are against. */
  base: BaseTree;
  policy: WritePolicy;
  baseBranch: string;
  /** What the changes are against: a commit of the base branch, or one of the job's own branch that people pushed. */
  baseCommit: string;
  /** Name to push to; never the base, default or a protected branch. */
  branch: string;
  /** The prefix of every branch of a job. */
  branchPrefix: string;
  /** Of the pull request: what the first turn was called. */
  title: string;
  /** Of the commit: what this turn is called. */
  turnTitle: string;
  /** What this turn did. Markdown; text of the model, to be made harmless. */
  summary: string;
  draft: boolean;
  /** Why a person should look twice, such as a budget that ran out. */
  reasons: readonly string[];
  /** New code for the browsers of readers, one line each: the pull request stays a draft until a person releases it. */
  held: readonly string[];
  /** New findings of the checks as lines of Markdown, and how many there are in all. */
  findings: { shown: readonly string[]; total: number };
  /** Repositories and files read besides, instructions used. */
  footer: readonly string[];
  /** Nothing is known of the quality of the changes: the pull request becomes a draft again, even after a person released it. */
  isUnchecked: boolean;
  /** Date of the commits of this turn, kept in the row. */
  commitAt: Date;
  author: { name: string; email: string };
  /** What earlier attempts and turns have saved for this branch. */
  commitSha: string | null;
  pushedSha: string | null;
  pullRequests: readonly JobPullRequest[];
  /** Values that must never leave, exactly: keys and tokens of this installation that the job used. */
  secrets: readonly string[];
}

export interface Published {
  branch: string;
  /** Where the branch is; the base commit when nothing was ever pushed. */
  commit: string;
  /** Null if it does not exist, or is unchanged. */
  pullRequest: JobPullRequest | null;
  /** What a reviewer should check, as stated in the body. */
  notes: readonly string[];
}

/** Saves what is done, each under the fence, before the next step starts. */
export interface PublishJournal {
  saveCommit(sha: string): Promise<void>;
  savePushed(sha: string): Promise<void>;
  savePullRequest(pullRequest: JobPullRequest): Promise<void>;
}

export interface PublishAdapters {
  remote: GitRemote;
  forge: Forge;
  journal: PublishJournal;
  signal: AbortSignal;
}

/**
 * The result cannot be published. The message is for people; nothing was pushed unless it states otherwise.
 */
export class PublishError extends Error {
  override name = 'PublishError';
  readonly code: FailureCode;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** How long the forge asks to wait before that, milliseconds. */
  readonly retryAfterMs: number | null;
  /** Set for `branch_moved`: paths from the root of the repository that people changed too, for the model to settle. */
  readonly conflicts: readonly string[];
  constructor(
    code: FailureCode,
    message: string,
    options: {
      retryable?: boolean;
      retryAfterMs?: number | null;
      conflicts?: readonly string[];
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.conflicts = options.conflicts ?? [];
  }
}
