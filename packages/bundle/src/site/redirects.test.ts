import { expect, test } from 'vitest';
import { createPaths } from './paths.ts';
import { createRedirects } from './redirects.ts';

const from = (source: string, destination: string) => ({ source, destination, permanent: true });
const lead = (source: string, destination: string, path: string) =>
  createRedirects([from(source, destination)], '').pattern(path)?.location;

test.each([
  ['/a/*/x/:rest*', '/1/*/2/:rest', '/a/x/b/x/c/d', '/1/x/b/2/c/d'],
  ['/a/*/x/:rest*', '/1/*/2/:rest', '/a/x', '/1//2/'],
  ['/:first*/x/*/end', '/:first/*', '/x/y/end', '/y'],
  ['/*/*', '/1/*', '/a/b', '/1/a/b'],
  ['/:a*/v*/:b*', '/:a/-/:b', '/x/v1/y/v2/z', '/x/v1/y/-/z'],
  ['/*/x/*/y', '/1', '/x/x/x', undefined],
  ['/*/x/*/x', '/1', '/x', undefined],
  ['/a/:name', '/:name', '/a/', undefined],
  ['/a*z/b', '/*', '/az/b', undefined],
])('%s -> %s leads %s to %s', (source, destination, path, location) => {
  expect(lead(source, destination, path)).toBe(location);
});

test.each([
  ['/go/:rest*', ':rest*', '/go/https://evil.example/a', '/https://evil.example/a'],
  ['/go/:rest*', '/:rest*', '/go///evil.example', '/evil.example'],
  ['/go/*', '*', '/go/javascript:alert(1)', '/javascript:alert(1)'],
  ['/go/*', '*', '/go/\\\\evil.example', '/%5C%5Cevil.example'],
  ['/go/:rest*', 'https://new.example/:rest*', '/go/../@evil.example', 'https://new.example/@evil.example'],
  ['/go/:host', 'https://:host/a', '/go/evil.example', undefined],
  ['/go/*', 'https://new.example*', '/go/.evil.example', undefined],
  ['/go/*', 'https://new.example*', '/go/@evil.example', undefined],
  ['/go/*', 'https:*', '/go/x', undefined],
])('who asks does not choose the site: %s -> %s leads %s to %s', (source, destination, path, location) => {
  expect(lead(source, destination, path)).toBe(location);
});

test('patterns that could match at many places take the time of one pass over the path', () => {
  // With backtracking, each would take milliseconds for the path below.
  const costly = Array.from({ length: 20_000 }, (_, index) => from(`/*/x/*/a${index}*`, '/a'));
  const { pattern } = createRedirects([...costly, from('/x/*', '/2')], '');
  expect(pattern('/x'.repeat(500))?.location).toBe('/2');
});

test('a path that costs too much is not redirected; others of the same manifest are', () => {
  const costly = Array.from({ length: 1_000 }, (_, index) => from(`/*/x/a${index}*/*`, '/a'));
  const { pattern } = createRedirects([...costly, from('/x/*', '/2')], '');
  expect(pattern('/x/y')?.location).toBe('/2');
  expect(pattern('/x'.repeat(500))).toBeNull();
});

test('a path of many slashes reads each slash once', () => {
  const find = createPaths({ files: [], redirects: [from('/a', '/b')] }, '');
  // Tried from each slash on, this would take an hour.
  expect(find(`${'/'.repeat(2_000_000)}a`)).toEqual({ kind: 'missing' });
});

test.each([
  '/docs/one/../two',
  '/docs/one/%2e%2E/two',
  '/docs/one/..%2ftwo',
  '/docs/one/..%5ctwo',
  '/docs/one/..\\two',
  '/docs/one/./two',
  '/docs/any/..',
  '/docs/../any/x',
  '/docs/any/x/../../..//evil.example',
])('no pattern sees a path with dot segments: %s', (target) => {
  const redirects = [from('/one/:a/two', '/:a'), from('/one/*', '/*'), from('/any/:rest*', '/:rest*')];
  const find = createPaths({ files: [{ path: 'two.html' }], redirects }, '/docs');
  expect(find(target)).toEqual({ kind: 'missing' });
  expect(find('/docs/one/a/two')).toMatchObject({ location: '/docs/a' });
});

test.each([
  ['/up', '/../x', '/up', '/docs/x'],
  ['/up', '/a/%2e%2e/%2e%2e/x?y', '/up', '/docs/x?y'],
  ['/up', '/\t/evil.example', '/up', '/docs/evil.example'],
  ['/up', '//evil.example', '/up', '/docs/evil.example'],
  ['/up', '\\/\n\\evil.example', '/up', '/docs/evil.example'],
  ['/v*', '/a/*/../x', '/v..', '/docs/x'],
])('a destination stays below the base path: %s -> %s', (source, destination, path, location) => {
  const find = createPaths({ files: [], redirects: [from(source, destination)] }, '/docs');
  expect(find(`/docs${path}`)).toMatchObject({ kind: 'redirect', location });
});

test('files with rules for the host of a site are not served, in any spelling', () => {
  const rules = [
    '_headers',
    '_redirects',
    '_offprint/redirects.json',
    '_offprint/redirects/nginx.conf',
    '_offprint/redirects/cloudfront-function.js',
  ];
  const files = [...rules, 'guide/_headers', '_offprint/redirects-0123456789.js'].map((path) => ({ path }));
  const find = createPaths({ files, redirects: [] }, '/docs');
  for (const path of [...rules, '_headers/', '%5Fheaders', '_redirects?x', '//_headers']) {
    expect(find(`/docs/${path}`).kind, path).not.toBe('file');
  }
  for (const path of ['guide/_headers', '_offprint/redirects-0123456789.js']) {
    expect(find(`/docs/${path}`), path).toEqual({ kind: 'file', file: { path } });
  }
});
