import { expect, test } from 'vitest';
import { deploymentFor, type ReaderVariant } from './find-site.ts';

const VARIANTS: ReaderVariant[] = [
  { groups: null, unless: [], deploymentId: 'public' },
  { groups: ['a'], unless: ['b'], deploymentId: 'a' },
  { groups: ['a', 'b'], unless: [], deploymentId: 'a and b' },
];

const chosen = (access: 'public' | 'password', groups: string[], variants = VARIANTS) =>
  deploymentFor({ access, deploymentId: 'live' }, variants, groups);

test('a public site has one deployment for everyone', () => {
  expect(chosen('public', [])).toBe('live');
  expect(chosen('public', ['a'])).toBe('live');
});

test('on a restricted site, requests without groups get its public pages or nothing', () => {
  expect(chosen('password', [])).toBe('public');
  expect(chosen('password', [], [])).toBeNull();
});

test('on a restricted site, readers in groups get the variant with most of them, else the live deployment', () => {
  expect(chosen('password', ['a'])).toBe('a');
  expect(chosen('password', ['b', 'a'])).toBe('a and b');
  // a reader in the group b must not get the variant that excludes it
  expect(chosen('password', ['a', 'b'], VARIANTS.slice(0, 2))).toBe('live');
  expect(chosen('password', ['c'])).toBe('live');
});
