/** Accounts over HTTP: signing up, in and out, passwords, sessions, mail and what operators do. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../apps/server/src/accounts/password.ts';
import { authenticate } from '../../apps/server/src/accounts/sessions.ts';
import type { Database } from '../../apps/server/src/platform/db/database.ts';
import { asPerson, createPerson, type Person } from '../support/accounts.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { call, expectError, type Reply } from './api.ts';

const PASSWORD = 'gravel lantern otter nine';
const OTHER_PASSWORD = 'seven quiet bridges hum';

let platform: TestPlatform;
/** The same installation for invited users only, without mail. */
let invitedOnly: string;
let smtp: SMTPServer;
const mails: { to: string[]; text: string }[] = [];

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks)
          .toString('utf8')
          .replace(/=\r?\n/g, '')
          .replaceAll('=3D', '=');
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  platform = await startTestPlatform({
    roles: ['api'],
    env: {
      OFFPRINT_SIGN_UP: 'open',
      OFFPRINT_SMTP_URL: `smtp://127.0.0.1:${port}`,
      OFFPRINT_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  invitedOnly = await platform.startApi({ OFFPRINT_SIGN_UP: 'invited', OFFPRINT_SMTP_URL: '' });
});
afterAll(async () => {
  await platform.stop();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

interface Session {
  user: { id: string; email: string; name: string; isOperator: boolean; hasPassword: boolean };
  organizations: { id: string; name: string; plan: string; role: string }[];
  expiresAt: string;
}

/** Queries that wait for a row that another one holds. */
async function waiting(): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(platform.database.db);
  return rows[0]?.count;
}

let people = 0;

/** An address that no other test has. */
function address(): string {
  people += 1;
  return `person-${people}@example.com`;
}

/** The Cookie header after a response that set the session cookie. */
function cookieOf(reply: Reply<unknown>): string {
  const [cookie = ''] = reply.headers.getSetCookie();
  return cookie.split(';')[0] ?? '';
}

/** Signs in from an address of its own, so that it is a stranger's, unless another is given. */
function signIn(email: string, password: string, headers: Record<string, string> = {}) {
  people += 1;
  return call<Session>(platform.url, 'POST', '/v1/session', {
    body: { email, password },
    headers: { 'X-Forwarded-For': `198.51.100.${people % 250}`, ...headers },
  });
}

async function signUp(email = address(), password = PASSWORD) {
  const body = { email, name: 'Ada Lovelace', password };
  const reply = await call<Session>(platform.url, 'POST', '/v1/users', { body });
  expect(reply.status, reply.text).toBe(201);
  const cookie = cookieOf(reply);
  return { email, userId: reply.body.user.id, cookie, own: { cookie, origin: platform.url }, reply };
}

/** An account that is signed in here, and whose password costs nothing to get wrong. */
async function join() {
  const user = await platform.createUser({ password: PASSWORD });
  return { ...user, own: user.headers() };
}

function getSession(headers: Record<string, string>) {
  return call<Session>(platform.url, 'GET', '/v1/session', { headers });
}

describe('signing in', () => {
  test('an account signs up, out and in again, under a new token each time', async () => {
    const { email, cookie, own, reply } = await signUp();
    expect(reply.headers.getSetCookie()[0]).toMatch(
      /^offprint_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    expect(reply.body.user).toMatchObject({ email, isOperator: false, hasPassword: true });
    expect(reply.body.organizations).toEqual([]);

    const read = await getSession(own);
    expect(read.body.user.email).toBe(email);
    // The cookie is valid as long as the session, which each use extends.
    expect(cookieOf(read)).toBe(cookie);
    const out = await call(platform.url, 'DELETE', '/v1/session', { headers: own });
    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie()[0]).toMatch(/^offprint_session=;.*Max-Age=0/);
    expectError(await getSession(own), 401, 'unauthorized');

    const back = await signIn(email.toUpperCase(), PASSWORD);
    expect(back.status, back.text).toBe(200);
    expect(cookieOf(back)).not.toBe(cookie);
  });

  test('signing in takes the place of the session that the browser had', async () => {
    const { email, own } = await join();
    const again = await signIn(email, PASSWORD, own);
    expect(again.status).toBe(200);
    expectError(await getSession(own), 401, 'unauthorized');
  });

  test('an unknown account, a wrong password and a disabled account get the same response', async () => {
    const { email } = await join();
    const gone = await join();
    await platform.database.db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('id', '=', gone.userId)
      .execute();
    const replies = [
      await signIn('nobody@example.com', PASSWORD),
      await signIn(email, OTHER_PASSWORD),
      await signIn(gone.email, PASSWORD),
    ];
    const answers = replies.map((reply) => {
      expectError(reply, 401, 'credentials_wrong');
      expect(reply.headers.getSetCookie()).toEqual([]);
      return { ...(reply.body as object), requestId: '' };
    });
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    // Its sessions end too.
    expectError(await getSession(gone.own), 401, 'unauthorized');
  });

  test('after five failures further ones wait, the right password too, but not where the owner is', async () => {
    const { email } = await join();
    const guess = (password: string, from: string) => signIn(email, password, { 'X-Forwarded-For': from });
    for (let index = 0; index < 5; index += 1) {
      expectError(await guess('not the password', `203.0.113.${index}`), 401, 'credentials_wrong');
    }
    const late = await guess(PASSWORD, '203.0.113.9');
    expectError(late, 429, 'too_many_sign_ins');
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await guess(PASSWORD, '127.0.0.1')).status).toBe(200);
    // A new password opens the account everywhere.
    await call(platform.url, 'POST', '/v1/password-resets', { body: { email } });
    const token = (await mailedLink(email)).hash.replace('#token=', '');
    await call(platform.url, 'PUT', '/v1/password-resets', { body: { token, password: OTHER_PASSWORD } });
    expect((await guess(OTHER_PASSWORD, '203.0.113.9')).status).toBe(200);
  });

  test('the database and the log hold neither password nor token', async () => {
    const { userId, cookie } = await signUp();
    const token = cookie.split('=')[1] ?? '';
    const { db } = platform.database;
    const sessions = await db.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute();
    expect(sessions.map((row) => row.token_sha256)).toEqual([createHash('sha256').update(token).digest()]);
    const user = await db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', userId)
      .executeTakeFirst();
    expect(user?.password_hash).toMatch(/^scrypt\$17\$8\$1\$/);
    expect(platform.log()).not.toContain(token);
    expect(platform.log()).not.toContain(PASSWORD);
    const events = await db.selectFrom('audit_events').selectAll().execute();
    expect(events.filter((event) => event.action === 'signUp' && event.actor_id === userId)).toHaveLength(1);
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${token}|${PASSWORD}`));
  });
});

describe('signing up', () => {
  test('a taken address, a short password and one that is guessed first are refused by name', async () => {
    const { email } = await signUp();
    const post = (body: object) => call(platform.url, 'POST', '/v1/users', { body });
    const person = { email: address(), name: 'Grace', password: PASSWORD };
    expectError(await post({ ...person, email }), 409, 'email_taken');
    expectError(await post({ ...person, password: 'short' }), 400, 'invalid_request', '/password');
    expectError(await post({ ...person, password: 'Password123!' }), 400, 'invalid_request', '/password');
    expectError(await post({ ...person, isOperator: true }), 400, 'invalid_request');
  });

  test('where only who was invited may, the invitation decides, and is accepted with the account', async () => {
    const { organizationId, key } = await platform.createTenant();
    const email = address();
    const invitation = await call<{ url: string }>(invitedOnly, 'POST', '/v1/invitations', {
      key,
      body: { email, role: 'editor' },
    });
    expect(invitation.status, invitation.text).toBe(201);
    const token = new URL(invitation.body.url).hash.replace('#token=', '');
    const post = (body: object) =>
      call<Session>(invitedOnly, 'POST', '/v1/users', {
        body: { email, name: 'Grace', password: PASSWORD, ...body },
      });
    expectError(await post({}), 403, 'sign_up_closed');
    expectError(await post({ invitation: 'unknown' }), 400, 'token_invalid');
    expectError(await post({ invitation: token, email: address() }), 400, 'token_invalid');
    const joined = await post({ invitation: token });
    expect(joined.status, joined.text).toBe(201);
    expect(joined.body.organizations).toMatchObject([{ id: organizationId, role: 'editor' }]);
    expectError(await post({ invitation: token, email: address() }), 400, 'token_invalid');
  });

  test('the sign-in page receives the available options', async () => {
    const options = await call(platform.url, 'GET', '/v1/sign-in-options');
    expect(options.body).toEqual({
      signUp: 'open',
      passwords: true,
      mail: true,
      singleSignOn: null,
      docsUrl: null,
    });
    const others = await call(invitedOnly, 'GET', '/v1/sign-in-options');
    expect(others.body).toMatchObject({ signUp: 'invited', mail: false });
  });
});

describe('sessions', () => {
  test('a session speaks for the organizations of its user alone, and others look as if they were not there', async () => {
    const tenant = await platform.createTenant();
    const stranger = await platform.createTenant();
    const user = await platform.createUser({ organizationId: tenant.organizationId, role: 'viewer' });
    const get = (headers: Record<string, string>) =>
      call(platform.url, 'GET', '/v1/organization', { headers });
    expect((await get(user.headers(tenant.organizationId))).body).toMatchObject({
      id: tenant.organizationId,
    });
    const foreign = await get(user.headers(stranger.organizationId));
    const missing = await get(user.headers('org_00000000000000000000000000000000'));
    expectError(foreign, 404, 'not_found');
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    expectError(await get(user.headers()), 400, 'invalid_request', 'Offprint-Organization');
  });

  test('knowing whom a request speaks for takes one query', async () => {
    const { organizationId } = await platform.createTenant();
    const user = await platform.createUser({ organizationId, role: 'editor' });
    const queries: string[] = [];
    const db = new Kysely<Database>({
      dialect: new PostgresDialect({ pool: platform.database.pool }),
      log: ({ query }) => {
        queries.push(query.sql);
      },
    });
    const token = user.cookie.split('=')[1];
    expect(await authenticate(db, token, organizationId, 14)).toMatchObject({
      kind: 'member',
      role: 'editor',
    });
    expect(queries).toHaveLength(1);
  });

  test('use puts the end of a session off, at most once a minute and to 90 days at most', async () => {
    const { db } = platform.database;
    const user = await platform.createUser();
    const read = () => db.selectFrom('sessions').selectAll().where('user_id', '=', user.userId);
    const age = (created: string, seen: string) =>
      db
        .updateTable('sessions')
        .set({
          created_at: sql<Date>`now() - ${created}::interval`,
          last_seen_at: sql<Date>`now() - ${seen}::interval`,
          expires_at: sql<Date>`now() + interval '1 hour'`,
        })
        .where('user_id', '=', user.userId)
        .execute();
    const days = async () => {
      const row = await read().executeTakeFirstOrThrow();
      return [row.created_at, new Date()].map(
        (from) => (row.expires_at.getTime() - from.getTime()) / 86_400_000,
      );
    };
    await age('1 day', '30 seconds');
    await getSession(user.headers());
    expect((await days())[1]).toBeLessThan(0.1);
    await age('1 day', '2 minutes');
    await getSession(user.headers());
    expect((await days())[1]).toBeCloseTo(14, 1);
    await age('89 days', '2 minutes');
    await getSession(user.headers());
    expect((await days())[0]).toBeCloseTo(90, 1);
    await db
      .updateTable('sessions')
      .set({ expires_at: sql<Date>`now()` })
      .where('user_id', '=', user.userId)
      .execute();
    expectError(await getSession(user.headers()), 401, 'unauthorized');
  });

  test('people see where they are signed in and end it, their own only', async () => {
    const { email, own } = await join();
    const there = await signIn(email, PASSWORD, { 'User-Agent': 'Other Browser' });
    const list = () =>
      call<{ data: { id: string; current: boolean; userAgent: string }[] }>(
        platform.url,
        'GET',
        '/v1/user/sessions',
        { headers: own },
      );
    const before = (await list()).body.data;
    expect(before.map(({ current, userAgent }) => ({ current, userAgent }))).toEqual([
      { current: false, userAgent: 'Other Browser' },
      { current: true, userAgent: 'test' },
    ]);
    const end = (headers: Record<string, string>) =>
      call(platform.url, 'DELETE', `/v1/user/sessions/${before[0]?.id}`, { headers });
    const stranger = await platform.createUser();
    expectError(await end(stranger.headers()), 404, 'not_found');
    expect((await end(own)).status).toBe(204);
    expectError(await getSession({ cookie: cookieOf(there) }), 401, 'unauthorized');
    expect((await list()).body.data).toHaveLength(1);
  });

  test('a name is changed, and an API key is nobody', async () => {
    const user = await platform.createUser();
    const { key } = await platform.createTenant();
    const patch = { body: { name: 'Ada King' } };
    const changed = await call(platform.url, 'PATCH', '/v1/user', { ...patch, headers: user.headers() });
    expect(changed.body).toMatchObject({ name: 'Ada King' });
    expectError(await call(platform.url, 'PATCH', '/v1/user', { ...patch, key }), 401, 'unauthorized');
  });
});

describe('passwords', () => {
  test('a change needs the current one and ends every other session', async () => {
    const { email, own } = await join();
    const there = { cookie: cookieOf(await signIn(email, PASSWORD)) };
    const change = (body: object) => call(platform.url, 'PUT', '/v1/user/password', { body, headers: own });
    const wrong = { currentPassword: OTHER_PASSWORD, newPassword: OTHER_PASSWORD };
    expectError(await change(wrong), 401, 'credentials_wrong');
    const common = { currentPassword: PASSWORD, newPassword: 'Password123!' };
    expectError(await change(common), 400, 'invalid_request', '/newPassword');
    expect((await change({ currentPassword: PASSWORD, newPassword: OTHER_PASSWORD })).status).toBe(204);
    expect((await getSession(own)).status).toBe(200);
    expectError(await getSession(there), 401, 'unauthorized');
    expectError(await signIn(email, PASSWORD), 401, 'credentials_wrong');
    expect((await signIn(email, OTHER_PASSWORD)).status).toBe(200);
  });

  test('a mailed link sets a new one, once, and ends every session', async () => {
    const { email, own } = await join();
    const ask = (to: string) => call(platform.url, 'POST', '/v1/password-resets', { body: { email: to } });
    const known = await ask(email);
    const unknown = await ask('nobody@example.com');
    expect([known.status, unknown.status]).toEqual([202, 202]);
    expect(known.text).toBe(unknown.text);
    const link = await mailedLink(email);
    expect(link.href).toMatch(new RegExp(`^${platform.url}/reset-password#token=[\\w-]{43}$`));
    const token = link.hash.replace('#token=', '');
    const set = (password: string) =>
      call(platform.url, 'PUT', '/v1/password-resets', { body: { token, password } });
    expectError(await set('Password123!'), 400, 'invalid_request', '/password');
    expect((await set(OTHER_PASSWORD)).status).toBe(204);
    expectError(await set(PASSWORD), 400, 'token_invalid');
    expectError(await getSession(own), 401, 'unauthorized');
    expect((await signIn(email, OTHER_PASSWORD)).status).toBe(200);
    // The link went to the address, so the address is shown to be theirs.
    const row = await platform.database.db
      .selectFrom('users')
      .select('email_verified_at')
      .where('email', '=', email)
      .executeTakeFirst();
    expect(row?.email_verified_at).not.toBeNull();
    expect(mails.some(({ to }) => to.includes('nobody@example.com'))).toBe(false);
    expect(platform.log()).not.toContain(token);
  });

  test('one account gets three mails an hour', async () => {
    const first = await platform.createUser();
    const last = await platform.createUser();
    for (let index = 0; index < 5; index += 1) {
      await call(platform.url, 'POST', '/v1/password-resets', { body: { email: first.email } });
    }
    // Asked for after the others, so when it is here they have been decided on.
    await call(platform.url, 'POST', '/v1/password-resets', { body: { email: last.email } });
    await mailedLink(last.email);
    await expect.poll(() => mailsTo(first.email).length).toBe(3);
    const rows = await platform.database.db
      .selectFrom('password_resets')
      .select('user_id')
      .where('user_id', '=', first.userId)
      .execute();
    expect(rows).toHaveLength(3);
  });

  test('an expired or forged link does not work; without mail no response promises one', async () => {
    const { email, userId } = await platform.createUser();
    await call(platform.url, 'POST', '/v1/password-resets', { body: { email } });
    const token = (await mailedLink(email)).hash.replace('#token=', '');
    await platform.database.db
      .updateTable('password_resets')
      .set({ expires_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .execute();
    for (const one of [token, 'made-up']) {
      const body = { token: one, password: OTHER_PASSWORD };
      expectError(await call(platform.url, 'PUT', '/v1/password-resets', { body }), 400, 'token_invalid');
    }
    const asked = await call(invitedOnly, 'POST', '/v1/password-resets', { body: { email } });
    expectError(asked, 409, 'mail_missing');
  });
});

describe('operators', () => {
  test('the first start has made one, whose password is in no log', async () => {
    const first = await platform.database.db
      .selectFrom('users')
      .selectAll()
      .where('email', '=', 'operator@localhost.localdomain')
      .executeTakeFirst();
    expect(first).toMatchObject({ is_operator: true, password_hash: expect.stringMatching(/^scrypt/) });
    expect(platform.log()).toContain('created the account of the operator');
    expect(platform.log()).not.toMatch(/\b(?:[a-z2-9]{4}-){3}[a-z2-9]{4}\b/);
  });

  test('find, disable and promote people, but not themselves; nobody else does', async () => {
    const operator = await platform.createUser({ isOperator: true });
    const { email, userId, own } = await join();
    const as = (headers: Record<string, string>) => ({
      list: (query: string) =>
        call<{ data: { id: string }[]; nextCursor: string | null }>(
          platform.url,
          'GET',
          `/v1/operator/users?${query}`,
          { headers },
        ),
      update: (id: string, body: object) =>
        call(platform.url, 'PATCH', `/v1/operator/users/${id}`, { headers, body }),
    });
    expectError(await as(own).list(''), 403, 'operator_required');
    expectError(await as(own).update(operator.userId, { disabled: true }), 403, 'operator_required');
    const { list, update } = as(operator.headers());
    expect((await list(`search=${encodeURIComponent(email.toUpperCase())}`)).body.data).toMatchObject([
      { id: userId, email, organizations: 0, disabledAt: null },
    ]);
    expect((await list('search=%25')).body.data).toEqual([]);
    const page = await list('limit=1');
    const next = await list(`limit=1&cursor=${page.body.nextCursor}`);
    expect(page.body.data[0]?.id).not.toBe(next.body.data[0]?.id);

    expect((await update(userId, { disabled: true })).body).toMatchObject({ disabledAt: expect.any(String) });
    expectError(await getSession(own), 401, 'unauthorized');
    expectError(await signIn(email, PASSWORD), 401, 'credentials_wrong');
    await update(userId, { disabled: false, isOperator: true });
    expect((await signIn(email, PASSWORD)).body.user.isOperator).toBe(true);
    // Ended sessions stay ended when the account is enabled again.
    expectError(await getSession(own), 401, 'unauthorized');
    expectError(await update(operator.userId, { isOperator: false }), 409, 'own_account');
    expectError(await update('usr_00000000000000000000000000000000', {}), 404, 'not_found');
  });

  test('of two who demote each other at the same moment, one is left', async () => {
    const [one, other] = [
      await platform.createUser({ isOperator: true }),
      await platform.createUser({ isOperator: true }),
    ];
    const demote = (by: typeof one, id: string) =>
      call(platform.url, 'PATCH', `/v1/operator/users/${id}`, {
        headers: by.headers(),
        body: { isOperator: false },
      });
    const replies = await platform.database.db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('users')
        .select('id')
        .where('id', 'in', [one.userId, other.userId])
        .forUpdate()
        .execute();
      const both = [demote(one, other.userId), demote(other, one.userId)];
      await expect.poll(waiting).toBe(2);
      return both;
    });
    const answers = await Promise.all(replies);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  test('create a link for users who cannot sign in', async () => {
    const operator = await platform.createUser({ isOperator: true });
    const user = await platform.createUser();
    const make = (headers: Record<string, string>) =>
      call<{ url: string }>(platform.url, 'POST', `/v1/operator/users/${user.userId}/password-reset`, {
        headers,
      });
    expectError(await make(user.headers()), 403, 'operator_required');
    const made = await make(operator.headers());
    expect(made.status, made.text).toBe(201);
    const token = new URL(made.body.url).hash.replace('#token=', '');
    const body = { token, password: OTHER_PASSWORD };
    expect((await call(platform.url, 'PUT', '/v1/password-resets', { body })).status).toBe(204);
    expect((await signIn(user.email, OTHER_PASSWORD)).status).toBe(200);
  });
});

function mailsTo(email: string) {
  return mails.filter(({ to }) => to.includes(email));
}

/** The link of the newest mail to an address, once it has come. */
async function mailedLink(email: string): Promise<URL> {
  await expect.poll(() => mailsTo(email).length).toBeGreaterThan(0);
  const link = /https?:\/\/\S+#token=\S+/.exec(mailsTo(email).at(-1)?.text ?? '')?.[0];
  return new URL(link ?? '');
}

describe('a password that was replaced', () => {
  /** Replaces the password while `run` tries the old one: it has seen the old one, and waits for what is held here. */
  async function whileReplaced<Value>(person: Person, run: () => Promise<Value>): Promise<Value> {
    const { db } = platform.database;
    const { promise, tx } = await new Promise<{ promise: Promise<Value>; tx: Promise<void> }>((resolve) => {
      const tx = db.transaction().execute(async (open) => {
        await open
          .updateTable('users')
          .set({ password_hash: await hashPassword(`new ${person.password}`) })
          .where('id', '=', person.id)
          .execute();
        const promise = run();
        resolve({ promise, tx });
        await expect.poll(waiting).toBe(1);
      });
    });
    await tx;
    return promise;
  }

  const signInAs = (email: string, password: string | null) =>
    call(platform.url, 'POST', '/v1/session', { body: { email, password } });

  test('starts no session for a sign-in in progress with the old one', async () => {
    const person = await createPerson(platform, { withPassword: true });
    const reply = await whileReplaced(person, () => signInAs(person.email, person.password));
    expectError(reply, 401, 'credentials_wrong');
    expect(reply.headers.getSetCookie()).toEqual([]);
  });

  test('is not replaced again by a change in progress of the old one', async () => {
    const person = await createPerson(platform, { withPassword: true });
    const body = { currentPassword: person.password, newPassword: 'what the thief has chosen' };
    const reply = await whileReplaced(person, () =>
      call(platform.url, 'PUT', '/v1/user/password', { headers: asPerson(platform, person.session), body }),
    );
    expectError(reply, 401, 'credentials_wrong');
    const renewed = await signInAs(person.email, `new ${person.password}`);
    expect(renewed.status, renewed.text).toBe(200);
  });
});
