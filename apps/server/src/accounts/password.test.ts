import { randomBytes, scryptSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { requireUncommon } from './common-password.ts';
import { hashPassword, isOutdated, matchesPassword } from './password.ts';

/** A kept password that costs next to nothing, as older or other parameters would write it. */
function cheap(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 4, r: 8, p: 1 });
  return `scrypt$4$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

describe('kept passwords', () => {
  test('a password is kept with a salt and the cost of 128 MiB, and only it matches', async () => {
    const kept = await hashPassword('gravel lantern otter nine');
    expect(kept).toMatch(/^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(isOutdated(kept)).toBe(false);
    expect(await matchesPassword('gravel lantern otter nine', kept)).toBe(true);
    expect(await matchesPassword('gravel lantern otter ninE', kept)).toBe(false);
  });

  test('other parameters still match and are reported as outdated', async () => {
    const kept = cheap('gravel lantern otter nine');
    expect(await matchesPassword('gravel lantern otter nine', kept)).toBe(true);
    expect(isOutdated(kept)).toBe(true);
  });

  test('the same characters in another composition are the same password', async () => {
    expect(await matchesPassword('caf\u00e9 lantern otter', cheap('caf\u00e9 lantern otter'))).toBe(true);
    expect(await matchesPassword('cafe\u0301 lantern otter', cheap('caf\u00e9 lantern otter'))).toBe(true);
  });

  test('nothing matches where no password is kept, not even its placeholder', async () => {
    expect(await matchesPassword('', null)).toBe(false);
    expect(await matchesPassword('gravel lantern otter nine', undefined)).toBe(false);
  });

  test('beyond the number that may wait, requests are asked to retry, and the others are completed', async () => {
    const kept = cheap('gravel lantern otter nine');
    const asked = Array.from({ length: 70 }, () => matchesPassword('gravel lantern otter nine', kept));
    const settled = await Promise.allSettled(asked);
    const refused = settled.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(8);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'unavailable' });
    expect(await matchesPassword('gravel lantern otter nine', kept)).toBe(true);
  });
});

describe('common passwords', () => {
  const refusal = (password: string) => {
    try {
      requireUncommon(password, 'ada.lovelace@engines.example.com', '/password');
      return null;
    } catch (error) {
      return (error as { param?: string }).param;
    }
  };

  test.each([
    'password1234',
    'Password123!',
    'P@ssw0rd2024!',
    'passwordpassword',
    'qwertyuiop123',
    'qwertyuiopasdf',
    '1q2w3e4r5t6y',
    '123456789012',
    '098765432109',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'abababababab1',
    'letmein123456',
    'iloveyou1234!',
    'changeme2026!!',
    'ada.lovelace@engines.example.com',
    'adalovelace1815',
    'Ada-Lovelace!',
    'offprint2026!',
    'offprintoffprint',
    '!!!!!!!!!!!!',
    '2026-01-31 12:00',
  ])('%s is refused', (password) => {
    expect(refusal(password)).toBe('/password');
  });

  test.each([
    'gravel lantern otter nine',
    'k7m2-9xqd-abce-p4rt',
    'my password is a long story',
    'Tr0ub4dor&3-horse',
    'пароль длинный и свой',
    'correct horse battery staple',
  ])('%s passes: nothing but length and being uncommon is asked', (password) => {
    expect(refusal(password)).toBeNull();
  });
});
