/** Organizations over HTTP: making them, members and roles, invitations, plans, and what operators see. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform, type TestUser } from '../support/platform.ts';
import { call, expectError, type Reply } from './api.ts';

let platform: TestPlatform;
let smtp: SMTPServer;
const mails: string[] = [];
let takesMail = true;

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, done) => done(takesMail ? null : new Error('no room')),
    onData(stream, _session, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (piece: string) => {
        text += piece;
      });
      stream.on('end', () => {
        mails.push(text);
        done();
      });
    },
  });
  smtp.on('error', () => undefined);
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const { port } = smtp.server.address() as AddressInfo;
  platform = await startTestPlatform({
    roles: ['api'],
    env: { OFFPRINT_SMTP_URL: `smtp://127.0.0.1:${port}`, OFFPRINT_DEFAULT_PLAN: 'pro' },
  });
});
afterAll(async () => {
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  await platform.stop();
});

interface Organization {
  id: string;
  name: string;
  plan: string;
}

interface Member {
  userId: string;
  email: string;
  role: string;
  lastSeenAt: string | null;
}

interface Invitation {
  id: string;
  email: string;
  role: string;
  url: string;
  mailed: boolean;
  invitedBy: string;
}

type Options = { body?: unknown; organization?: string; url?: string };

/** A call of a page of the dashboard. */
function ask<Body = Record<string, unknown>>(
  user: TestUser,
  method: string,
  path: string,
  { body, organization, url = platform.url }: Options = {},
): Promise<Reply<Body>> {
  const headers = { ...user.headers(organization), origin: url };
  return call<Body>(url, method, path, { headers, ...(body === undefined ? {} : { body }) });
}

/** An organization with its admin. */
async function makeTeam(plan?: 'free' | 'pro' | 'enterprise'): Promise<Tenant & { admin: TestUser }> {
  const tenant = await platform.createTenant(plan);
  return { ...tenant, admin: await platform.createUser({ organizationId: tenant.organizationId }) };
}

const tokenOf = (url: string) => new URLSearchParams(new URL(url).hash.slice(1)).get('token') ?? '';

async function invite(team: { organizationId: string; admin: TestUser }, email: string, role = 'editor') {
  const reply = await ask<Invitation>(team.admin, 'POST', '/v1/invitations', {
    organization: team.organizationId,
    body: { email, role },
  });
  expect(reply.status, reply.text).toBe(201);
  return { ...reply.body, token: tokenOf(reply.body.url) };
}

const rolesOf = async (organizationId: string) =>
  platform.database.db
    .selectFrom('members')
    .select(['user_id', 'role'])
    .where('organization_id', '=', organizationId)
    .execute();

describe('POST /v1/organizations', () => {
  test('201: the creator of an organization is its admin, on the plan of the installation', async () => {
    const user = await platform.createUser();
    const reply = await ask<Organization>(user, 'POST', '/v1/organizations', { body: { name: ' Acme ' } });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.body).toMatchObject({ name: 'Acme', plan: 'pro' });
    const session = await ask<{ organizations: object[] }>(user, 'GET', '/v1/session');
    expect(session.body.organizations).toEqual([
      { id: reply.body.id, name: 'Acme', plan: 'pro', role: 'admin' },
    ]);
  });

  test('403 operator_required: a plan of one’s own choice; operators choose', async () => {
    const body = { name: 'Acme', plan: 'enterprise' };
    const user = await platform.createUser();
    expectError(await ask(user, 'POST', '/v1/organizations', { body }), 403, 'operator_required', '/plan');
    const operator = await platform.createUser({ isOperator: true });
    expect((await ask(operator, 'POST', '/v1/organizations', { body })).body).toMatchObject(body);
  });

  test('403 operator_required: the eleventh of a user, also when asked for at once', async () => {
    const user = await platform.createUser();
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        ask(user, 'POST', '/v1/organizations', { body: { name: `Many ${at}` } }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    expectError(replies.find(({ status }) => status !== 201)!, 403, 'operator_required');
  });

  test('403 sign_up_closed: where sign-up is closed, operators make them', async () => {
    const url = await platform.startApi({ OFFPRINT_SIGN_UP: 'closed' });
    const body = { name: 'Closed' };
    const user = await platform.createUser();
    expectError(await ask(user, 'POST', '/v1/organizations', { url, body }), 403, 'sign_up_closed');
    const operator = await platform.createUser({ isOperator: true });
    expect((await ask(operator, 'POST', '/v1/organizations', { url, body })).status).toBe(201);
  });
});

