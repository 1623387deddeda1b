import { expect, test } from 'vitest';
import { createApiKeyBody, includesScope, normalizeScopes, scopes } from '../src/index.ts';

test('write includes read of the same area, and nothing else is included', () => {
  for (const held of scopes) {
    for (const needed of scopes) {
      const [heldArea, heldAccess] = held.split(':');
      const [area, access] = needed.split(':');
      const expected = heldArea === area && (heldAccess === access || heldAccess === 'write');
      expect(includesScope([held], needed), `${held} for ${needed}`).toBe(expected);
    }
  }
  expect(includesScope([], 'exports:read')).toBe(false);
  expect(includesScope(['read', 'write', 'exports'], 'exports:read')).toBe(false);
});

test('scopes are stored once, in the usual order, without what another one includes', () => {
  expect(normalizeScopes(['projects:read', 'exports:read', 'exports:write', 'projects:read'])).toEqual([
    'exports:write',
    'projects:read',
  ]);
  expect(normalizeScopes(['write', 'read'])).toEqual([
    'exports:write',
    'agent:write',
    'projects:write',
    'discovery:read',
    'assistant:use',
    'analytics:write',
    'organization:write',
  ]);
  expect(normalizeScopes(['read', 'exports:write'])).toEqual([
    'exports:write',
    'agent:read',
    'projects:read',
    'discovery:read',
    'analytics:read',
    'organization:read',
  ]);
});

test('a request for a key names known scopes, at least one project or null, and one way to expire', () => {
  const fault = (body: object) =>
    createApiKeyBody.safeParse({ name: 'a', ...body }).error?.issues[0]?.path.join('/') ?? null;
  expect(fault({ scopes: [...scopes, 'read', 'write'], projects: null })).toBeNull();
  expect(fault({ expiresAt: '2026-06-01T12:00:00+02:00' })).toBeNull();
  expect(fault({ scopes: ['exports'] })).toBe('scopes/0');
  expect(fault({ projects: [] })).toBe('projects');
  expect(fault({ expiresAt: 'tomorrow' })).toBe('expiresAt');
  expect(fault({ expiresAt: '2026-06-01T12:00:00Z', expiresInDays: 7 })).toBe('expiresAt');
});
