import { checkRef } from '../../platform/git/repository.ts';
import { type PublishAdapters, PublishError, type PublishRequest } from './request.ts';

/**
 * Lets a job push to a branch of its own only: below the prefix, and never where the docs are published from or a rule
 * protects. Throws PublishError `policy`.
 */
export async function guardBranch(
  request: Pick<PublishRequest, 'branch' | 'branchPrefix' | 'baseBranch' | 'secrets'>,
  { remote, forge, signal }: Pick<PublishAdapters, 'remote' | 'forge' | 'signal'>,
): Promise<void> {
  const { branch, branchPrefix, baseBranch, secrets } = request;
  if (secrets.some((secret) => isTold(branch, secret))) {
    throw new PublishError('policy', 'Nothing was pushed: the branch name contains a secret.');
  }
  if (branchPrefix === '' || !branch.startsWith(branchPrefix) || branch === branchPrefix) {
    throw refused(
      branch,
      `it does not start with "${branchPrefix}", followed by a name. Set another branch prefix in the agent settings of the project`,
    );
  }
  if (!isRef(branch)) throw refused(branch, 'it is not a valid Git branch name');
  if (isSame(branch, baseBranch)) throw refused(branch, 'the docs are published from it');
  if (isSame(branch, await remote.defaultBranch(signal))) {
    throw refused(branch, 'it is the default branch of the repository');
  }
  const isProtected = (await forge.protectedBranches(signal)).some((rule) => matches(rule, branch));
  if (isProtected) {
    throw refused(
      branch,
      'a rule of the forge protects it. Set a branch prefix that no rule covers in the agent settings of the project',
    );
  }
}

function refused(branch: string, why: string): PublishError {
  return new PublishError('policy', `Nothing was pushed to the branch "${branch}": ${why}.`);
}

function isRef(name: string): boolean {
  try {
    return checkRef(name) === name;
  } catch {
    return false;
  }
}

/** Characters of a secret by which it is known in a name, which is cut and has other signs between. */
const TELLING = 12;

function isTold(branch: string, secret: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const start = plain(secret).slice(0, TELLING);
  // A key in several lines starts with words that are not secret.
  return start.length === TELLING && !secret.trim().includes('\n') && plain(branch).includes(start);
}

/** Servers on file systems that fold case would take both for one. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Whether a name, or a pattern with `*` as some forges give them, covers a branch. */
function matches(rule: string, branch: string): boolean {
  const [first = '', ...rest] = rule.toLowerCase().split(/\*+/);
  const name = branch.toLowerCase();
  if (rest.length === 0) return first === name;
  if (!name.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
