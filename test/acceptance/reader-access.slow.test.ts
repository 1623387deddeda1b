/** Readers of sites: the settings of a project, every kind of sign-in, and what a site server then serves. */
import { createHmac, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { type Reader, verifyReader } from '@offprint/bundle';
import type { ReaderAccess, ReaderSite } from '@offprint/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findServedSite } from '../../apps/server/src/deployments/service.ts';
import { createRateStore } from '../../apps/server/src/platform/http/shared-rate-limit.ts';
import { deriveKey } from '../../apps/server/src/platform/secret.ts';
import { createReaderService, type ReaderService } from '../../apps/server/src/readers/service.ts';
import type { SignInResponse } from '../../apps/server/src/readers/visit.ts';
import { asPerson, createPerson } from '../support/accounts.ts';
import { type IdentityProvider, startIdentityProvider, Visitor } from '../support/identity-provider.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';
import { call, expectError } from './api.ts';
import { serveSite } from './served-site.ts';

const PASSWORD = 'gravel lantern otter nine';

let platform: TestPlatform;
let tenant: Tenant;
let provider: IdentityProvider;
/** Two processes that share the database only. */
let services: [ReaderService, ReaderService];

beforeAll(async () => {
  provider = await startIdentityProvider();
  platform = await startTestPlatform({
    roles: ['api'],
    env: { OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
  });
  tenant = await platform.createTenant();
  const { db } = platform.database;
  const start = () =>
    createReaderService({
      db,
      log: pino({ level: 'silent' }),
      key: deriveKey(platform.secret, 'readers'),
      fetch,
      allowedHosts: ['127.0.0.1'],
      publicUrl: () => platform.url,
      rates: createRateStore(db),
      findSite: (host) => findServedSite({ db, previewDomain: null }, host),
      onNewGroups: async () => {},
    });
  services = [start(), start()];
});
afterAll(async () => {
  await platform.stop();
  await provider.close();
});

interface Site {
  projectId: string;
  host: string;
  basePath: string;
}

let sites = 0;
let addresses = 0;

/** A project with a domain and this access to its site. */
async function createSite(access: Record<string, unknown>, basePath = ''): Promise<Site> {
  sites += 1;
  const host = `docs-${sites}.example.com`;
  const made = await call<{ id: string }>(platform.url, 'POST', '/v1/projects', {
    key: tenant.key,
    body: { name: 'Docs', domains: [host], basePath, source: { kind: 'upload' } },
  });
  expect(made.status, made.text).toBe(201);
  const site = { projectId: made.body.id, host, basePath };
  await serveSite(platform, { organizationId: tenant.organizationId, ...site });
  await setAccess(site, access);
  return site;
}

async function setAccess({ projectId }: Site, production: Record<string, unknown>): Promise<ReaderAccess> {
  const reply = await call<ReaderAccess>(platform.url, 'PUT', `/v1/projects/${projectId}/access`, {
    key: tenant.key,
    body: { production },
  });
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

async function cookieKeyOf({ host, projectId }: Site, site: ReaderSite = 'production'): Promise<string> {
  const [access] = await services[0].accessOf([{ host, projectId, site }]);
  if (access === undefined || access.kind === 'public') throw new Error('the site is public');
  return access.cookieKey;
}

/** A browser at one site, whose requests a site server passes on. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly site: Site;
  readonly address: string;
  constructor(site: Site, address?: string) {
    this.site = site;
    addresses += 1;
    this.address = address ?? `192.0.${Math.floor(addresses / 250)}.${1 + (addresses % 250)}`;
  }

  async open(
    path: string,
    options: { form?: Record<string, string>; headers?: Record<string, string>; service?: 0 | 1 } = {},
  ): Promise<SignInResponse & { location: string }> {
    const { form, headers = {}, service = 0 } = options;
    const { host, basePath } = this.site;
    const [pathname = '', query = ''] = path.split(/\?(.*)/s);
    const response = await services[service].signIn({
      host,
      method: form === undefined ? 'GET' : 'POST',
      path: basePath + pathname,
      query,
      headers: {
        host,
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-forwarded-for': this.address,
        'x-forwarded-proto': 'https',
        ...headers,
      },
      body: form === undefined ? '' : new URLSearchParams(form).toString(),
    });
    for (const line of [response.headers['Set-Cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      // scripts read only that somebody has signed in
      if (name !== '__Host-offprint_signed_in') expect(line).toMatch(/; HttpOnly/);
      else expect(['', '1']).toContain(value);
      expect(line).toMatch(/; Secure/);
      expect(line).toMatch(/; SameSite=Lax/);
      expect(line).not.toMatch(/domain=/i);
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { ...response, location: String(response.headers.Location ?? '') };
  }

  /** The reader as the site server sees it. */
  async reader(): Promise<Reader | null> {
    const value = this.cookies.get('__Host-offprint_reader') ?? '';
    return verifyReader(value, { key: await cookieKeyOf(this.site), host: this.site.host, now: Date.now() });
  }
}

describe('the settings', () => {
  test('of a new project are public, and members for previews', async () => {
    const site = await createSite({ kind: 'public' });
    const reply = await call<ReaderAccess>(platform.url, 'GET', `/v1/projects/${site.projectId}/access`, {
      key: tenant.key,
    });
    expect(reply.body).toMatchObject({
      production: { kind: 'public' },
      preview: { kind: 'members', sessionHours: 336 },
    });
    const hosts = [
      { host: site.host, projectId: site.projectId, site: 'production' as const },
      { host: 'x.preview.example', projectId: site.projectId, site: 'preview' as const },
    ];
    const [production, preview] = await services[0].accessOf(hosts);
    expect(production).toEqual({ kind: 'public' });
    const out = await call(platform.url, 'POST', `/v1/projects/${site.projectId}/access/sign-out`, {
      key: tenant.key,
      body: { site: 'preview' },
    });
    expect(out.status).toBe(204);
    const [, later] = await services[0].accessOf(hosts);
    expect(later).toMatchObject({ kind: 'members' });
    expect(later).not.toEqual(preview);
    expect(preview).toMatchObject({ kind: 'members', cookieKey: expect.stringMatching(/^[\w-]{43}$/) });
  });

  test('refuse an access with which no reader could sign in', async () => {
    const { projectId } = await createSite({ kind: 'public' });
    const put = (production: unknown) =>
      call(platform.url, 'PUT', `/v1/projects/${projectId}/access`, {
        key: tenant.key,
        body: { production },
      });
    expectError(await put({ kind: 'password' }), 400, 'invalid_request', '/production/password');
    expectError(
      await put({ kind: 'password', password: 'short' }),
      400,
      'invalid_request',
      '/production/password',
    );
    expectError(await put({ kind: 'oidc' }), 400, 'invalid_request', '/production/oidc');
    const oidc = { issuer: 'http://id.example.com', clientId: 'a' };
    expectError(await put({ kind: 'oidc', oidc }), 400, 'invalid_request', '/production/oidc/issuer');
    expectError(
      await put({ kind: 'token', token: { loginUrls: [{ name: 'a', url: 'javascript:1' }] } }),
      400,
      'invalid_request',
      '/production/token/loginUrls/0/url',
    );
  });

  test('return no secret, and say in the audit log what changed', async () => {
    const site = await createSite({ kind: 'password', password: PASSWORD });
    const secret = randomBytes(16).toString('hex');
    noteSecrets(secret);
    const oidc = { issuer: 'https://id.example.com', clientId: 'docs', clientSecret: secret };
    const access = await setAccess(site, { kind: 'oidc', oidc });
    expect(access.production).toMatchObject({
      kind: 'oidc',
      passwordSetAt: expect.any(String),
      oidc: { issuer: 'https://id.example.com', hasClientSecret: true, groupsClaim: 'groups' },
    });
    expect(JSON.stringify(access)).not.toContain(secret);
    const events = await call(platform.url, 'GET', '/v1/audit-events?limit=5', { key: tenant.key });
    expect(events.text).toContain('updateReaderAccess');
    expect(events.text).toContain('production.kind');
    expect(events.text).not.toContain(secret);
    expect(events.text).not.toContain(PASSWORD);
  });
});

describe('a password', () => {
  test('signs a reader in, below a base path, and sends them where they wanted to go', async () => {
    const site = await createSite({ kind: 'password', password: PASSWORD, sessionHours: 2 }, '/docs');
    const browser = new Browser(site);
    const form = await browser.open('/login?next=%2Fdocs%2Fguide%3Fa%3D1');
    expect([
      form.status,
      form.body.includes('value="/docs/guide?a=1"'),
      form.body.includes('action="/docs/login"'),
    ]).toEqual([200, true, true]);
    const wrong = await browser.open('/login', { form: { password: 'something else', next: '/docs/guide' } });
    expect([wrong.status, wrong.body.includes('role="alert"'), await browser.reader()]).toEqual([
      401,
      true,
      null,
    ]);
    const right = await browser.open('/login', { form: { password: PASSWORD, next: '/docs/guide?a=1' } });
    expect([right.status, right.location]).toEqual([303, '/docs/guide?a=1']);
    const reader = await browser.reader();
    expect(reader).toMatchObject({ subject: 'password', groups: [], host: site.host });
    const hours = ((reader?.expiresAt ?? 0) - Date.now() / 1000) / 3_600;
    expect(hours).toBeGreaterThan(1.9);
    expect(hours).toBeLessThanOrEqual(2);
  });

  test('redirects to no other site', async () => {
    const site = await createSite({ kind: 'password', password: PASSWORD });
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/..//evil.example',
      '/login',
    ]) {
      const browser = new Browser(site);
      expect((await browser.open(`/login?next=${encodeURIComponent(next)}`)).body).toContain(
        'name="next" value="/"',
      );
      expect((await browser.open('/login', { form: { password: PASSWORD, next } })).location).toBe('/');
    }
  });

  test('is not accepted in a form of another site', async () => {
    const browser = new Browser(await createSite({ kind: 'password', password: PASSWORD }));
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]) {
      const reply = await browser.open('/login', { form: { password: PASSWORD }, headers });
      expect([reply.status, browser.cookies.size]).toEqual([403, 0]);
    }
  });

  test('that is new, and the sign-out of all readers, end all sessions', async () => {
    const site = await createSite({ kind: 'password', password: PASSWORD });
    const browser = new Browser(site);
    const signIn = (password: string) => browser.open('/login', { form: { password } });
    await signIn(PASSWORD);
    expect(await browser.reader()).not.toBeNull();
    await setAccess(site, { kind: 'password', sessionHours: 24 });
    expect(await browser.reader()).not.toBeNull();
    await setAccess(site, { kind: 'password', password: `${PASSWORD} ten` });
    expect(await browser.reader()).toBeNull();
    await signIn(`${PASSWORD} ten`);
    expect(await browser.reader()).not.toBeNull();
    const out = await call(platform.url, 'POST', `/v1/projects/${site.projectId}/access/sign-out`, {
      key: tenant.key,
      body: { site: 'production' },
    });
    expect(out.status).toBe(204);
    expect(await browser.reader()).toBeNull();
  });

  test('is compared for sites without one too, and never matches', async () => {
    const site = await createSite({ kind: 'public' });
    await platform.database.db
      .insertInto('reader_access')
      .values({
        project_id: site.projectId,
        organization_id: tenant.organizationId,
        site: 'production',
        kind: 'password',
        session_hours: 1,
      })
      .onConflict((conflict) => conflict.columns(['project_id', 'site']).doUpdateSet({ kind: 'password' }))
      .execute();
    const reply = await new Browser(site).open('/login', { form: { password: '' } });
    expect(reply.status).toBe(401);
  });
});

