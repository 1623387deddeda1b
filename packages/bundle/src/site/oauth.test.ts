import { expect, test } from 'vitest';
import { isOauthPath, originOfSite, signAccessToken, verifyAccessToken } from './oauth.ts';
import { type Reader, readerOfCookies, signReader, verifyReader } from './reader.ts';

const cookieKey = Buffer.alloc(32, 7).toString('base64url');
const host = 'docs.example.com';
const now = 1_700_000_000_000;
const seconds = now / 1000;
const reader: Reader = {
  subject: 'ada',
  host,
  groups: ['admin'],
  expiresAt: seconds + 7_200,
  content: { firstName: 'Ada' },
  apiPlaygroundInputs: { header: { 'X-Key': 'k' } },
};
const of = { cookieKey, host, now };

function tokenOf(changes: Partial<Reader> = {}): string {
  return signAccessToken({ ...reader, ...changes }, of)?.value ?? '';
}

test('a token has the groups of the reader, and nothing else of what is known of them', () => {
  expect(verifyAccessToken(tokenOf(), of)).toEqual({
    ...reader,
    expiresAt: seconds + 3_600,
    content: {},
    apiPlaygroundInputs: {},
  });
});

test('a token ends after an hour, and with the session', () => {
  expect(signAccessToken(reader, of)?.seconds).toBe(3_600);
  expect(signAccessToken({ ...reader, expiresAt: seconds + 90 }, of)?.seconds).toBe(90);
  expect(verifyAccessToken(tokenOf(), { ...of, now: now + 3_599_000 })).not.toBeNull();
  expect(verifyAccessToken(tokenOf(), { ...of, now: now + 3_600_000 })).toBeNull();
  expect(verifyAccessToken(tokenOf({ expiresAt: seconds + 90 }), { ...of, now: now + 90_000 })).toBeNull();
});

test('a token is not valid as a cookie, nor a cookie as a token', () => {
  const cookie = signReader(reader, cookieKey) ?? '';
  expect(verifyReader(cookie, { key: cookieKey, host, now })).not.toBeNull();
  expect(verifyAccessToken(cookie, of)).toBeNull();
  expect(verifyReader(tokenOf(), { key: cookieKey, host, now })).toBeNull();
});

test('a token is for one host, and ends when readers are signed out by a new key', () => {
  expect(verifyAccessToken(tokenOf(), { ...of, host: 'other.example.com' })).toBeNull();
  expect(verifyAccessToken(tokenOf({ host: 'other.example.com' }), of)).toBeNull();
  const later = Buffer.alloc(32, 8).toString('base64url');
  expect(verifyAccessToken(tokenOf(), { ...of, cookieKey: later })).toBeNull();
  expect(() => verifyAccessToken(tokenOf(), { ...of, cookieKey: '' })).toThrow('32 bytes');
});

test('of several cookies of a name, the first valid one counts', () => {
  const value = signReader(reader, cookieKey);
  const find = (header: string) =>
    readerOfCookies(header, { key: cookieKey, host, now, isSecure: false })?.value;
  expect(find(`offprint_reader=v1.a.b; offprint_reader=${value}`)).toBe(value);
  expect(find(`__Host-offprint_reader=${value}`)).toBeUndefined();
});

test.each([
  ['docs.example.com:8443', 'https://docs.example.com:8443'],
  ['DOCS.example.com', 'https://docs.example.com'],
  ['evil.example', 'https://docs.example.com'],
  ['docs.example.com:1@evil.example', 'https://docs.example.com'],
  ['evil@docs.example.com', 'https://docs.example.com'],
  ['docs.example.com"x', 'https://docs.example.com'],
  [undefined, 'https://docs.example.com'],
])('only the port is taken from the header %j', (header, origin) => {
  expect(originOfSite(host, header, true)).toBe(origin);
});

test('only the exact paths are those of the authorization', () => {
  expect(isOauthPath('/docs/_offprint/oauth/token', '/docs')).toBe(true);
  expect(isOauthPath('/_offprint/oauth/token', '/docs')).toBe(false);
  expect(isOauthPath('/docs/_offprint/oauth/token/', '/docs')).toBe(false);
});
