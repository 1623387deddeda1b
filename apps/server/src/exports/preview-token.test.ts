import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newId } from '../platform/ids.ts';
import { PREVIEW_TOKEN, readPreview, signPreview } from './preview-token.ts';

const key = randomBytes(32);
const expiresAt = new Date('2026-06-01T12:00:00.000Z');
const before = new Date('2026-06-01T11:59:59.999Z');
const grant = { organizationId: newId('org'), exportId: newId('se'), expiresAt };

test('a token grants one export until it expires, and says no more than that afterwards', () => {
  const token = signPreview(key, grant);
  expect(token).toMatch(PREVIEW_TOKEN);
  expect(readPreview(key, token, before)).toEqual({ grant });
  expect(readPreview(key, token, expiresAt)).toEqual({ fault: 'expired' });
});

test('a token that was altered anywhere, cut, or signed with another key grants nothing', () => {
  const token = signPreview(key, grant);
  expect(readPreview(randomBytes(32), token, before)).toEqual({ fault: 'invalid' });
  for (let at = 0; at < token.length; at++) {
    const altered = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    expect(readPreview(key, altered, before), `character ${at}`).toEqual({ fault: 'invalid' });
  }
  for (const other of ['', token.slice(1), `${token}A`, `${token}=`, 'x'.repeat(96)]) {
    expect(readPreview(key, other, before)).toEqual({ fault: 'invalid' });
  }
});

test('a text that is not an id is not signed', () => {
  expect(() => signPreview(key, { ...grant, exportId: 'se_1' })).toThrow(/is not an id/);
});