describe('members', () => {
  const request = (location: string) => new URL(location).searchParams.get('request') ?? '';
  const createCode = (session: string, body: { request: string }) =>
    call<{ url: string }>(platform.url, 'POST', '/v1/reader-codes', {
      headers: asPerson(platform, session),
      body,
    });

  test('sign in at the dashboard and return with a code, once and in the same browser', async () => {
    const site = await createSite({ kind: 'members' }, '/docs');
    const member = await createPerson(platform, { organizationId: tenant.organizationId, role: 'viewer' });
    const browser = new Browser(site);
    const { location } = await browser.open('/login?next=%2Fdocs%2Fguide');
    expect(location.startsWith(`${platform.url}/reader-sign-in?request=`)).toBe(true);
    const code = await createCode(member.session, { request: request(location) });
    expect(code.status, code.text).toBe(201);
    const back = new URL(code.body.url);
    expect(back.origin + back.pathname).toBe(`https://${site.host}/docs/login/members`);
    const stranger = new Browser(site);
    await stranger.open('/login');
    expect((await stranger.open(`/login/members${back.search}`)).status).toBe(403);
    const kept = new Map(browser.cookies);
    const done = await browser.open(`/login/members${back.search}`);
    expect([done.status, done.location]).toEqual([303, '/docs/guide']);
    const reader = await browser.reader();
    expect(reader).toMatchObject({ subject: member.id, content: { email: member.email } });
    expect((reader?.expiresAt ?? 0) - Date.now() / 1000).toBeLessThanOrEqual(8 * 3_600);
    // replayed at the other process, with the cookie of the start
    for (const [name, value] of kept) browser.cookies.set(name, value);
    expect((await browser.open(`/login/members${back.search}`, { service: 1 })).status).toBe(403);
  });

  test('only: others, and those who left in between, are not', async () => {
    const site = await createSite({ kind: 'members' });
    const stranger = await createPerson(platform);
    const leaving = await createPerson(platform, { organizationId: tenant.organizationId, role: 'viewer' });
    const browser = new Browser(site);
    const { location } = await browser.open('/login');
    expectError(await createCode(stranger.session, { request: request(location) }), 404, 'not_found');
    const code = await createCode(leaving.session, { request: request(location) });
    await platform.database.db.deleteFrom('members').where('user_id', '=', leaving.id).execute();
    expect((await browser.open(`/login/members${new URL(code.body.url).search}`)).status).toBe(403);
    expect(await browser.reader()).toBeNull();
  });

  test('get no code for a request that no site has made, nor for a site with other readers', async () => {
    const member = await createPerson(platform, { organizationId: tenant.organizationId });
    expectError(
      await createCode(member.session, { request: randomBytes(100).toString('base64url') }),
      400,
      'token_invalid',
    );
    const site = await createSite({ kind: 'members' });
    const browser = new Browser(site);
    const { location } = await browser.open('/login');
    await setAccess(site, { kind: 'public' });
    expectError(await createCode(member.session, { request: request(location) }), 404, 'not_found');
  });

  test('cannot use the code of one site at another', async () => {
    const member = await createPerson(platform, { organizationId: tenant.organizationId });
    const [one, two] = [await createSite({ kind: 'members' }), await createSite({ kind: 'members' })];
    const { location } = await new Browser(one).open('/login');
    const code = await createCode(member.session, { request: request(location) });
    const browser = new Browser(two);
    await browser.open('/login');
    expect((await browser.open(`/login/members${new URL(code.body.url).search}`)).status).toBe(403);
  });
});

