import { createApiKeyBody, type Scope, scopeAliases } from '@offprint/contract';
import { expect, test } from 'vitest';
import {
  createdFrom,
  keyState,
  rangeFault,
  readAllowList,
  scopesOf,
  scopeWords,
  tryCommand,
} from './key-facts.ts';

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

test('scopes are named together only if the key has all of a kind', () => {
  const words = (scopes: Scope[]) => scopeWords(scopes);
  expect(words([...scopeAliases.write])).toBe('Everything');
  expect(words([...scopeAliases.read])).toBe('Read everything');
  expect(words(['exports:write', 'agent:read', 'projects:read', 'organization:read'])).toBeNull();
  expect(words(['exports:write'])).toBeNull();
  expect(scopesOf({ projects: 'read', exports: 'write' })).toEqual(['exports:write', 'projects:read']);
  expect(scopesOf({})).toEqual([]);
});

test('the command that tests a key asks for what its scopes permit', () => {
  expect(tryCommand('https://a.example', 'k', ['agent:read', 'projects:read'])).toContain('/v1/projects?');
  expect(tryCommand('https://a.example', 'k', ['exports:write'])).toContain('/v1/static-export/jobs?');
  expect(tryCommand('https://a.example', 'k', ['agent:write'])).toContain('/v2/agent/');
});

test('the keys that a key created are those that they created too', () => {
  const key = (id: string, createdByKey: string | null) => ({ id, createdByKey });
  const keys = [key('a', null), key('b', 'a'), key('c', 'b'), key('d', null), key('e', 'd')];
  expect(createdFrom(keys, 'a').map(({ id }) => id)).toEqual(['b', 'c']);
  expect(createdFrom(keys, 'c')).toEqual([]);
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
