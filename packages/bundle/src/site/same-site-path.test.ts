import { expect, test } from 'vitest';
import { isSignInPath, sameSitePath } from './same-site-path.ts';

test('keeps paths of the site with query and fragment', () => {
  expect(sameSitePath('/guide?a=1#part', '')).toBe('/guide?a=1#part');
  expect(sameSitePath('/docs/guide', '/docs')).toBe('/docs/guide');
  expect(sameSitePath('/docs', '/docs')).toBe('/docs');
});

test.each([
  ['https://evil.example/'],
  ['//evil.example'],
  ['///evil.example'],
  ['/\\evil.example'],
  ['\\\\evil.example'],
  ['/\t/evil.example'],
  ['/\n/evil.example'],
  ['/..//evil.example'],
  ['/.//evil.example'],
  ['/a/..//evil.example'],
  ['/%2e%2e//evil.example'],
  ['javascript:alert(1)'],
  [' //evil.example'],
  ['evil.example'],
  ['@evil.example'],
  ['/login'],
  ['/login/callback?code=1'],
  ['/logout'],
  ['/x/../logout'],
  [''],
  [`/${'a'.repeat(2_000)}`],
])('redirects to the start of the site instead of %j', (given) => {
  expect(sameSitePath(given, '')).toBe('/');
});

test('redirects to the start of the site instead of a path outside its base path', () => {
  for (const given of [
    '/',
    '/docs2',
    '/docs/../admin',
    '/docs//../../admin',
    '/docs/login',
    null,
    undefined,
  ]) {
    expect(sameSitePath(given, '/docs')).toBe('/docs/');
  }
});

test('leaves no URL that a browser resolves to another host', () => {
  const parts = [
    '/',
    '\\',
    '.',
    '..',
    '\t',
    '\r',
    'evil.example',
    '@',
    ':',
    '%2f',
    '%5c',
    '?',
    '#',
    'a',
    ' ',
  ];
  let state = 11;
  for (let round = 0; round < 20_000; round++) {
    let given = '/';
    for (let at = 0; at < 6; at++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      given += parts[state % parts.length];
    }
    const path = sameSitePath(given, '');
    expect(new URL(path, 'https://docs.example.com').origin, given).toBe('https://docs.example.com');
  }
});

test('finds the paths of the sign-in below the base path only', () => {
  expect(isSignInPath('/login', '')).toBe(true);
  expect(isSignInPath('/login/callback', '')).toBe(true);
  expect(isSignInPath('/docs/logout', '/docs')).toBe(true);
  for (const path of ['/loginx', '/logout/x', '/docs/login', '/a/login'])
    expect(isSignInPath(path, '')).toBe(false);
  expect(isSignInPath('/login', '/docs')).toBe(false);
});
