import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { branchName } from './branch-name.ts';

const ID = 'agt_0123456789abcdef0123456789abcdef';

test.each([
  ['Fix the links', 1, 'offprint/fix-the-links-01234567'],
  ['Fix the links', 2, 'offprint/fix-the-links-01234567-2'],
  ["Größe: don't ändern — Übersicht", 1, 'offprint/grosse-dont-andern-ubersicht-01234567'],
  ['ドキュメント', 1, 'offprint/docs-01234567'],
  ['', 3, 'offprint/docs-01234567-3'],
  ['../../.git/config @{-1} x.lock', 1, 'offprint/git-config-1-x-lock-01234567'],
  [
    'Describe every single one of the endpoints of payments',
    1,
    'offprint/describe-every-single-one-of-the-01234567',
  ],
  ['a'.repeat(90), 1, `offprint/${'a'.repeat(40)}-01234567`],
])('%j in round %i is %s', (title, round, name) => {
  expect(branchName('offprint/', title, ID, round)).toBe(name);
});

test('a secret in the words is not in the name', () => {
  const secret = 'Own-Secret-4f9Aq8Zt7Lm2';
  for (const title of [`Rotate ${secret}`, `Use ghp_${'A1b2C3d4'.repeat(5)} for pushes`]) {
    const name = branchName('offprint/', title, ID, 1, [secret]);
    expect(name).not.toMatch(/own-secret|4f9aq|a1b2c3d4/);
    expect(name).toMatch(/^offprint\/(rotate|use)/);
  }
});

test('whatever the words, git takes the name, it is short, and it starts with the prefix', () => {
  const names = fc
    .sample(fc.tuple(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 99 })), {
      numRuns: 200,
      seed: 4,
    })
    .map(([title, round]) => branchName('offprint/', title, ID, round));
  for (const name of names)
    expect(name).toMatch(/^offprint\/[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?-01234567(?:-\d+)?$/);
  for (const name of names.slice(0, 5))
    expect(execFileSync('git', ['check-ref-format', '--branch', name], { encoding: 'utf8' }).trim()).toBe(
      name,
    );
});

test('a prefix that no branch can have is refused', () => {
  for (const prefix of ['-x/', 'a b/', 'a..b/', '/', 'x.lock/'])
    expect(() => branchName(prefix, 'title', ID, 1)).toThrow('is not the name of a branch');
});
