/** Accounts over HTTP: signing up, in and out, passwords, sessions, lock-out, mail and what operators do. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { call, expectError, type Reply } from './api.ts';

const PASSWORD = 'gravel lantern otter nine';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ roles: ['api'], env: { OFFPRINT_SIGN_UP: 'open' } });
}, 120_000);
afterAll(() => platform.stop());

interface Session {
  user: { id: string; email: string; name: string; isOperator: boolean; hasPassword: boolean };
  organizations: { id: string; name: string; plan: string; role: string }[];
  expiresAt: string;
}

let people = 0;

/** An address that no other test has. */
function address(): string {
  people += 1;
  return `person-${people}@example.com`;
}

/** The Cookie header after an answer that set the session cookie. */
function cookieOf(reply: Reply<unknown>): string {
  const [cookie = ''] = reply.headers.getSetCookie();
  return cookie.split(';')[0] ?? '';
}

function signIn(email: string, password: string, headers: Record<string, string> = {}) {
  return call<Session>(platform.url, 'POST', '/v1/session', { body: { email, password }, headers });
}

async function signUp(email = address(), password = PASSWORD) {
  const body = { email, name: 'Ada Lovelace', password };
  const reply = await call<Session>(platform.url, 'POST', '/v1/users', { body });
  expect(reply.status, reply.text).toBe(201);
  return { email, password, userId: reply.body.user.id, cookie: cookieOf(reply), reply };
}

describe('signing in', () => {
  test('an account signs up, out and in again, under a new token each time', async () => {
    const { email, cookie, reply } = await signUp();
    expect(reply.headers.getSetCookie()[0]).toMatch(
      /^offprint_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/i,
    );
    expect(reply.body.user).toMatchObject({ email, isOperator: false, hasPassword: true });
    expect(reply.body.organizations).toEqual([]);

    const own = { cookie, origin: platform.url };
    const read = await call<Session>(platform.url, 'GET', '/v1/session', { headers: own });
    expect(read.body.user.email).toBe(email);
    const out = await call(platform.url, 'DELETE', '/v1/session', { headers: own });
    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie()[0]).toMatch(/^offprint_session=; Path=\/; Max-Age=0|^offprint_session=; Max-Age=0/);
    expectError(await call(platform.url, 'GET', '/v1/session', { headers: own }), 401, 'unauthorized');

    const back = await signIn(email.toUpperCase(), PASSWORD);
    expect(back.status, back.text).toBe(200);
    expect(cookieOf(back)).not.toBe(cookie);
  });
});
