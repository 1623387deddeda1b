import { expect, test } from 'vitest';
import { normalizeSiteHost } from '../src/domain-verification.ts';

test('hosts of sites become lower case and punycode', () => {
  expect(normalizeSiteHost('Docs.Example.COM')).toBe('docs.example.com');
  expect(normalizeSiteHost('docs.example.com.')).toBe('docs.example.com');
  expect(normalizeSiteHost('Bücher.example.com')).toBe('xn--bcher-kva.example.com');
  expect(normalizeSiteHost('*.Bücher.example.com')).toBe('*.xn--bcher-kva.example.com');
});

test('anything but a host name with a dot is refused', () => {
  const refused = [
    '',
    'localhost',
    'com',
    '*',
    '*.',
    '*.com',
    '*.*.example.com',
    'docs.*.example.com',
    '*docs.example.com',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '::1',
    'https://docs.example.com',
    'docs.example.com:443',
    'docs.example.com/path',
    'user@docs.example.com',
    'docs.example.com\r\nHost: x',
    'docs.example.com\0.example.org',
    'docs..example.com',
    '.example.com',
    '-docs.example.com',
    '_offprint.example.com',
    'do_cs.example.com',
    'xn--.example.com',
    'xn--a-ecp.ru\u0000',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(125)}example.com`,
    'docs。example。com@evil.example.org',
    'docs.example.com%00',
    'docs example.com',
  ];
  for (const text of refused) expect(normalizeSiteHost(text), JSON.stringify(text)).toBeNull();
});
