/** Which release a reader gets. */
import { describe, expect, test } from 'vitest';
import type { Access } from '../src/access/access.ts';
import { releasesFor } from '../src/hosting/releases-for.ts';
import type { Route } from '../src/hosting/routes.ts';

const release = (name: string) => ({ sha256: name, deploymentId: name, basePath: '' });
const restricted: Access = { kind: 'token', cookieKey: 'k' };

type Offer = [name: string, groups: string[] | null, unless?: string[], isInstalled?: boolean];

function routeOf(offers: readonly Offer[], access: Access = restricted): Route {
  return {
    site: {
      host: 'docs.example.com',
      projectId: 'p',
      deploymentId: 'base',
      kind: 'production',
      redirectTo: null,
      basePath: '',
      sha256: 'base',
      sizeBytes: 1,
      noindex: false,
      access,
      variants: [],
      isMeasured: false,
    },
    current: release('base'),
    previous: release('base-before'),
    variants: offers.map(([name, groups, unless = [], isInstalled = true]) => ({
      variant: { groups, unless, deploymentId: name, sha256: name },
      current: isInstalled ? release(name) : null,
      previous: release(`${name}-before`),
    })),
  };
}

const chosen = (offers: readonly Offer[], groups: readonly string[] | null, access?: Access) =>
  releasesFor(routeOf(offers, access), groups === null ? null : { groups }).current?.sha256 ?? null;

const offers: Offer[] = [
  ['open', null],
  ['a', ['a']],
  ['b', ['b']],
  ['ab', ['a', 'b']],
];

describe('the release of a reader', () => {
  test.each<[string[] | null, string]>([
    [null, 'open'],
    [[], 'base'],
    [['other'], 'base'],
    [['a'], 'a'],
    [['a', 'other'], 'a'],
    [['b', 'a', 'other'], 'ab'],
    [['A'], 'base'],
  ])('of groups %j is %s', (groups, wanted) => {
    expect(chosen(offers, groups)).toBe(wanted);
  });

  test('is that for fewer groups while the exact one is not installed, and never that for more', () => {
    const waiting: Offer[] = [
      ['a', ['a']],
      ['ab', ['a', 'b'], [], false],
      ['abc', ['a', 'b', 'c']],
    ];
    expect(chosen(waiting, ['a', 'b'])).toBe('a');
    expect(chosen(waiting, ['b'])).toBe('base');
    expect(chosen(waiting, ['b', 'c'])).toBe('base');
  });

  test('is none that shows what one of the groups excludes', () => {
    const excluding: Offer[] = [
      ['staff', ['staff'], ['contractors']],
      ['both', ['contractors', 'staff'], [], false],
    ];
    expect(chosen(excluding, ['staff'])).toBe('staff');
    expect(chosen(excluding, ['staff', 'contractors'])).toBe('base');
  });

  test('of a public site is the one for all, signed in or not', () => {
    for (const groups of [null, ['a']]) expect(chosen(offers, groups, { kind: 'public' })).toBe('base');
  });

  test('of strangers is nothing where no page is open', () => {
    expect(chosen([['a', ['a']]], null)).toBeNull();
    expect(releasesFor(routeOf([['a', ['a']]]), null).earlier).toEqual([]);
  });
});

test('hashed files of earlier releases come only from those that the reader may get', () => {
  const earlier = (groups: readonly string[] | null) =>
    releasesFor(routeOf(offers), groups === null ? null : { groups }).earlier.map(({ sha256 }) => sha256);
  expect(earlier(['a'])).toEqual(['a-before', 'base', 'base-before']);
  expect(earlier(['other'])).toEqual(['base-before']);
  expect(earlier(null)).toEqual(['open-before']);
});
