import { createApiKeyBody } from '@offprint/contract';
import { expect, test } from 'vitest';
import { keyState, rangeFault, readAllowList } from './key-facts.ts';

const now = new Date('2026-06-01T12:00:00Z');
const after = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();

test('the badge of a key says what the server will do with it', () => {
  const state = (expiresAt: string | null, revokedAt: string | null = null) =>
    keyState({ expiresAt, revokedAt }, now);
  expect(state(null)).toMatchObject({ kind: 'active', isUsable: true });
  expect(state(after(15))).toMatchObject({ kind: 'active' });
  expect(state(after(14))).toMatchObject({ kind: 'expiring', label: 'expires in 14 days', isUsable: true });
  expect(state(after(1.5))).toMatchObject({ label: 'expires in 1 day' });
  expect(state(after(0.5))).toMatchObject({ label: 'expires within a day', isUsable: true });
  expect(state(after(0))).toMatchObject({ kind: 'expired', isUsable: false });
  expect(state(after(30), after(-1))).toMatchObject({ kind: 'revoked', isUsable: false });
});

test('an allow-list takes what the API takes, and names each range that is none', () => {
  expect(readAllowList('203.0.113.0/24, 198.51.100.7\n2001:db8::/32\n198.51.100.7/32')).toEqual({
    ranges: ['203.0.113.0/24', '198.51.100.7/32', '2001:db8::/32'],
    faults: [],
  });
  const wrong = readAllowList('0.0.0.0/0 example.com ::ffff:10.0.0.0/112');
  expect(wrong.ranges).toEqual([]);
  expect(wrong.faults.map((fault) => fault.split(' ')[0])).toEqual([
    '0.0.0.0/0',
    'example.com',
    '::ffff:10.0.0.0/112',
  ]);
});

test.each([
  ...[
    '203.0.113.0/24',
    '10.0.0.0/8',
    '10.0.0.0/7',
    '0.0.0.0/0',
    '203.0.113.7/32',
    '203.0.113.7/33',
    '203.0.113.256/24',
  ],
  ...[
    '2001:db8::/32',
    '2001:db8::1/128',
    '2001::/15',
    '::/0',
    '::ffff:10.0.0.0/112',
    '2001:db8::/129',
    ':::/32',
  ],
  ...[
    '',
    '/',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '010.0.0.0/8',
    '10.0.0/8',
    '10.0.0.0/-1',
    'fe80::%eth0/64',
  ],
])('%j is judged as the API judges it', (range) => {
  const api = createApiKeyBody.safeParse({ name: 'key', allowedCidrs: [range] });
  expect(rangeFault(range) === null).toBe(api.success);
});
