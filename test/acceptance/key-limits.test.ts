/** What a key cannot do beyond its own rights: create keys, invite and change members, or outlive the key that created it. */
import type { ApiKey, CreatedApiKey } from '@offprint/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../apps/server/src/platform/ids.ts';
import { asPerson, createPerson, type Person } from '../support/accounts.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { createProject, expectError, type Reply, call as send } from './api.ts';

const DAY = 86_400_000;

let platform: TestPlatform;
let tenant: Tenant;
let stranger: Tenant;
let admin: Person;
let projectId: string;
let otherProject: string;

beforeAll(async () => {
  platform = await startTestPlatform({ env: { OFFPRINT_KEYS_PER_HOUR: '10000' } });
  [tenant, stranger] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  admin = await createPerson(platform, { organizationId: tenant.organizationId });
  ({ projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' }));
  ({ projectId: otherProject } = await createProject(platform.url, tenant.key, { kind: 'upload' }));
});
afterAll(() => platform?.stop());

type Options = { key?: string; body?: unknown; headers?: Record<string, string> };
const call = <Body = Record<string, unknown>>(method: string, path: string, options: Options = {}) =>
  send<Body>(platform.url, method, path, options);
const create = (key: string, body: object, headers: Record<string, string> = {}) =>
  call<CreatedApiKey>('POST', '/v1/api-keys', { key, body: { name: 'made', ...body }, headers });
const asAdmin = <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  call<Body>(method, path, {
    headers: asPerson(platform, admin.session, tenant.organizationId),
    ...(body === undefined ? {} : { body }),
  });

async function made(key: string, body: object = {}): Promise<CreatedApiKey> {
  const reply = await create(key, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.body;
}

/** Status of a request that every key with `organization` may send. */
const works = async (key: string) => (await call('GET', '/v1/api-keys', { key })).status === 200;

const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();

describe('a key that is created by a key', () => {
  const limits = {
    scopes: ['organization:write', 'exports:read'] as const,
    allowedCidrs: ['127.0.0.0/16', '2001:db8::/32'],
    expiresInDays: 7 as const,
  };

  test.each([
    ['another scope', { scopes: ['agent:read'] }, '/scopes'],
    ['write for read', { scopes: ['exports:write'] }, '/scopes'],
    ['the old name for all scopes', { scopes: ['write'] }, '/scopes'],
    ['the old name for all that read', { scopes: ['read'] }, '/scopes'],
    ['the default scope, which it lacks', {}, '/scopes'],
    ['no end', { expiresInDays: null }, '/expiresInDays'],
    ['more days', { expiresInDays: 30 }, '/expiresInDays'],
    ['the same days, but from now', { expiresInDays: 7 }, '/expiresInDays'],
    ['a later time', { expiresAt: inDays(8) }, '/expiresAt'],
    ['any IP address', { allowedCidrs: [] }, '/allowedCidrs'],
    ['a wider range', { allowedCidrs: ['127.0.0.0/15'] }, '/allowedCidrs/0'],
    ['a range elsewhere', { allowedCidrs: ['127.0.1.0/24', '10.0.0.0/24'] }, '/allowedCidrs/1'],
    ['a range of the other family', { allowedCidrs: ['2001:db9::/32'] }, '/allowedCidrs/0'],
    ['all projects', { projects: null }, '/projects'],
    ['another project', () => ({ projects: [projectId, otherProject] }), '/projects'],
    ['a project that does not exist', () => ({ projects: [newId('prj')] }), '/projects'],
  ])('403 rights_exceeded: cannot have %s', async (_name, given, param) => {
    const key = await platform.createKey(tenant.organizationId, {
      ...limits,
      projects: [projectId],
      scopes: [...limits.scopes],
    });
    const { scopes = param === '/scopes' ? undefined : ['exports:read'], ...body } = (
      typeof given === 'function' ? given() : given
    ) as { scopes?: string[] };
    const reply = await create(key, { ...body, ...(scopes === undefined ? {} : { scopes }) });
    expectError(reply, 403, 'rights_exceeded', param);
    // The sentence names what is allowed and a way out.
    expect((reply as Reply<unknown> as Reply).body.error).toMatch(
      /(?:only|limited to|expires at) .*\. .*or let an admin/,
    );
    const list = await call<{ data: ApiKey[] }>('GET', '/v1/api-keys', { key });
    expect(list.body.data.filter(({ name }) => name === 'made')).toEqual([]);
  });

  test('201: takes the limits of its creator where the request names none, and may be narrower', async () => {
    const key = await platform.createKey(tenant.organizationId, {
      ...limits,
      projects: [projectId, otherProject],
      scopes: [...limits.scopes],
    });
    const [creator] = (await call<{ data: ApiKey[] }>('GET', '/v1/api-keys?limit=1', { key })).body.data;
    const same = await made(key, { scopes: ['organization:write'] });
    expect(same).toMatchObject({
      scopes: ['organization:write'],
      projects: [projectId, otherProject],
      allowedCidrs: limits.allowedCidrs,
      expiresAt: creator!.expiresAt,
      createdByKey: creator!.id,
    });
    const end = inDays(1);
    const narrower = await made(same.key, {
      scopes: ['organization:read'],
      projects: [otherProject],
      allowedCidrs: ['127.0.0.1/32'],
      expiresAt: end,
    });
    expect(narrower).toMatchObject({ projects: [otherProject], expiresAt: end, createdByKey: same.id });
    expectError(
      await create(same.key, { scopes: ['organization:read'], projects: null }),
      403,
      'rights_exceeded',
    );
  });

  test('cannot be changed afterwards', async () => {
    const { id, key } = await made(tenant.key, { scopes: ['organization:write'] });
    for (const method of ['PATCH', 'PUT', 'POST']) {
      const reply = await call(method, `/v1/api-keys/${id}`, { key, body: { scopes: ['write'] } });
      expectError(reply, 405, 'method_not_allowed');
    }
  });
});

describe('a key of a person', () => {
  test('400 invalid_request: for a project that does not exist, as for one of another organization', async () => {
    const { projectId: foreign } = await createProject(platform.url, stranger.key, { kind: 'upload' });
    const texts = await Promise.all(
      [foreign, newId('prj')].map(async (id) => {
        const reply = await asAdmin('POST', '/v1/api-keys', { name: 'made', projects: [projectId, id] });
        expectError(reply, 400, 'invalid_request', '/projects');
        return String(reply.body.error).replace(id, 'ID');
      }),
    );
    expect(texts[0]).toBe(texts[1]);
    expectError(
      await asAdmin('POST', '/v1/api-keys', { name: 'made', expiresAt: inDays(-1) }),
      400,
      'invalid_request',
      '/expiresAt',
    );
  });

  test('stays valid when the person is demoted or leaves, because it belongs to the organization', async () => {
    const person = await createPerson(platform, { organizationId: tenant.organizationId });
    const headers = asPerson(platform, person.session, tenant.organizationId);
    const body = { name: 'of a person', scopes: ['organization:read'] };
    const { key } = (await call<CreatedApiKey>('POST', '/v1/api-keys', { headers, body })).body;
    expect((await asAdmin('PATCH', `/v1/members/${person.id}`, { role: 'editor' })).status).toBe(200);
    expectError(await call('POST', '/v1/api-keys', { headers, body }), 403, 'role_required');
    expect((await asAdmin('DELETE', `/v1/members/${person.id}`)).status).toBe(204);
    expect(await works(key)).toBe(true);
  });
});

describe('a key that ends', () => {
  const chain = async () => {
    const first = await made(tenant.key, { scopes: ['write'] });
    const second = await made(first.key, { scopes: ['write'] });
    const third = await made(second.key, {
      scopes: ['organization:write', 'exports:read', 'agent:read', 'projects:read', 'analytics:read'],
    });
    const beside = await made(first.key, { scopes: ['organization:read'] });
    const invited = await call<{ url: string }>('POST', '/v1/invitations', {
      key: third.key,
      body: { email: `grace-${third.id}@example.com`, role: 'viewer' },
    });
    expect(invited.status, invited.text).toBe(201);
    const token = new URL(invited.body.url).hash.replace('#token=', '');
    return { first, second, third, beside, token };
  };
  const openInvitation = (token: string) => call('POST', '/v1/invitations/preview', { body: { token } });

  test('ends every key that it created, directly or through others, and their open invitations', async () => {
    const { first, second, third, beside, token } = await chain();
    expect((await openInvitation(token)).status).toBe(200);
    expect((await asAdmin('DELETE', `/v1/api-keys/${second.id}`)).status).toBe(204);
    for (const { key } of [second, third])
      expectError(await call('GET', '/v1/api-keys', { key }), 401, 'unauthorized');
    expectError(await openInvitation(token), 400, 'token_invalid');
    expect([await works(first.key), await works(beside.key)]).toEqual([true, true]);
    const { data } = (await asAdmin<{ data: ApiKey[] }>('GET', '/v1/api-keys?limit=100')).body;
    const revoked = (id: string) => data.find((key) => key.id === id)?.revokedAt !== null;
    expect([first, second, third, beside].map(({ id }) => revoked(id))).toEqual([false, true, true, false]);
    const [event] = (
      await asAdmin<{ data: { changes: unknown }[] }>('GET', '/v1/audit-events?action=revokeApiKey&limit=1')
    ).body.data;
    expect(event?.changes).toEqual([{ field: 'alsoRevoked', from: null, to: third.id }]);
  });

  test('by its expiry ends them too', async () => {
    const { first, second, third } = await chain();
    const { db } = platform.database;
    await db
      .updateTable('api_keys')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .where('id', '=', first.id)
      .execute();
    for (const { key } of [first, second, third]) {
      expectError(await call('GET', '/v1/api-keys', { key }), 401, 'unauthorized');
    }
    const { key } = await made(tenant.key, { scopes: ['write'], expiresAt: inDays(1) });
    const reply = await call<{ expiresAt: string }>('POST', '/v1/invitations', {
      key,
      body: { email: 'ada@example.com', role: 'viewer' },
    });
    expect(Date.parse(reply.body.expiresAt)).toBeLessThanOrEqual(Date.now() + DAY);
  });

  test('leaves no key and no invitation behind that were created at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const parent = await made(tenant.key, { scopes: ['write'] });
      const [, ...replies] = await Promise.all([
        asAdmin('DELETE', `/v1/api-keys/${parent.id}`),
        ...[0, 1].map(() => create(parent.key, { scopes: ['organization:read'] })),
        call<{ url: string }>('POST', '/v1/invitations', {
          key: parent.key,
          body: { email: `race-${round}@example.com`, role: 'editor' },
        }),
      ]);
      for (const reply of replies as Reply<{ key?: string; url?: string }>[]) {
        if (reply.status !== 201) {
          expectError(reply, 401, 'unauthorized');
          continue;
        }
        if (reply.body.key !== undefined) expect(await works(reply.body.key)).toBe(false);
        else
          expectError(
            await openInvitation(new URL(reply.body.url!).hash.replace('#token=', '')),
            400,
            'token_invalid',
          );
      }
    }
  });

  test('creates nothing after its revocation, even if its request was admitted before', async () => {
    const { db } = platform.database;
    const parent = await made(tenant.key, { scopes: ['write'] });
    const body = { email: 'late@example.com', role: 'viewer' };
    const replies = await db.transaction().execute(async (tx) => {
      await sql`SELECT FROM organizations WHERE id = ${tenant.organizationId} FOR UPDATE`.execute(tx);
      const waiting = [
        create(parent.key, { scopes: ['organization:read'] }),
        call('POST', '/v1/invitations', { key: parent.key, body }),
      ];
      // Both are past authentication and wait for the lock.
      await expect
        .poll(
          async () => {
            const { rows } = await sql<{ count: number }>`
            SELECT count(*)::int AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db);
            return rows[0]?.count;
          },
          { timeout: 60_000 },
        )
        .toBe(2);
      await tx.updateTable('api_keys').set({ revoked_at: new Date() }).where('id', '=', parent.id).execute();
      return { waiting };
    });
    for (const reply of await Promise.all(replies.waiting)) {
      expectError(reply as Reply, 401, 'unauthorized');
    }
  });

  test('of another organization is missing', async () => {
    const { id } = await made(tenant.key, { scopes: ['organization:read'] });
    expectError(await call('DELETE', `/v1/api-keys/${id}`, { key: stranger.key }), 404, 'not_found');
  });
});

describe('members and invitations by a key', () => {
  const invite = (key: string, role: string) =>
    call('POST', '/v1/invitations', { key, body: { email: `new-${role}@example.com`, role } });

  test.each([
    [['organization:write'], ['viewer', 'editor', 'admin']],
    [
      ['organization:write', 'exports:read', 'agent:read', 'projects:read', 'analytics:read'],
      ['editor', 'admin'],
    ],
    [['write'], ['admin']],
  ] as const)('403 rights_exceeded: with %j, none may become %j', async (scopes, refused) => {
    const key = await platform.createKey(tenant.organizationId, { scopes: [...scopes] });
    for (const role of ['viewer', 'editor', 'admin']) {
      const person = await createPerson(platform, { organizationId: tenant.organizationId, role: 'viewer' });
      const isRefused = (refused as readonly string[]).includes(role);
      const replies = [
        await invite(key, role),
        await call('PATCH', `/v1/members/${person.id}`, { key, body: { role } }),
      ];
      for (const reply of replies) {
        if (isRefused) expectError(reply, 403, 'rights_exceeded', '/role');
        else expect(reply.status, reply.text).toBeLessThan(300);
      }
      const row = await platform.database.db
        .selectFrom('members')
        .select('role')
        .where('user_id', '=', person.id)
        .executeTakeFirstOrThrow();
      expect(row.role).toBe(isRefused ? 'viewer' : role);
    }
  });

  test('403 rights_exceeded: a key that is limited to IP addresses adds nobody', async () => {
    const key = await platform.createKey(tenant.organizationId, { allowedCidrs: ['127.0.0.0/8'] });
    expectError(await invite(key, 'viewer'), 403, 'rights_exceeded', '/role');
  });

  test('403 rights_exceeded: no key changes or removes an admin', async () => {
    const path = `/v1/members/${admin.id}`;
    expectError(
      await call('PATCH', path, { key: tenant.key, body: { role: 'viewer' } }),
      403,
      'rights_exceeded',
    );
    expectError(await call('DELETE', path, { key: tenant.key }), 403, 'rights_exceeded');
    const editor = await createPerson(platform, { organizationId: tenant.organizationId, role: 'editor' });
    expect((await call('DELETE', `/v1/members/${editor.id}`, { key: tenant.key })).status).toBe(204);
  });
});

describe('Idempotency-Key of POST /v1/api-keys', () => {
  const headers = { 'idempotency-key': 'one release' };

  test('returns the first response to its sender, and creates one key', async () => {
    const body = { scopes: ['exports:read'] };
    const replies = await Promise.all([0, 1, 2, 3].map(() => create(tenant.key, body, headers)));
    const [first] = replies.filter(({ status }) => status === 201);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expectError(reply, 409, 'idempotency_in_flight');
    }
    const again = await create(tenant.key, body, headers);
    expect([again.status, again.body, again.headers.get('idempotent-replay')]).toEqual([
      201,
      first!.body,
      'true',
    ]);
    expectError(
      await create(tenant.key, { scopes: ['exports:write'] }, headers),
      422,
      'idempotency_mismatch',
    );
    const { rows } = {
      rows: await platform.database.db.selectFrom('idempotency_keys').selectAll().execute(),
    };
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(first!.body.key);
    expect(JSON.stringify(rows)).not.toContain('offprint_');
  });

  test('does not give the key of one sender to another one', async () => {
    const body = { scopes: ['organization:write'] };
    const wide = await create(tenant.key, body, { 'idempotency-key': 'shared' });
    const narrow = await platform.createKey(tenant.organizationId, {
      scopes: ['organization:write'],
      projects: [projectId],
    });
    const theirs = await create(narrow, body, { 'idempotency-key': 'shared' });
    expect(theirs.headers.get('idempotent-replay')).toBeNull();
    expect(theirs.body).toMatchObject({ projects: [projectId] });
    expect(theirs.body.id).not.toBe(wide.body.id);
    const person = await call<CreatedApiKey>('POST', '/v1/api-keys', {
      headers: { ...asPerson(platform, admin.session, tenant.organizationId), 'idempotency-key': 'shared' },
      body: { name: 'made', ...body },
    });
    expect(person.body.id).not.toBe(wide.body.id);
  });
});
