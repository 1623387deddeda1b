import { expect, test } from 'vitest';
import { signLink, verifyLink } from './link.ts';

const secret = new Uint8Array(32).fill(7);
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('no other spelling of a signature passes, not even one that decodes to the same bytes', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const link = { key: 'a/b', fileName: 'site.tar.gz', expiresAt: new Date('2026-01-02T00:00:00Z') };
  const query = new URL(signLink(secret, 'https://docs.example.com', link)).searchParams;
  expect(verifyLink(secret, link.key, query, now).ok).toBe(true);
  const given = query.get('signature') as string;
  for (const letter of LETTERS) {
    if (given.endsWith(letter)) continue;
    query.set('signature', given.slice(0, -1) + letter);
    expect(verifyLink(secret, link.key, query, now)).toEqual({ ok: false, fault: 'tampered' });
  }
});
