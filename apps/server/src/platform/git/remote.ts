import type { GitCredential, GitLimits, GitPolicy } from './policy.ts';

export interface RemoteRequest {
  /** Address as parseRepository takes it. */
  repository: string;
  /** Asked for before each operation that goes out, since some credentials live for minutes only. */
  credential(signal: AbortSignal): Promise<GitCredential | null>;
  policy: GitPolicy;
  limits: GitLimits;
  /** Folder of this attempt, in which the bare repository is made. */
  folder: string;
  /** Folder that keeps what is fetched for later attempts; default: each fetches everything. */
  mirror?: string | undefined;
}

/** An entry of a tree. Paths are relative to the folder that was asked for. */
export interface TreeEntry {
  path: string;
  kind: 'file' | 'symlink' | 'submodule';
  executable: boolean;
  bytes: number;
  objectId: string;
}

export interface CommitRequest {
  /** Commit whose tree is changed; the first parent. */
  parent: string;
  /** Further parents. */
  also?: readonly string[];
  /** Commit or tree whose files are changed, where it is not that of the parent. */
  from?: string;
  /** By path from the root of the repository: new text, or null to delete. Modes of existing files stay. */
  files: ReadonlyMap<string, string | null>;
  message: string;
  author: { name: string; email: string };
  /** Author and committer date, to the second: the same request gives the same commit. */
  at: Date;
}

/** What a commit that was fetched or made here says of itself. */
export interface CommitFacts {
  tree: string;
  parents: string[];
  message: string;
  /** Committer date, to the second. */
  at: Date;
}

/**
 * - `pushed`: the branch is now at the commit
 * - `moved`: the branch is not where it was expected, and nothing was written
 */
export type PushOutcome = 'pushed' | 'moved';

/** A bare repository beside a remote one. Methods throw GitError, or the reason of `signal`. */
export interface GitRemote {
  /** Fetches one commit without its history; null = the tip of the default branch. Names the branch that was meant. */
  fetchCommit(ref: string | null, signal: AbortSignal): Promise<{ commit: string; branch: string }>;
  /** The default branch of the remote. */
  defaultBranch(signal: AbortSignal): Promise<string>;
  /** Everything below a folder ('' = root) of a fetched commit. */
  listTree(commit: string, folder: string, signal: AbortSignal): Promise<TreeEntry[]>;
  /**
   * Reads the contents of files of a tree, in their order. The bytes are valid during the call of `take` only: they
   * share memory with those of other files.
   */
  readContents(
    files: readonly TreeEntry[],
    take: (file: TreeEntry, content: Uint8Array) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** One small text file of a fetched commit by its path from the root; null if it does not exist. */
  readText(commit: string, path: string, signal: AbortSignal): Promise<string | null>;
  /** Where a branch of the remote is; null when there is no such branch. */
  branchTip(branch: string, signal: AbortSignal): Promise<string | null>;
  /** Every branch of the remote. */
  branches(signal: AbortSignal): Promise<Map<string, string>>;
  commit(request: CommitRequest, signal: AbortSignal): Promise<string>;
  /**
   * Whether one commit is an ancestor of (or the same as) another of the remote; fetches the history that
   * this requires, up to a number of generations (default 8,192), and finds nothing beyond.
   */
  isAncestor(
    ancestor: string,
    commit: string,
    signal: AbortSignal,
    maxGenerations?: number,
  ): Promise<boolean>;
  /**
   * The newest commit that two commits of the remote have in common; null if they have none within a number of generations.
   */
  mergeBase(one: string, other: string, signal: AbortSignal, maxGenerations?: number): Promise<string | null>;
  readCommit(commit: string, signal: AbortSignal): Promise<CommitFacts>;
  /**
   * Three-way merge of the trees of fetched commits, or of trees. Paths that conflict are named, and are in
   * the tree with markers.
   */
  merge(
    request: { base: string; ours: string; theirs: string },
    signal: AbortSignal,
  ): Promise<{ tree: string; conflicts: string[] }>;
  /**
   * Moves exactly one branch to a commit, if and only if it is at `expected` now (null: it does not exist).
   * Never forces, never touches another ref. A branch that is at the commit already was `pushed`.
   * Throws GitError `refused` with the server's words when a rule or hook says no.
   */
  push(
    request: { commit: string; branch: string; expected: string | null },
    signal: AbortSignal,
  ): Promise<PushOutcome>;
  close(): Promise<void>;
}

/** Makes the bare repository of one attempt. */
export type OpenRemote = (request: RemoteRequest, signal: AbortSignal) => Promise<GitRemote>;