describe('OpenID Connect', () => {
  const oidcOf = () => ({
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
  });
  let site: Site;
  beforeAll(async () => {
    site = await createSite(
      { kind: 'oidc', oidc: { ...oidcOf(), groupsClaim: 'name', groupsDelimiter: ',' } },
      '/docs',
    );
    provider.open([`https://${site.host}/docs/login/callback`]);
    provider.accounts.set('ada', { email: 'ada@acme.example', email_verified: true, name: 'sales, admin' });
  });

  test('signs a reader in with groups, with PKCE, state and nonce', async () => {
    const browser = new Browser(site);
    const { location } = await browser.open('/login?next=%2Fdocs%2Fguide');
    const query = new URL(location).searchParams;
    expect(query.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name), name).not.toBeNull();
    const back = new URL(await new Visitor().passProvider(location, 'ada'));
    const done = await browser.open(`/login/callback${back.search}`);
    expect([done.status, done.location], done.body).toEqual([303, '/docs/guide']);
    expect(await browser.reader()).toMatchObject({
      subject: 'ada',
      groups: ['sales', 'admin'],
      content: { email: 'ada@acme.example' },
    });
    // the code was used, and the browser has forgotten the start
    expect((await browser.open(`/login/callback${back.search}`)).status).toBe(403);
  });

  test('rejects the way back in another browser, with another state, and a cancelled sign-in', async () => {
    const browser = new Browser(site);
    const { location } = await browser.open('/login');
    const back = new URL(await new Visitor().passProvider(location, 'ada'));
    expect((await new Browser(site).open(`/login/callback${back.search}`)).status).toBe(403);
    const other = new Browser(site);
    await other.open('/login');
    expect((await other.open(`/login/callback${back.search}`)).status).toBe(502);
    expect(await other.reader()).toBeNull();
    const third = new Browser(site);
    const cancelled = new URL(await new Visitor().passProvider((await third.open('/login')).location, null));
    const refused = await third.open(`/login/callback${cancelled.search}`);
    expect([refused.status, refused.body.includes('cancelled')]).toEqual([403, true]);
  });

  test('signs out at the provider too', async () => {
    await setAccess(site, {
      kind: 'oidc',
      oidc: {
        issuer: provider.issuer,
        clientId: provider.clientId,
        groupsClaim: 'name',
        groupsDelimiter: ',',
        logoutUrl: 'https://id.example.com/logout',
      },
    });
    const browser = new Browser(site);
    browser.cookies.set('__Host-offprint_reader', 'x');
    const out = await browser.open('/logout');
    expect([out.status, out.location, browser.cookies.size]).toEqual([
      303,
      'https://id.example.com/logout',
      0,
    ]);
  });
});

