import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { MAX_READER_COOKIE, type Reader, readerCookieName, signReader, verifyReader } from './reader.ts';

const key = Buffer.alloc(32, 7).toString('base64url');
const host = 'docs.example.com';
const now = 1_700_000_000_000;
const reader: Reader = {
  subject: 'ada',
  host,
  groups: ['admin'],
  expiresAt: now / 1000 + 60,
  content: { firstName: 'Ada' },
  apiPlaygroundInputs: { header: { 'X-Key': 'k' } },
};
const value = signReader(reader, key) ?? '';

/** A value with a valid signature over any text. */
function signed(text: string): string {
  const head = `v1.${Buffer.from(text).toString('base64url')}`;
  return `${head}.${createHmac('sha256', Buffer.from(key, 'base64url')).update(head).digest('base64url')}`;
}

test('returns the reader that was signed', () => {
  expect(verifyReader(value, { key, host, now })).toEqual(reader);
  expect(readerCookieName(true)).toBe('__Host-offprint_reader');
});

test('rejects a value at and after its expiry, for another host and of an earlier key', () => {
  expect(verifyReader(value, { key, host, now: now + 60_000 })).toBeNull();
  expect(verifyReader(value, { key, host: 'other.example.com', now })).toBeNull();
  expect(verifyReader(value, { key: Buffer.alloc(32, 8).toString('base64url'), host, now })).toBeNull();
});

test('rejects a value with any character changed', () => {
  for (let at = 0; at < value.length; at++) {
    const other = value[at] === 'A' ? 'B' : 'A';
    const changed = value.slice(0, at) + other + value.slice(at + 1);
    // the last character of a digest has two bits that no byte contains
    const isSame =
      at === value.length - 1 &&
      Buffer.from(changed.slice(-43), 'base64url').equals(Buffer.from(value.slice(-43), 'base64url'));
    if (!isSame) expect(verifyReader(changed, { key, host, now }), String(at)).toBeNull();
  }
});

test.each([
  ['', 'an empty value'],
  ['v1..', 'no parts'],
  [value.replace('v1.', 'v2.'), 'another version'],
  [`${value}.`, 'a further part'],
  [` ${value}`, 'a space'],
  [value.slice(0, -1), 'a short signature'],
  [value.slice(0, value.lastIndexOf('.') + 1), 'no signature'],
  [signed('null'), 'no object'],
  [signed('{'), 'no JSON'],
  [signed('{"s":"a","g":"admin","e":9999999999,"h":"docs.example.com"}'), 'groups that are text'],
  [signed('{"s":"a","g":[],"e":"9999999999","h":"docs.example.com"}'), 'an expiry that is text'],
  [signed('{"s":"a","g":[],"h":"docs.example.com"}'), 'no expiry'],
  [signed('{"s":"a","g":[],"e":1e999,"h":"docs.example.com"}'), 'an endless expiry'],
])('rejects %s', (given) => {
  expect(verifyReader(given, { key, host, now })).toBeNull();
});

test('signs nothing that browsers would not store, and verifies nothing longer', () => {
  expect(signReader({ ...reader, content: { text: 'a'.repeat(MAX_READER_COOKIE) } }, key)).toBeNull();
  expect(
    verifyReader(signed(JSON.stringify({ s: 'a'.repeat(4_000), g: [], e: 9e9, h: host })), {
      key,
      host,
      now,
    }),
  ).toBeNull();
});

test('refuses a key of another length', () => {
  expect(() => signReader(reader, '')).toThrow(RangeError);
  expect(() => verifyReader(value, { key: 'AAAA', host, now })).toThrow(RangeError);
});
