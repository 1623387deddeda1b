/** Single sign-on against a real OpenID Connect provider, driven like a browser does it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IdentityProvider, startIdentityProvider, Visitor } from '../support/identity-provider.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { call, expectError } from './api.ts';

const CALLBACK = '/v1/single-sign-on/callback';
const COOKIE = 'offprint_single_sign_on';
const PASSWORD = 'gravel lantern otter nine';

let provider: IdentityProvider;
let platform: TestPlatform;
/** The same installation where only operators have passwords, and whose provider is away. */
let withoutPasswords: string;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const away = await startIdentityProvider();
  await away.close();
  const client = {
    OFFPRINT_OIDC_CLIENT_ID: provider.clientId,
    OFFPRINT_OIDC_CLIENT_SECRET: provider.clientSecret,
  };
  platform = await startTestPlatform({
    roles: ['api'],
    env: {
      ...client,
      OFFPRINT_OIDC_ISSUER: provider.issuer,
      OFFPRINT_OIDC_NAME: 'Example ID',
      OFFPRINT_OIDC_DOMAINS: 'Corp.example.com',
    },
  });
  withoutPasswords = await platform.startApi({
    OFFPRINT_OIDC_ISSUER: away.issuer,
    OFFPRINT_PASSWORDS: 'false',
  });
  provider.open([platform.url + CALLBACK]);
});
afterAll(async () => {
  await platform.stop();
  await provider.close();
});

let people = 0;

/** An account at the provider that no other test has. */
function person(domain = 'corp.example.com', isVerified = true) {
  people += 1;
  const login = `person-${people}`;
  const account = { email: `${login}@${domain}`, email_verified: isVerified, name: `Person ${people}` };
  provider.accounts.set(login, account);
  return { login, ...account };
}

/** Starts at the platform; returns the URL of the provider that it redirects to. */
async function begin(visitor: Visitor, query = ''): Promise<string> {
  const response = await visitor.ask(`${platform.url}/v1/single-sign-on${query}`);
  expect(response.status).toBe(302);
  return response.headers.get('location') ?? '';
}

/** The whole way; where the browser ends up. */
async function signOn(login: string | null, visitor = new Visitor(), query = '') {
  const back = await visitor.passProvider(await begin(visitor, query), login);
  const response = await visitor.ask(back);
  expect(response.status).toBe(302);
  return { visitor, back, place: response.headers.get('location') };
}

async function sessionOf(visitor: Visitor) {
  const response = await visitor.ask(`${platform.url}/v1/session`);
  expect(response.status).toBe(200);
  return (await response.json()) as {
    user: { id: string; email: string; name: string; hasPassword: boolean };
  };
}

