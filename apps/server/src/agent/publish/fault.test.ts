import { expect, test } from 'vitest';
import { ForgeError, type ForgeFault } from '../../platform/forge/port.ts';
import { GitError, type GitFault } from '../../platform/git/error.ts';
import { publishFault } from './fault.ts';
import { PublishError } from './request.ts';

const outcomeOf = (error: unknown) => {
  const fault = publishFault(error);
  return fault instanceof PublishError ? [fault.code, fault.retryable, fault.message] : 'passed on';
};

test.each<[GitFault, string, boolean]>([
  ['refused', 'push_rejected', false],
  ['auth', 'repo_auth', false],
  ['too-large', 'repo_too_large', false],
  ['timeout', 'repo_unreachable', true],
  ['unreachable', 'repo_unreachable', true],
  ['not-found', 'repo_unreachable', false],
])('git: %s is %s', (fault, code, retryable) => {
  expect(outcomeOf(new GitError(fault, 'Why.'))).toEqual([code, retryable, 'Why.']);
});

test.each<[ForgeFault, string, boolean]>([
  ['auth', 'repo_auth', false],
  ['rejected', 'pr_rejected', false],
  ['not-found', 'pr_rejected', false],
  ['branch-missing', 'pr_rejected', true],
  ['unavailable', 'pr_rejected', true],
  ['rate-limited', 'pr_rejected', true],
])('forge: %s is %s', (fault, code, retryable) => {
  expect(outcomeOf(new ForgeError(fault, 'Why.'))).toEqual([code, retryable, 'Why.']);
});

test('the wait that a forge asks for is kept, and errors of other origin are passed on', () => {
  const limited = publishFault(new ForgeError('rate-limited', 'Later.', { retryAfterMs: 60_000 }));
  expect(limited).toMatchObject({ retryAfterMs: 60_000 });
  expect(outcomeOf(new Error('ours'))).toBe('passed on');
  expect(outcomeOf(new PublishError('policy', 'x'))).toEqual(['policy', false, 'x']);
});