describe('a token of the login of a team', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  function tokenOf(key: string, site: Site, changes: object = {}): string {
    const body = { host: site.host, exp: Math.floor(Date.now() / 1000) + 10, groups: ['admin'], ...changes };
    const signed = `${encode({ alg: 'EdDSA' })}.${encode(body)}`;
    return `${signed}.${sign(null, Buffer.from(signed), createPrivateKey(key)).toString('base64url')}`;
  }
  async function createKey({ projectId }: Site): Promise<string> {
    const reply = await call<{ privateKey: string }>(
      platform.url,
      'POST',
      `/v1/projects/${projectId}/access/token-key`,
      { key: tenant.key, body: { site: 'production' } },
    );
    expect(reply.status, reply.text).toBe(201);
    noteSecrets(reply.body.privateKey.split('\n')[1] ?? '');
    return reply.body.privateKey;
  }
  const callback = '/login/jwt-callback';

  test('signs a reader in with the data of the token', async () => {
    const site = await createSite({ kind: 'token' }, '/docs');
    const key = await createKey(site);
    const browser = new Browser(site);
    const page = await browser.open(callback);
    expect([page.status, page.body.includes('action="/docs/login/jwt-callback"')]).toEqual([200, true]);
    const data = {
      sub: 'ada',
      expiresAt: Math.floor(Date.now() / 1000) + 600,
      content: { firstName: 'Ada' },
      apiPlaygroundInputs: { header: { 'X-Key': 'k' } },
    };
    const done = await browser.open(callback, {
      form: { token: tokenOf(key, site, data), redirect: '/docs/guide' },
    });
    expect([done.status, done.location], done.body).toEqual([303, '/docs/guide']);
    expect(await browser.reader()).toMatchObject({
      subject: 'ada',
      groups: ['admin'],
      expiresAt: data.expiresAt,
      content: data.content,
      apiPlaygroundInputs: data.apiPlaygroundInputs,
    });
  });

  test('works once, at all processes together', async () => {
    const site = await createSite({ kind: 'token' });
    const key = await createKey(site);
    for (const changes of [{}, { jti: 'one' }]) {
      const token = tokenOf(key, site, changes);
      const replies = await Promise.all(
        [0, 1, 0, 1].map((service) =>
          new Browser(site).open(callback, { form: { token }, service: service === 0 ? 0 : 1 }),
        ),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401]);
    }
  });

  test('is rejected when it is stolen, expired, forged or for another site', async () => {
    const [site, other] = [await createSite({ kind: 'token' }), await createSite({ kind: 'token' })];
    const [key, otherKey] = [await createKey(site), await createKey(other)];
    const publicPem = createPublicKey(createPrivateKey(key)).export({ format: 'pem', type: 'spki' });
    const [, body = ''] = tokenOf(key, site).split('.');
    const confused = `${encode({ alg: 'HS256' })}.${body}`;
    const now = Math.floor(Date.now() / 1000);
    const bad = {
      'of another site': tokenOf(otherKey, other),
      'of the key of another site': tokenOf(otherKey, site),
      'for another host': tokenOf(key, site, { host: other.host }),
      'without a host': tokenOf(key, site, { host: undefined }),
      expired: tokenOf(key, site, { exp: now - 1 }),
      'valid for an hour': tokenOf(key, site, { exp: now + 3_600 }),
      'of no algorithm': `${encode({ alg: 'none' })}.${body}.`,
      'of HS256 with the public key': `${confused}.${createHmac('sha256', publicPem).update(confused).digest('base64url')}`,
      empty: '',
      'a session that has ended': tokenOf(key, site, { expiresAt: now - 1 }),
      'more than a cookie holds': tokenOf(key, site, { content: { text: 'a'.repeat(5_000) } }),
    };
    for (const [name, token] of Object.entries(bad)) {
      const browser = new Browser(site);
      const reply = await browser.open(callback, { form: { token } });
      expect([401, 403], name).toContain(reply.status);
      expect(browser.cookies.size, name).toBe(0);
    }
    // a new key ends the earlier one
    await createKey(site);
    expect((await new Browser(site).open(callback, { form: { token: tokenOf(key, site) } })).status).toBe(
      401,
    );
  });

  test('is asked for at the login of the team, or at one of several', async () => {
    const site = await createSite({
      kind: 'token',
      token: { loginUrls: [{ name: 'Acme', url: 'https://acme.example/login?a=1' }] },
    });
    const browser = new Browser(site);
    expect((await browser.open('/login?next=%2Fguide')).location).toBe(
      'https://acme.example/login?a=1&redirect=%2Fguide',
    );
    await setAccess(site, {
      kind: 'token',
      token: {
        loginUrls: [
          { name: 'A & B', url: 'https://a.example/' },
          { name: 'C', url: 'https://c.example/' },
        ],
      },
    });
    const choice = await browser.open('/login?next=%2Fguide');
    expect(choice.body).toContain(
      '<a class="button" href="https://a.example/?redirect=%2Fguide">A &amp; B</a>',
    );
    await setAccess(site, { kind: 'token', token: {} });
    expect((await browser.open('/login')).body).toContain('from your account');
  });
});

