import type { GitCredential } from '../git/policy.ts';

export interface PullRequest {
  number: number;
  /** Address for people. */
  url: string;
  state: 'open' | 'merged' | 'closed';
  isDraft: boolean;
  title: string;
  body: string;
  headBranch: string;
  /** Commit that the forge has at the head; null when it does not tell. */
  headCommit: string | null;
  baseBranch: string;
}

export interface NewPullRequest {
  headBranch: string;
  baseBranch: string;
  title: string;
  /** Markdown. */
  body: string;
  draft: boolean;
}

/**
 * - `auth`: the credential is refused, or lacks a right that the message names
 * - `not-found`: no such repository, or it is hidden from this credential
 * - `duplicate`: there is an open one for this branch; look for it
 * - `no-commits`: nothing between head and base
 * - `branch-missing`: head or base is not there
 * - `rate-limited`, `unavailable`: later
 * - `rejected`: refused for another reason, which the message states
 */
export type ForgeFault =
  | 'auth'
  | 'not-found'
  | 'duplicate'
  | 'no-commits'
  | 'branch-missing'
  | 'rate-limited'
  | 'unavailable'
  | 'rejected';

/** A forge did not do what was asked. The message is for people and holds no token. */
export class ForgeError extends Error {
  override name = 'ForgeError';
  readonly fault: ForgeFault;
  readonly retryAfterMs: number | null;
  constructor(
    fault: ForgeFault,
    message: string,
    options: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
  get retryable(): boolean {
    return this.fault === 'rate-limited' || this.fault === 'unavailable';
  }
}

/** The host of a repository, as far as pull requests go. Calls throw ForgeError, or the reason of `signal`. */
export interface Forge {
  readonly kind: ForgeKind;
  /** False for plain Git: a branch is pushed and that is all. */
  readonly hasPullRequests: boolean;
  /** What git signs in with for reading and pushing; created again where tokens are short-lived. */
  gitCredential(signal: AbortSignal): Promise<GitCredential | null>;
  /**
   * The newest pull request whose head is this branch of this repository, an open one before others; null if
   * none exists. Forks with a branch of the same name do not count.
   */
  findPullRequest(headBranch: string, signal: AbortSignal): Promise<PullRequest | null>;
  createPullRequest(request: NewPullRequest, signal: AbortSignal): Promise<PullRequest>;
  updatePullRequest(
    number: number,
    change: { title?: string; body?: string; draft?: boolean },
    signal: AbortSignal,
  ): Promise<PullRequest>;
  /**
   * Branches that must not be pushed to, as far as the forge shows them, including the default branch. GitLab
   * names rules too, with `*` for any characters.
   */
  protectedBranches(signal: AbortSignal): Promise<string[]>;
}

export type ForgeKind = 'github' | 'gitlab' | 'gitea' | 'git';

/** How a forge is reached. */
export type ForgeSettings = ForgeApiSettings | { kind: 'git'; credential: GitCredential | null };

/** `git` is what git signs in with where that is not the token of the API, such as a key for an ssh address. */
export type ForgeApiSettings = { git?: GitCredential } & (
  | {
      kind: 'github';
      /** `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise Server. */
      apiUrl: string;
      /** `owner/name`. */
      repository: string;
      auth:
        | { kind: 'token'; token: string }
        | { kind: 'app'; appId: string; installationId: string; privateKey: string };
    }
  | {
      kind: 'gitlab';
      /** `https://HOST/api/v4`. */
      apiUrl: string;
      /** `group/sub/name`. */
      repository: string;
      token: string;
    }
  | {
      kind: 'gitea';
      /** `https://HOST/api/v1`, Gitea and Forgejo. */
      apiUrl: string;
      repository: string;
      token: string;
      /** Account of the token, for git over https. */
      username: string;
    }
);
