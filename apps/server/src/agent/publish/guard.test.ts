import { expect, test } from 'vitest';
import { guardBranch } from './guard.ts';
import type { PublishAdapters } from './request.ts';

const SECRET = 'sk_live-4f9Aq8Zt7Lm2';
const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n';

async function guard(
  branch: string,
  rules: string[] = [],
  prefix = 'offprint/',
  base = 'docs',
): Promise<string> {
  const adapters = {
    remote: { defaultBranch: async () => 'main' },
    forge: { protectedBranches: async () => rules },
    signal: new AbortController().signal,
  } as unknown as PublishAdapters;
  return guardBranch(
    { branch, branchPrefix: prefix, baseBranch: base, secrets: [SECRET, KEY] },
    adapters,
  ).then(
    () => 'lets pass',
    (error: { code: string }) => error.code,
  );
}

test('a branch below the prefix passes', async () => {
  expect(await guard('offprint/a')).toBe('lets pass');
  expect(await guard('offprint/begin-openssh-private-key-01234567')).toBe('lets pass');
  expect(
    await guard('offprint/a', ['main', 'offprint', 'offprint/', 'offprint/a*b', '*/b', 'release-*']),
  ).toBe('lets pass');
});

test.each([
  ['main', [], ''],
  ['offprint/rotate-sk-live-4f9aq8zt7lm2-01234567', [], 'offprint/'],
  ['offprint/key-sk-live-4f9aq8zt-01234567', [], 'offprint/'],
  ['main', [], 'ma'],
  ['Main', [], 'M'],
  ['docs', [], 'do'],
  ['DOCS', [], 'DO'],
  ['offprint', [], 'offprint/'],
  ['offprint/', [], 'offprint/'],
  ['offprint/a b', [], 'offprint/'],
  ['offprint/../main', [], 'offprint/'],
  ['offprint/@{-1}', [], 'offprint/'],
  ['other/a', [], 'offprint/'],
  ['refs/heads/offprint/a', [], 'offprint/'],
  ['offprint/a', ['offprint/a'], 'offprint/'],
  ['offprint/a', ['OFFPRINT/A'], 'offprint/'],
  ['offprint/a', ['offprint/*'], 'offprint/'],
  ['offprint/a', ['*'], 'offprint/'],
  ['offprint/a-b-c', ['off*-b-*'], 'offprint/'],
  ['offprint/a/b', ['offprint/**'], 'offprint/'],
])('the branch %j with rules %j and prefix %j is refused', async (branch, rules, prefix) => {
  expect(await guard(branch, rules, prefix)).toBe('policy');
});