describe('single sign-on', () => {
  test('a person of a known domain gets an account, and the same one the next time', async () => {
    const { login, email, name } = person();
    const visitor = new Visitor();
    const url = new URL(await begin(visitor, '?returnTo=/projects%3Fpage=2'));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: platform.url + CALLBACK,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const { place } = await signOn(login, visitor, '?returnTo=/projects%3Fpage=2');
    expect(place).toBe('/projects?page=2');
    expect(visitor.cookie(platform.url, COOKIE)).toBeUndefined();
    const { user } = await sessionOf(visitor);
    expect(user).toMatchObject({ email, name, hasPassword: false });

    const again = await signOn(login);
    expect(again.place).toBe('/');
    expect((await sessionOf(again.visitor)).user.id).toBe(user.id);
    const events = await platform.database.db
      .selectFrom('audit_events')
      .select(['actor_kind', 'outcome'])
      .where('action', '=', 'finishSingleSignOn')
      .where('actor_id', '=', user.id)
      .execute();
    expect(events).toEqual(Array.from({ length: 2 }, () => ({ actor_kind: 'user', outcome: 'done' })));
  });

  test('an account follows its subject, not its address', async () => {
    const { login } = person();
    const { visitor } = await signOn(login);
    const { user } = await sessionOf(visitor);
    provider.accounts.set(login, {
      email: 'renamed@elsewhere.example',
      email_verified: false,
      name: 'Renamed',
    });
    expect((await sessionOf((await signOn(login)).visitor)).user).toMatchObject({
      id: user.id,
      email: user.email,
    });
  });

  test('an account with the address is opened, and keeps its password where the address was verified', async () => {
    const { login, email } = person('elsewhere.example');
    const user = await platform.createUser({ email, password: PASSWORD });
    const { visitor } = await signOn(login);
    expect((await sessionOf(visitor)).user).toMatchObject({ id: user.userId, hasPassword: true });
    expect((await call(platform.url, 'GET', '/v1/session', { headers: user.headers() })).status).toBe(200);
  });

  test('an account with an unverified email address goes to the owner of the address', async () => {
    const { login, email } = person('elsewhere.example');
    const thief = await platform.createUser({ email, password: PASSWORD });
    await platform.database.db
      .updateTable('users')
      .set({ email_verified_at: null })
      .where('id', '=', thief.userId)
      .execute();
    const { visitor } = await signOn(login);
    expect((await sessionOf(visitor)).user).toMatchObject({ id: thief.userId, hasPassword: false });
    const headers = thief.headers();
    expectError(await call(platform.url, 'GET', '/v1/session', { headers }), 401, 'unauthorized');
    const body = { email, password: PASSWORD };
    expectError(await call(platform.url, 'POST', '/v1/session', { body }), 401, 'credentials_wrong');
  });

  test('an address that the provider has not verified opens and makes nothing', async () => {
    const { login, email } = person('corp.example.com', false);
    const user = await platform.createUser({ email });
    expect((await signOn(login)).place).toBe('/sign-in?error=email_unverified');
    const identities = await platform.database.db
      .selectFrom('user_identities')
      .select('subject')
      .where('user_id', '=', user.userId)
      .execute();
    expect(identities).toEqual([]);
    const stranger = person('corp.example.com', false);
    expect((await signOn(stranger.login)).place).toBe('/sign-in?error=email_unverified');
  });

  test('an address that only looks like one of somebody else opens and makes nothing', async () => {
    const login = 'lookalike';
    await platform.createUser({ email: 'kate@corp.example.com' });
    // The sign of Kelvin, whose lower case is an ordinary k.
    const email = '\u212Aate@corp.example.com';
    provider.accounts.set(login, { email, email_verified: true, name: 'Kate' });
    expect((await signOn(login)).place).toBe('/sign-in?error=email_unverified');
  });

  test('of other domains, who was invited gets an account', async () => {
    const { login, email } = person('elsewhere.example');
    expect((await signOn(login)).place).toBe('/sign-in?error=sign_up_closed');
    const { key } = await platform.createTenant();
    await call(platform.url, 'POST', '/v1/invitations', { key, body: { email, role: 'viewer' } });
    const { visitor } = await signOn(login);
    expect((await sessionOf(visitor)).user.email).toBe(email);
    const refusals = await platform.database.db
      .selectFrom('audit_events')
      .select(['outcome', 'code', 'actor_kind'])
      .where('actor_name', '=', email)
      .where('action', '=', 'finishSingleSignOn')
      .where('outcome', '=', 'refused')
      .execute();
    expect(refusals).toEqual([{ outcome: 'refused', code: 'sign_up_closed', actor_kind: 'stranger' }]);
  });

  test('a disabled account stays closed', async () => {
    const { login } = person();
    const { user } = await sessionOf((await signOn(login)).visitor);
    await platform.database.db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('id', '=', user.id)
      .execute();
    expect((await signOn(login)).place).toBe('/sign-in?error=account_disabled');
  });

  test('a link to the callback of a sign-in of another browser signs nobody in', async () => {
    const { login } = person();
    const attacker = new Visitor();
    const back = await attacker.passProvider(await begin(attacker), login);
    const victim = new Visitor();
    const stranger = await victim.ask(back);
    expect(stranger.headers.get('location')).toBe('/sign-in?error=state_invalid');
    // Nor a browser that has started its own sign-in: the state differs.
    await begin(victim);
    const mixed = await victim.ask(back);
    expect(mixed.headers.get('location')).toBe('/sign-in?error=provider_failed');
    expect(victim.cookie(platform.url, 'offprint_session')).toBeUndefined();
  });

  test('a response of another issuer, a forged code and a changed cookie fail; a cancellation is reported', async () => {
    const { login } = person();
    const spoil = async (change: (url: URL) => void) => {
      const visitor = new Visitor();
      const back = new URL(await visitor.passProvider(await begin(visitor), login));
      change(back);
      return (await visitor.ask(back.href)).headers.get('location');
    };
    const failed = '/sign-in?error=provider_failed';
    expect(await spoil((url) => url.searchParams.set('iss', 'https://evil.example'))).toBe(failed);
    expect(await spoil((url) => url.searchParams.delete('iss'))).toBe(failed);
    expect(await spoil((url) => url.searchParams.set('code', 'made-up'))).toBe(failed);
    expect((await signOn(null)).place).toBe('/sign-in?error=provider_refused');
    const forged = await fetch(`${platform.url}${CALLBACK}?code=a&state=b`, {
      redirect: 'manual',
      headers: { cookie: `${COOKIE}=${Buffer.alloc(200, 1).toString('base64url')}` },
    });
    expect(forged.headers.get('location')).toBe('/sign-in?error=state_invalid');
  });

  test('what is kept in the browser is sealed, for ten minutes, for this host', async () => {
    const response = await fetch(`${platform.url}/v1/single-sign-on`, { redirect: 'manual' });
    const state = new URL(response.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const [line = ''] = response.headers.getSetCookie();
    expect(line).toMatch(/^offprint_single_sign_on=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    const sealed = Buffer.from(/=([\w-]+)/.exec(line)?.[1] ?? '', 'base64url').toString('latin1');
    expect(sealed).not.toContain(state);
    const foreign = await fetch(`${platform.url}/v1/single-sign-on?returnTo=//evil.example`, {
      redirect: 'manual',
    });
    expect(foreign.status).toBe(400);
  });
});

describe('without passwords', () => {
  test('operators alone sign in with one, and nobody signs up', async () => {
    const user = await platform.createUser({ password: PASSWORD });
    const operator = await platform.createUser({ password: PASSWORD, isOperator: true });
    const signIn = (email: string) =>
      call(withoutPasswords, 'POST', '/v1/session', { body: { email, password: PASSWORD } });
    expectError(await signIn(user.email), 401, 'credentials_wrong');
    expect((await signIn(operator.email)).status).toBe(200);
    const options = await call(withoutPasswords, 'GET', '/v1/sign-in-options');
    expect(options.body).toEqual({
      signUp: 'closed',
      passwords: false,
      mail: false,
      docsUrl: null,
      singleSignOn: { name: 'Example ID' },
    });
    const body = { email: 'new@corp.example.com', name: 'New', password: PASSWORD };
    expectError(await call(withoutPasswords, 'POST', '/v1/users', { body }), 403, 'sign_up_closed');
  });

  test('an unreachable provider is reported on the sign-in page', async () => {
    const response = await fetch(`${withoutPasswords}/v1/single-sign-on`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe('/sign-in?error=provider_unreachable');
  });
});