describe('/v1/organization', () => {
  test('200: read by every member, renamed by admins; another organization is not found, like a missing one', async () => {
    const { organizationId: organization, admin } = await makeTeam('free');
    const viewer = await platform.createUser({ organizationId: organization, role: 'viewer' });
    const renamed = await ask(admin, 'PATCH', '/v1/organization', { organization, body: { name: 'New' } });
    expect(renamed.body).toMatchObject({ id: organization, name: 'New', plan: 'free' });
    expect((await ask(viewer, 'GET', '/v1/organization', { organization })).body).toEqual(renamed.body);
    const refused = await ask(viewer, 'PATCH', '/v1/organization', { organization, body: { name: 'x' } });
    expectError(refused, 403, 'role_required');
    const stranger = await platform.createUser();
    const strange = await ask(stranger, 'GET', '/v1/organization', { organization });
    const missing = await ask(stranger, 'GET', '/v1/organization', { organization: `org_${'0'.repeat(32)}` });
    expectError(strange, 404, 'not_found');
    expect({ ...strange.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
  });
});

describe('/v1/members', () => {
  test('200: every member once over pages, oldest first', async () => {
    const { organizationId: organization, admin } = await makeTeam();
    const others = [];
    for (const role of ['viewer', 'editor', 'viewer'] as const) {
      others.push(await platform.createUser({ organizationId: organization, role }));
    }
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const path = `/v1/members?limit=2${cursor}`;
      const { body } = await ask<{ data: Member[]; nextCursor: string | null }>(admin, 'GET', path, {
        organization,
      });
      seen.push(...body.data.map(({ userId }) => userId));
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(seen).toEqual([admin, ...others].map(({ userId }) => userId));
  });

  test('a changed role and a removal hold from the next call on', async () => {
    const { organizationId: organization, admin } = await makeTeam();
    const user = await platform.createUser({ organizationId: organization, role: 'admin' });
    const path = `/v1/members/${user.userId}`;
    const changed = await ask<Member>(admin, 'PATCH', path, { organization, body: { role: 'viewer' } });
    expect(changed.body).toMatchObject({ userId: user.userId, email: user.email, role: 'viewer' });
    const refused = await ask(user, 'PATCH', '/v1/organization', { organization, body: { name: 'x' } });
    expectError(refused, 403, 'role_required');
    expect((await ask(admin, 'DELETE', path, { organization })).status).toBe(204);
    expectError(await ask(user, 'GET', '/v1/members', { organization }), 404, 'not_found');
    expectError(await ask(admin, 'DELETE', path, { organization }), 404, 'not_found');
  });

  test('404 not_found: a member of another organization, like a user that is not there', async () => {
    const [one, other] = await Promise.all([makeTeam(), makeTeam()]);
    const asked = (userId: string) =>
      ask(one.admin, 'PATCH', `/v1/members/${userId}`, {
        organization: one.organizationId,
        body: { role: 'viewer' },
      });
    const strange = await asked(other.admin.userId);
    expectError(strange, 404, 'not_found');
    const missing = await asked(`usr_${'0'.repeat(32)}`);
    expect({ ...strange.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    expect(await rolesOf(other.organizationId)).toEqual([{ user_id: other.admin.userId, role: 'admin' }]);
  });

  test('409 last_admin: neither demoted, removed nor gone; a disabled admin does not count', async () => {
    const { organizationId: organization, admin, key } = await makeTeam();
    const disabled = await platform.createUser({ organizationId: organization, role: 'admin' });
    await platform.database.db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('id', '=', disabled.userId)
      .execute();
    const path = `/v1/members/${admin.userId}`;
    const body = { role: 'editor' };
    expectError(await ask(admin, 'PATCH', path, { organization, body }), 409, 'last_admin');
    expectError(await ask(admin, 'DELETE', path, { organization }), 409, 'last_admin');
    expectError(await call(platform.url, 'DELETE', path, { key }), 403, 'rights_exceeded');
    expectError(await ask(admin, 'DELETE', `/v1/user/organizations/${organization}`), 409, 'last_admin');
    expect((await ask(admin, 'DELETE', `/v1/members/${disabled.userId}`, { organization })).status).toBe(204);
  });

  test('admins who remove each other at the same time leave one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { organizationId: organization, admin } = await makeTeam();
      const other = await platform.createUser({ organizationId: organization, role: 'admin' });
      const replies = await Promise.all([
        ask(admin, 'DELETE', `/v1/members/${other.userId}`, { organization }),
        ask(other, 'PATCH', `/v1/members/${admin.userId}`, { organization, body: { role: 'viewer' } }),
        ask(admin, 'DELETE', `/v1/user/organizations/${organization}`),
        ask(other, 'DELETE', `/v1/user/organizations/${organization}`),
      ]);
      expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
      const left = await rolesOf(organization);
      expect(left.filter(({ role }) => role === 'admin')).toHaveLength(1);
    }
  });

  test('a removed member cannot rejoin by an invitation of their own', async () => {
    const team = await makeTeam();
    const { organizationId: organization, admin } = team;
    const other = await platform.createUser({ organizationId: organization, role: 'admin' });
    const kept = await invite(team, 'kept@example.com');
    const { token } = await invite({ ...team, admin: other }, 'second-address@example.com');
    const look = (value: string) =>
      call(platform.url, 'POST', '/v1/invitations/preview', { body: { token: value } });
    expect((await look(token)).status).toBe(200);
    expect((await ask(admin, 'DELETE', `/v1/members/${other.userId}`, { organization })).status).toBe(204);
    expectError(await look(token), 400, 'token_invalid');
    expect((await look(kept.token)).status).toBe(200);
  });

  test('204: a member leaves; for anyone else the organization is not found', async () => {
    const { organizationId: organization } = await makeTeam();
    const user = await platform.createUser({ organizationId: organization, role: 'viewer' });
    const leave = () => ask(user, 'DELETE', `/v1/user/organizations/${organization}`);
    expect((await leave()).status).toBe(204);
    expectError(await leave(), 404, 'not_found');
  });
});

describe('/v1/invitations', () => {
  test('an invitation is mailed, read, accepted once, and stored as a digest', async () => {
    const team = await makeTeam();
    const { organizationId: organization } = team;
    const email = 'grace@example.com';
    const { token, url, ...made } = await invite(team, email.toUpperCase());
    expect(made).toMatchObject({ email, role: 'editor', mailed: true, invitedBy: team.admin.email });
    expect(new URL(url).pathname).toBe('/invitation');
    expect(new URL(url).search).toBe('');
    const mail = mails.find((text) => text.includes(`To: ${email}`));
    expect(mail?.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(url);
    const row = await platform.database.db
      .selectFrom('invitations')
      .selectAll()
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(token);
    expect(row.expires_at.getTime() - row.created_at.getTime()).toBe(7 * 86_400_000);

    const look = () => call(platform.url, 'POST', '/v1/invitations/preview', { body: { token } });
    expect((await look()).body).toMatchObject({ email, role: 'editor', hasAccount: false });
    const grace = await platform.createUser({ email });
    expect((await look()).body).toMatchObject({ hasAccount: true });
    const accept = (user: TestUser) => ask(user, 'POST', '/v1/invitations/accept', { body: { token } });
    expectError(await accept(await platform.createUser()), 403, 'invitation_mismatch');
    const replies = await Promise.all([accept(grace), accept(grace), accept(grace)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(replies.find(({ status }) => status === 200)?.body.id).toBe(organization);
    expectError(await accept(grace), 400, 'token_invalid');
    expectError(await look(), 400, 'token_invalid');
    expect((await ask(grace, 'GET', '/v1/members', { organization })).status).toBe(200);
    const refused = await ask(grace, 'GET', '/v1/invitations', { organization });
    expectError(refused, 403, 'role_required');
    expect(platform.log()).not.toContain(token);
  });

  test('201: who is invited may sign up, and is a member at once', async () => {
    const team = await makeTeam();
    const email = 'fresh@example.com';
    const body = { email, name: 'Fresh', password: 'gravel lantern otter nine' };
    expectError(await call(platform.url, 'POST', '/v1/users', { body }), 403, 'sign_up_closed');
    const { token } = await invite(team, email, 'viewer');
    const requestId = `join-${team.organizationId.slice(-8)}`;
    const joined = await call<{ user: { id: string }; organizations: object[] }>(
      platform.url,
      'POST',
      '/v1/users',
      {
        body: { ...body, invitation: token },
        headers: { 'x-request-id': requestId },
      },
    );
    expect(joined.status, joined.text).toBe(201);
    expect(joined.body.organizations).toEqual([
      expect.objectContaining({ id: team.organizationId, role: 'viewer' }),
    ]);
    const events = await ask<{ data: object[] }>(team.admin, 'GET', '/v1/audit-events?action=signUp', {
      organization: team.organizationId,
    });
    expect(events.body.data).toEqual([
      expect.objectContaining({ target: joined.body.user.id, outcome: 'done', requestId }),
    ]);
  });

  test('201: the inviter gets the link when the mail server refuses the message', async () => {
    takesMail = false;
    try {
      const made = await invite(await makeTeam(), 'lost@example.com');
      expect(made.mailed).toBe(false);
      expect(made.token).not.toBe('');
    } finally {
      takesMail = true;
    }
  });

  test('one waits for an address; what is revoked, replaced or too old works no more', async () => {
    const team = await makeTeam();
    const { organizationId: organization, admin } = team;
    const first = await invite(team, 'one@example.com', 'viewer');
    const second = await invite(team, 'one@example.com', 'admin');
    const old = await invite(team, 'old@example.com');
    await platform.database.db
      .updateTable('invitations')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .where('id', '=', old.id)
      .execute();
    const list = () => ask<{ data: Invitation[] }>(admin, 'GET', '/v1/invitations', { organization });
    const listed = await list();
    expect(listed.body.data).toEqual([
      {
        id: second.id,
        email: 'one@example.com',
        role: 'admin',
        invitedBy: admin.email,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    const look = (token: string) =>
      call(platform.url, 'POST', '/v1/invitations/preview', { body: { token } });
    for (const { token } of [first, old]) expectError(await look(token), 400, 'token_invalid');
    const revoke = () => ask(admin, 'DELETE', `/v1/invitations/${second.id}`, { organization });
    expect((await revoke()).status).toBe(204);
    expect((await revoke()).status).toBe(204);
    expectError(await look(second.token), 400, 'token_invalid');
    expect((await list()).body.data).toEqual([]);
    const other = await makeTeam();
    const strange = await ask(other.admin, 'DELETE', `/v1/invitations/${second.id}`, {
      organization: other.organizationId,
    });
    expectError(strange, 404, 'not_found');
  });

  test('409 already_member; an invitation does not change the role of who has become one', async () => {
    const team = await makeTeam();
    const { organizationId: organization, admin } = team;
    const body = { email: admin.email, role: 'viewer' };
    expectError(await ask(admin, 'POST', '/v1/invitations', { organization, body }), 409, 'already_member');
    const { token } = await invite(team, 'soon@example.com', 'admin');
    const user = await platform.createUser({
      email: 'soon@example.com',
      organizationId: organization,
      role: 'viewer',
    });
    expect((await ask(user, 'POST', '/v1/invitations/accept', { body: { token } })).status).toBe(200);
    expect(await rolesOf(organization)).toContainEqual({ user_id: user.userId, role: 'viewer' });
  });

  test('429 too_many_invitations: the fifty-first in an hour', async () => {
    const { organizationId, key } = await makeTeam();
    await platform.database.db
      .insertInto('invitations')
      .values(
        Array.from({ length: 49 }, (_, at) => ({
          id: `inv_${organizationId.slice(4, 30)}${String(at).padStart(6, '0')}`,
          organization_id: organizationId,
          email: `p${at}@example.com`,
          role: 'viewer' as const,
          token_sha256: Buffer.from(`${organizationId}${at}`),
          invited_by: 'test',
          expires_at: new Date(Date.now() + 60_000),
        })),
      )
      .execute();
    const send = (at: number) =>
      call(platform.url, 'POST', '/v1/invitations', {
        key,
        body: { email: `q${at}@example.com`, role: 'viewer' },
      });
    const replies = await Promise.all([send(1), send(2), send(3)]);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = replies.find(({ status }) => status !== 201)!;
    expectError(refused, 429, 'too_many_invitations');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
  });
});

describe('plans', () => {
  test('403 plan_required: says which plan is needed, which is held, and who changes it', async () => {
    const { organizationId, key, admin } = await makeTeam('free');
    const source = { kind: 'git', repository: 'https://github.com/acme/docs.git' };
    const project = await call<{ id: string }>(platform.url, 'POST', '/v1/projects', {
      key,
      body: { name: 'Docs', source, domains: ['docs.example.com'] },
    });
    const start = () =>
      call(platform.url, 'POST', '/v1/static-export/jobs', { key, body: { domain: 'docs.example.com' } });
    const refused = await start();
    expectError(refused, 403, 'plan_required');
    expect(refused.body.error).toBe(
      'Static export requires the enterprise plan; the organization has the free plan. An operator of this installation can change the plan.',
    );
    const agent = await call(platform.url, 'POST', `/v2/agent/${project.body.id}/job`, {
      key,
      body: { prompt: 'x' },
    });
    expect(agent.body.error).toMatch(
      /^The agent requires the pro plan or a higher one; the organization has the free plan\./,
    );
    const operator = await platform.createUser({ isOperator: true });
    const path = `/v1/operator/organizations/${organizationId}`;
    const body = { plan: 'enterprise' };
    expectError(await ask(admin, 'PATCH', path, { body }), 403, 'operator_required');
    const changed = await ask(operator, 'PATCH', path, { body });
    expect(changed.body).toMatchObject({ id: organizationId, plan: 'enterprise', members: 1, projects: 1 });
    expect((await start()).status).toBe(202);
  });
});

describe('/v1/operator/organizations', () => {
  test('200: found by name and by the address of a member; 404 for one that is not there', async () => {
    const { organizationId: organization, admin } = await makeTeam();
    await ask(admin, 'PATCH', '/v1/organization', { organization, body: { name: '100% Wool_Works' } });
    const operator = await platform.createUser({ isOperator: true });
    const find = async (search: string) => {
      const path = `/v1/operator/organizations?search=${encodeURIComponent(search)}`;
      const { body } = await ask<{ data: { id: string }[] }>(operator, 'GET', path);
      return body.data.map(({ id }) => id);
    };
    for (const text of ['0% wool_w', admin.email.slice(2), organization]) {
      expect(await find(text)).toEqual([organization]);
    }
    expect(await find('0% wool-w')).toEqual([]);
    expect(await find('\0')).toEqual([]);
    const pages = await ask<{ data: object[]; nextCursor: string }>(
      operator,
      'GET',
      '/v1/operator/organizations?limit=1',
    );
    expect(pages.body.data).toHaveLength(1);
    expect(pages.body.nextCursor).toEqual(expect.any(String));
    const missing = await ask(operator, 'PATCH', `/v1/operator/organizations/org_${'0'.repeat(32)}`, {
      body: { plan: 'free' },
    });
    expectError(missing, 404, 'not_found');
    expectError(await ask(admin, 'GET', '/v1/operator/organizations'), 403, 'operator_required');
  });
});
