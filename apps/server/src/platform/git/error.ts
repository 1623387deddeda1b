/**
 * - `invalid`: the URL, ref or folder cannot be used as written, or the repository holds malformed objects
 * - `host-refused`: the host may not be reached from here by policy
 * - `not-found`, `ref-not-found`, `folder-not-found`: no such repository, branch/tag/commit, folder
 * - `auth`: the host asks for a credential, or refuses the one that is set
 * - `refused`: a rule or a hook of the host refuses what is pushed
 * - `too-large`: a limit of size or count
 * - `unreachable`: the host cannot be reached or does not respond
 * - `timeout`: our own time limit passed, because the host is slow or this machine is busy
 */
export type GitFault =
  | 'invalid'
  | 'host-refused'
  | 'not-found'
  | 'ref-not-found'
  | 'folder-not-found'
  | 'auth'
  | 'refused'
  | 'too-large'
  | 'timeout'
  | 'unreachable';

/**
 * A repository could not be read, by an error that its owner or an operator can fix. The message says what is
 * wrong and what to do, and holds no credential.
 */
export class GitError extends Error {
  override name = 'GitError';
  readonly code: GitFault;
  /** Whether the same call may succeed later without a change by anybody. */
  readonly retryable: boolean;
  constructor(code: GitFault, message: string) {
    super(message);
    this.code = code;
    this.retryable = code === 'timeout' || code === 'unreachable';
  }
}

/** Removes user information from every URL in a text, and control characters. */
export function redact(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1')
    .replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, ' ');
}

/** The error for a docs folder that exceeds a limit. */
export function tooLarge(limit: number, unit: 'files' | 'bytes'): GitError {
  return new GitError(
    'too-large',
    `The docs folder contains more than ${limit} ${unit}. Set the project's folder to the one that contains only the docs.`,
  );
}

/** The error for output of `git ls-tree` in another format than documented. */
export function unexpectedLine(line: string): Error {
  return new Error(`git ls-tree printed an unexpected line: ${JSON.stringify(line.slice(0, 200))}`);
}
