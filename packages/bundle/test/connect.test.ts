import { expect, test } from 'vitest';
import { formatManifest, type ManifestHead, parseManifest } from '../src/manifest.ts';
import { sitePolicy } from '../src/site/policy.ts';

const HEAD: ManifestHead = {
  site: { domain: '', name: 'A', url: '' },
  version: '1',
  commit: null,
  renderer: { name: 'offprint', version: '1' },
  redirects: [],
  features: {},
};
const parsed = (connect: unknown) =>
  parseManifest(JSON.stringify({ ...JSON.parse(formatManifest(HEAD, [])), connect })).connect;

test('the origins of a manifest become part of the policy of servers', () => {
  const connect = ['https://api.example.com', 'https://*.example.com:8443', 'http://[::1]:80'];
  expect(parseManifest(formatManifest({ ...HEAD, connect }, [])).connect).toEqual(connect);
  expect(sitePolicy({ connect })).toContain(`connect-src 'self' ${connect.join(' ')};`);
  expect(parseManifest(formatManifest(HEAD, [])).connect).toBeUndefined();
});

test.each([
  'https://a.example.com; script-src *',
  'https://a.example.com\r\nX: y',
  'https://*',
  'https://*.com',
  '*',
  "'unsafe-inline'",
  'https://a.example.com/path',
  'data:',
  7,
  null,
])('an origin that is none is an error that names it: %j', (origin) => {
  expect(() => parsed(['https://ok.example.com', origin])).toThrow(/connect\[1\]/);
});

test('more origins than a header can contain are an error', () => {
  const many = Array.from({ length: 300 }, (_, index) => `https://h${index}.example.com`);
  expect(() => parsed(many)).toThrow(/too long for a header/);
});