describe('sign-in in general', () => {
  test('can be tried ten times at once by one address, at all processes together', async () => {
    const site = await createSite({ kind: 'token' });
    const browser = new Browser(site);
    const tries = async (from: Browser) => {
      for (let passed = 0; passed < 40; passed++) {
        const service = passed % 2 === 0 ? 0 : 1;
        const reply = await from.open('/login/jwt-callback', { form: { token: 'guess' }, service });
        if (reply.status === 429) return { passed, after: Number(reply.headers['Retry-After']) };
        expect(reply.status).toBe(401);
      }
      return { passed: 40, after: 0 };
    };
    const { passed, after } = await tries(browser);
    expect(passed).toBeGreaterThan(8);
    // each process on its own would let ten pass
    expect(passed).toBeLessThan(20);
    expect(after).toBeGreaterThan(0);
    // others are not affected
    const other = await new Browser(site).open('/login/jwt-callback', { form: { token: 'guess' } });
    expect(other.status).toBe(401);
  });

  test('handles only what belongs to the kind of access', async () => {
    const site = await createSite({ kind: 'password', password: PASSWORD }, '/docs');
    const browser = new Browser(site);
    for (const path of ['/login/callback', '/login/members', '/login/jwt-callback', '/login/other']) {
      expect((await browser.open(path)).status, path).toBe(404);
    }
    expect((await new Browser({ ...site, basePath: '' }).open('/login')).status).toBe(404);
    expect((await new Browser({ ...site, host: 'unknown.example.com' }).open('/login')).status).toBe(404);
  });

  test('is not served for a host whose domain is no longer verified', async () => {
    const site = await createSite({ kind: 'password', password: PASSWORD });
    expect((await new Browser(site).open('/login')).status).toBe(200);
    await platform.database.db
      .updateTable('site_domains')
      .set({ state: 'expired' })
      .where('host', '=', site.host)
      .execute();
    expect((await new Browser(site).open('/login')).status).toBe(404);
  });

  test('signs readers out by a link of the site and not by an image of another', async () => {
    const site = await createSite({ kind: 'password', password: PASSWORD });
    const browser = new Browser(site);
    await browser.open('/login', { form: { password: PASSWORD } });
    const embedded = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' };
    expect((await browser.open('/logout', { headers: embedded })).status).toBe(403);
    expect(await browser.reader()).not.toBeNull();
    const out = await browser.open('/logout');
    expect([out.status, out.body.includes('Signed out'), await browser.reader()]).toEqual([200, true, null]);
  });
});
