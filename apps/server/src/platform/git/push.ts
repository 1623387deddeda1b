import { GitError, redact } from './error.ts';
import { failureOf } from './failure.ts';
import type { Contact } from './fetch.ts';
import type { PushOutcome } from './remote.ts';
import { checkObjectId, checkRef } from './repository.ts';
import { runGit, TRANSFER_SETTINGS } from './run.ts';

/** Reasons of a server that saw the branch move between its first word and the update. */
const RACED =
  /cannot lock ref|failed to update ref|failed to lock|already exists|incorrect old value|non-fast-forward/i;

/**
 * Moves one branch of the remote repository to a commit that holds what was there, if and only if it is at
 * `expected` when the server makes the change. A branch that is at the commit already counts as pushed, so
 * that a push whose response was lost may be repeated.
 *
 * Throws GitError: `refused` with the server's words when a rule or a hook says no.
 */
export async function pushCommit(
  contact: Omit<Contact, 'limits' | 'transfer'>,
  { commit, branch, expected }: { commit: string; branch: string; expected: string | null },
): Promise<PushOutcome> {
  const ref = `refs/heads/${checkRef(branch)}`;
  for (const id of expected === null ? [commit] : [commit, expected]) checkObjectId(id);
  if (expected !== null) await checkHolds(contact, commit, expected);
  const { status, stdout, stderr } = await runGit({
    gitDir: contact.gitDir,
    args: [
      'push',
      '--porcelain',
      '--no-progress',
      '--no-verify',
      '--no-follow-tags',
      '--no-signed',
      '--recurse-submodules=no',
      // Without `+`: a compare-and-set of this branch. An empty value requires that the branch does not exist
      // yet.
      `--force-with-lease=${ref}:${expected ?? ''}`,
      '--',
      contact.repository.url,
      `${commit}:${ref}`,
    ],
    signal: contact.signal,
    environment: contact.access.environment,
    settings: [...TRANSFER_SETTINGS, ...contact.access.settings],
  });
  const line = stdout
    .toString('utf8')
    .split('\n')
    .map((text) => text.split('\t'))
    .find(([flag, names]) => flag?.length === 1 && names?.endsWith(`:${ref}`));
  const [flag, , summary = ''] = line ?? [];
  if (status === 0 && flag !== undefined && flag !== '!') return 'pushed';
  if (flag === '!' && summary.startsWith('[rejected]')) return 'moved';
  if (flag === '!' && summary.startsWith('[remote rejected]')) {
    if (RACED.test(summary) && !/exists; cannot create/.test(stderr)) return 'moved';
    throw refusal(contact, branch, summary, stderr);
  }
  throw pushFailure(contact, stderr);
}

/** A lease alone would let a branch be rewritten, so the commit must follow on what is replaced. */
async function checkHolds(
  { gitDir, signal }: Pick<Contact, 'gitDir' | 'signal'>,
  commit: string,
  expected: string,
): Promise<void> {
  const args = ['merge-base', '--is-ancestor', expected, commit];
  const { status } = await runGit({ gitDir, signal, args });
  if (status !== 0)
    throw new GitError(
      'invalid',
      `The commit ${commit} is not a descendant of ${expected}, which it would replace.`,
    );
}

function refusal(
  { repository }: Pick<Contact, 'repository'>,
  branch: string,
  summary: string,
  stderr: string,
): GitError {
  const reason = /\((.+)\)\s*$/.exec(summary)?.[1] ?? 'without a reason';
  const words = serverWords(stderr);
  const says = words === '' ? '' : ` The server says: ${words}`;
  return new GitError(
    'refused',
    `${redact(repository.url)} rejected the push to the branch "${branch}": ${redact(reason).slice(0, 200)}.${says}`,
  );
}

/** A credential that may read and not write; ssh servers report that only as text. */
const READ_ONLY = /marked as read only|\bdenied to\b|not allowed to (?:push|upload)|archived|read-only/i;

/** The error of a push that failed before the server checked the branch. */
export function pushFailure({ repository }: Pick<Contact, 'repository'>, stderr: string): GitError {
  const url = redact(repository.url);
  const failure = failureOf(repository, stderr, 'pushed to');
  const words = serverWords(stderr);
  const says = words === '' ? '' : ` The server says: ${words}`;
  if (/returned error: 413|HTTP 413/.test(stderr)) {
    return new GitError('too-large', `${url} rejected the push because it is too large.${says}`);
  }
  if (READ_ONLY.test(words) || (failure.code === 'auth' && repository.transport !== 'ssh')) {
    return new GitError(
      'auth',
      `${url} rejected the push. Check that the project's credential is valid and may write to this repository.${says}`,
    );
  }
  return failure;
}

const MAX_LINES = 6;
const MAX_CHARACTERS = 600;

/** The output of the other side, made safe for a message for people. */
function serverWords(stderr: string): string {
  return stderr
    .split(/[\r\n]/)
    .flatMap((line) => /^(?:remote|ERROR):(.*)$/.exec(line)?.[1] ?? [])
    .map((line) =>
      // Colors first, while their escape still marks them.
      redact(line.replace(/\x1b\[[0-9;]*[A-Za-z]/g, ''))
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .slice(0, MAX_LINES)
    .join(' / ')
    .slice(0, MAX_CHARACTERS);
}
