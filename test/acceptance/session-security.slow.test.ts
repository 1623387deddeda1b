/**
 * What pages of other sites, planted cookies, guesses and crafted names cannot do to somebody who is signed in: cross-site
 * requests, session fixation, framing, brute force, injection into mails and addresses. Over http as it comes, and with
 * a public https address in front.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asPerson, createPerson, createSession, type Person } from '../support/accounts.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';
import { call, expectError, type Reply } from './api.ts';

const PUBLIC_URL = 'https://offprint.example.com';

let platform: TestPlatform;
/** Address of a process of the same installation that is reached at PUBLIC_URL. */
let secure: string;
let tenant: Tenant;
let admin: Person;
let pages: string;
let smtp: SMTPServer;
const mails: string[] = [];

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString('utf8'));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const { port } = smtp.server.address() as AddressInfo;
  pages = await mkdtemp(join(tmpdir(), 'offprint-pages-'));
  await writeFile(join(pages, 'index.html'), '<!doctype html><title>x</title>');
  platform = await startTestPlatform({
    roles: ['api'],
    env: {
      OFFPRINT_SIGN_UP: 'open',
      OFFPRINT_SMTP_URL: `smtp://127.0.0.1:${port}`,
      OFFPRINT_DASHBOARD_DIR: pages,
      OFFPRINT_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  secure = await platform.startApi({ OFFPRINT_PUBLIC_URL: PUBLIC_URL });
  tenant = await platform.createTenant();
  admin = await createPerson(platform, { organizationId: tenant.organizationId, withPassword: true });
});
afterAll(async () => {
  await platform?.stop();
  await new Promise<void>((resolve) => smtp?.close(() => resolve()) ?? resolve());
  await rm(pages, { recursive: true, force: true });
});

const tokenOf = (reply: Reply<unknown>): string =>
  /^[\w-]+=([^;]*)/.exec(reply.headers.getSetCookie()[0] ?? '')?.[1] ?? '';

function signIn(
  person: { email: string; password: string | null },
  headers: Record<string, string> = {},
  url = platform.url,
) {
  const body = { email: person.email, password: person.password };
  return call(url, 'POST', '/v1/session', { body, headers });
}

/** Whether a session still speaks for somebody. */
const isAlive = async (token: string, url = platform.url): Promise<boolean> => {
  const name = url === platform.url ? 'offprint_session' : '__Host-offprint_session';
  const reply = await call(url, 'GET', '/v1/session', { headers: { cookie: `${name}=${token}` } });
  expect([200, 401]).toContain(reply.status);
  return reply.status === 200;
};

/** One request exactly as given, also with a Host header of choice; resolves with status and head as text. */
function raw(
  url: string,
  options: { method: string; path: string; headers: Record<string, string>; body?: string },
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const { body: text, ...rest } = options;
    const request = httpRequest({ hostname, port, ...rest }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('error', reject);
    request.end(text);
  });
}

/** The last mail to this address, once it has come. */
async function mailTo(email: string): Promise<string> {
  const find = () =>
    mails.findLast((mail) => new RegExp(`^To:.*${email.replaceAll('+', '\\+')}`, 'im').test(mail));
  await expect.poll(find).toBeDefined();
  const mail = (find() ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  noteSecrets(/#token=([\w-]+)/.exec(mail)?.[1] ?? '');
  return mail;
}

describe('a page of another site', () => {
  const own = () => new URL(platform.url);
  /** What a browser sends along with the cookie when a page of somebody else makes it ask. */
  const foreign = (): [string, Record<string, string>][] => [
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site, of a browser without fetch metadata', { origin: 'https://evil.example' }],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a subdomain', { origin: `http://docs.${own().hostname}:${own().port}`, 'sec-fetch-site': 'same-site' }],
    ['another port', { origin: `http://${own().hostname}:1`, 'sec-fetch-site': 'same-site' }],
    ['a name that begins like ours', { origin: `http://${own().host}.evil.example` }],
    ['a page that hides its origin', { 'sec-fetch-site': 'cross-site' }],
    ['the same site, another origin', { 'sec-fetch-site': 'same-site' }],
    ['its own word against that of the browser', { origin: own().origin, 'sec-fetch-site': 'cross-site' }],
  ];
  const cookie = () => ({
    cookie: `offprint_session=${admin.session}`,
    'offprint-organization': tenant.organizationId,
  });
  const changes: [string, string, unknown][] = [
    ['POST', '/v1/projects', { name: 'Planted', source: { kind: 'upload' } }],
    ['PATCH', '/v1/organization', { name: 'Planted' }],
    ['POST', '/v1/api-keys', { name: 'planted' }],
    ['DELETE', '/v1/session', undefined],
    ['PATCH', '/v1/user', { name: 'Planted' }],
  ];

  test('cannot use the cookie of who visits it, to change or to read', async () => {
    for (const [name, headers] of foreign()) {
      for (const [method, path, body] of changes) {
        const reply = await call(platform.url, method, path, { headers: { ...cookie(), ...headers }, body });
        expect(reply.status, `${method} ${path} from ${name}`).toBe(403);
        expectError(reply, 403, 'cross_site');
      }
      for (const path of ['/v1/session', '/v1/organization', '/v1/audit-events/export']) {
        const reply = await call(platform.url, 'GET', path, { headers: { ...cookie(), ...headers } });
        expect(reply.status, `GET ${path} from ${name}`).toBe(403);
        expect(reply.text).not.toContain(admin.email);
      }
    }
    const organization = await call(platform.url, 'GET', '/v1/organization', { key: tenant.key });
    expect(organization.text).not.toContain('Planted');
    expect(await isAlive(admin.session)).toBe(true);
    const answers = await call(platform.url, 'GET', '/v1/organization', {
      headers: { ...cookie(), origin: 'https://evil.example' },
    });
    expect([...answers.headers.keys()].filter((header) => header.startsWith('access-control'))).toEqual([]);
  });

  test('cannot change anything by a request without an origin, which no browser sends', async () => {
    for (const [method, path, body] of changes) {
      const reply = await call(platform.url, method, path, { headers: cookie(), body });
      expectError(reply, 403, 'cross_site');
    }
    const typed = { ...cookie(), 'sec-fetch-site': 'none' };
    expect((await call(platform.url, 'GET', '/v1/organization', { headers: typed })).status).toBe(200);
    expectError(
      await call(platform.url, 'PATCH', '/v1/organization', { headers: typed, body: { name: 'Planted' } }),
      403,
      'cross_site',
    );
  });

  test('cannot send what a form can: no call takes its content types, whatever the origin', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
    ]) {
      for (const path of ['/v1/session', '/v1/users', '/v1/projects', '/v1/password-resets']) {
        const reply = await call(platform.url, 'POST', path, {
          headers: { ...asPerson(platform, admin.session, tenant.organizationId), 'content-type': type },
          body: JSON.stringify({ email: admin.email, password: 'x', name: 'Planted' }),
        });
        expectError(reply, 415, 'unsupported_media_type');
      }
    }
  });

  test('cannot sign its visitor in as somebody else', async () => {
    for (const [name, headers] of foreign()) {
      const reply = await signIn(admin, headers);
      expect(reply.status, name).toBe(403);
      expect(reply.headers.getSetCookie(), name).toEqual([]);
      const made = await call(platform.url, 'POST', '/v1/users', {
        headers,
        body: { email: 'planted@example.com', name: 'x', password: 'a long planted phrase' },
      });
      expectError(made, 403, 'cross_site');
    }
  });

  test('of the configured address alone counts as ours: the name in the request proves nothing', async () => {
    const session = await createSession(platform, admin.id);
    const ask = (origin: string, host: string) =>
      raw(secure, {
        method: 'PATCH',
        path: '/v1/organization',
        headers: {
          host,
          origin,
          cookie: `__Host-offprint_session=${session}`,
          'offprint-organization': tenant.organizationId,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ name: 'Of ours' }),
      });
    expect((await ask('http://evil.example', 'evil.example')).status).toBe(403);
    expect((await ask(new URL(secure).origin, new URL(secure).host)).status).toBe(403);
    expect((await ask(PUBLIC_URL.replace('https', 'http'), 'offprint.example.com')).status).toBe(403);
    expect((await ask(PUBLIC_URL, 'whatever.example')).status).toBe(200);
  });
});

describe('a session', () => {
  test('has a token that nobody knew before the sign-in, and a planted one is worth nothing', async () => {
    const planted = 'p'.repeat(43);
    const headers = { cookie: `offprint_session=${planted}`, origin: platform.url };
    const reply = await signIn(admin, headers);
    expect(reply.status).toBe(200);
    expect(tokenOf(reply)).toMatch(/^[\w-]{43}$/);
    expect(tokenOf(reply)).not.toBe(planted);
    expect(await isAlive(planted)).toBe(false);

    const before = tokenOf(reply);
    const again = await signIn(admin, { cookie: `offprint_session=${before}`, origin: platform.url });
    expect(tokenOf(again)).not.toBe(before);
    expect(await isAlive(before)).toBe(false);
    expect(await isAlive(tokenOf(again))).toBe(true);
  });

  test('is a cookie that scripts and other sites do not get; over https it is bound to host and encryption', async () => {
    const plain = (await signIn(admin)).headers.getSetCookie();
    expect(plain).toHaveLength(1);
    const attributes = (cookie: string) =>
      cookie
        .split('; ')
        .slice(1)
        .map((attribute) => attribute.replace(/^(expires|max-age)=.*/i, '$1'))
        .sort();
    expect(plain[0]).toMatch(/^offprint_session=/);
    expect(attributes(plain[0] ?? '')).toEqual(['Expires', 'HttpOnly', 'Path=/', 'SameSite=Strict']);

    const reply = await signIn(admin, { origin: PUBLIC_URL }, secure);
    expect(reply.status, reply.text).toBe(200);
    const [cookie = ''] = reply.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-offprint_session=/);
    expect(attributes(cookie)).toEqual(['Expires', 'HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure']);
    const token = tokenOf(reply);
    expect(await isAlive(token, secure)).toBe(true);
    // A cookie without the prefix can be planted by any other host of the domain.
    const bare = await call(secure, 'GET', '/v1/session', {
      headers: { cookie: `offprint_session=${token}` },
    });
    expect(bare.status).toBe(401);
    const out = await call(secure, 'DELETE', '/v1/session', {
      headers: { cookie: `__Host-offprint_session=${token}`, origin: PUBLIC_URL },
    });
    expect(out.headers.getSetCookie()[0]).toMatch(/^__Host-offprint_session=;.*Max-Age=0/);
    expect(out.headers.getSetCookie()[0]).toContain('Secure');
    expect(await isAlive(token, secure)).toBe(false);
  });

  test('ends at the server when it is signed out, and a new password ends all others', async () => {
    const person = await createPerson(platform, { withPassword: true });
    const others = [person.session, await createSession(platform, person.id)];
    const current = tokenOf(await signIn(person));
    const out = await createSession(platform, person.id);
    expect(
      (await call(platform.url, 'DELETE', '/v1/session', { headers: asPerson(platform, out) })).status,
    ).toBe(204);
    expect(await isAlive(out)).toBe(false);

    const newPassword = 'another orange lantern';
    const changed = await call(platform.url, 'PUT', '/v1/user/password', {
      headers: asPerson(platform, current),
      body: { currentPassword: person.password, newPassword },
    });
    expect(changed.status, changed.text).toBe(204);
    for (const token of others) expect(await isAlive(token)).toBe(false);
    expect(await isAlive(current)).toBe(true);
    expectError(await signIn(person), 401, 'credentials_wrong');
    expect((await signIn({ email: person.email, password: newPassword })).status).toBe(200);
  });
});

describe('a link', () => {
  test('that sets a password works once, ends every session, and its token is in no address that a server sees', async () => {
    const person = await createPerson(platform, { withPassword: true });
    const asked = await call(platform.url, 'POST', '/v1/password-resets', { body: { email: person.email } });
    expect(asked.status).toBe(202);
    const url = new URL(/https?:\/\/\S+#token=[\w-]+/.exec(await mailTo(person.email))?.[0] ?? '');
    expect(url.search).toBe('');
    const token = url.hash.replace('#token=', '');
    const set = () =>
      call(platform.url, 'PUT', '/v1/password-resets', { body: { token, password: 'a fresh long phrase' } });
    const both = await Promise.all([set(), set()]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 400]);
    expectError(await set(), 400, 'token_invalid');
    expect(await isAlive(person.session)).toBe(false);
  });

  test('of an invitation works once', async () => {
    const made = await call<{ url: string }>(platform.url, 'POST', '/v1/invitations', {
      key: tenant.key,
      body: { email: 'invited@example.com', role: 'viewer' },
    });
    expect(made.status, made.text).toBe(201);
    const url = new URL(made.body.url);
    expect(url.search).toBe('');
    const token = url.hash.replace('#token=', '');
    const person = await createPerson(platform, { email: 'invited@example.com' });
    const accept = () =>
      call(platform.url, 'POST', '/v1/invitations/accept', {
        headers: asPerson(platform, person.session),
        body: { token },
      });
    expect((await accept()).status).toBe(200);
    expectError(await accept(), 400, 'token_invalid');
    await mailTo('invited@example.com');
  });

  test('names the configured address, whatever host the request was sent to', async () => {
    const person = await createPerson(platform, { withPassword: true });
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ email: person.email });
    const reset = await raw(secure, { method: 'POST', path: '/v1/password-resets', headers, body });
    expect(reset.status).toBe(202);
    const invited = await raw(secure, {
      method: 'POST',
      path: '/v1/invitations',
      headers: { ...headers, authorization: `Bearer ${tenant.key}` },
      body: JSON.stringify({ email: 'poisoned@example.com', role: 'viewer' }),
    });
    expect(invited.status).toBe(201);
    const made = JSON.parse(invited.body) as { url: string };
    noteSecrets(new URL(made.url).hash.slice('#token='.length));
    expect(new URL(made.url).origin).toBe(PUBLIC_URL);
    for (const mail of [await mailTo(person.email), await mailTo('poisoned@example.com')]) {
      expect(mail).toContain(`${PUBLIC_URL}/`);
      expect(mail).not.toContain('evil.example');
    }
  });
});

describe('a frame, a sniffing browser, a downgrade', () => {
  test('every page and every response forbids framing, sniffing and sharing', async () => {
    const id = tenant.organizationId;
    const shown = [
      '/',
      '/sign-in',
      '/invitation',
      '/account',
      `/${id}`,
      `/${id}/keys`,
      `/${id}/projects/x`,
      '/nowhere',
    ];
    const answers = [
      '/v1/session',
      '/v1/organization',
      '/v1/sign-in-options',
      '/healthz',
      '/openapi.json',
      '/v1/x',
    ];
    for (const path of [...shown, ...answers]) {
      const { headers } = await call(platform.url, 'GET', path, { headers: { accept: 'text/html' } });
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).not.toMatch(/unsafe-|\*|data:|blob:|https?:/);
      expect(headers.get('x-frame-options'), path).toBe('DENY');
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('referrer-policy'), path).toBe('no-referrer');
      expect(headers.get('cross-origin-resource-policy'), path).toBe('same-origin');
      expect(headers.get('strict-transport-security'), path).toBeNull();
      expect(headers.get('x-powered-by') ?? headers.get('server'), path).toBeNull();
      const overTls = await call(secure, 'GET', path, { headers: { accept: 'text/html' } });
      expect(overTls.headers.get('strict-transport-security'), path).toMatch(/^max-age=31536000/);
    }
    for (const path of shown.slice(0, -1)) {
      const { headers } = await call(platform.url, 'GET', path, { headers: { accept: 'text/html' } });
      expect(headers.get('content-type'), path).toBe('text/html; charset=utf-8');
    }
  });
});

describe('guessing', () => {
  const wrong = 'not the password at all';
  /** A client of its own, behind the proxy that the platform trusts. */
  let clients = 0;
  const from = (): Record<string, string> => {
    clients += 1;
    return { 'x-forwarded-for': `198.51.${Math.floor(clients / 250)}.${(clients % 250) + 1}` };
  };
  /** Lets the time of every lock-out pass. */
  const wait = () =>
    platform.database.db
      .updateTable('sign_in_failures')
      .set({ locked_until: new Date(Date.now() - 1) })
      .execute();

  /** Lets no time of a lock-out pass, however slow the machine is. */
  const hold = () =>
    platform.database.db
      .updateTable('sign_in_failures')
      .set({ locked_until: new Date(Date.now() + 3_600_000) })
      .where('locked_until', 'is not', null)
      .execute();

  test('locks the account, from anywhere, for the right password too; afterwards it opens', async () => {
    const person = await createPerson(platform, { withPassword: true });
    const seen: number[] = [];
    for (let guess = 0; guess < 7; guess += 1) {
      seen.push((await signIn({ ...person, password: wrong }, from())).status);
      await hold();
    }
    expect(seen.slice(0, 3)).toEqual([401, 401, 401]);
    expect(seen.at(-1)).toBe(429);
    const locked = await signIn(person, from());
    expectError(locked, 429, 'too_many_sign_ins');
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(0);
    await wait();
    expect((await signIn(person, from())).status).toBe(200);
  });

  test('at many accounts locks the address, and nobody else', async () => {
    const { db } = platform.database;
    await db.deleteFrom('sign_in_failures').execute();
    const here = from();
    let nobody = 0;
    const guess = async () => {
      nobody += 1;
      const reply = await signIn({ email: `nobody-${nobody}@example.com`, password: wrong }, here);
      await hold();
      return reply.status;
    };
    expect([await guess(), await guess(), await guess()]).toEqual([401, 401, 401]);
    // Each account has one failure, the address all of them: 45 more would take a while, and say no more.
    const counted = await db
      .updateTable('sign_in_failures')
      .set({ failures: 48 })
      .where('failures', '=', 3)
      .returning('subject')
      .execute();
    expect(counted).toHaveLength(1);
    const seen = [await guess(), await guess(), await guess(), await guess()];
    expect(seen[0]).toBe(401);
    expect(seen.at(-1)).toBe(429);
    const person = await createPerson(platform, { withPassword: true });
    expectError(await signIn(person, here), 429, 'too_many_sign_ins');
    expect((await signIn(person, from())).status).toBe(200);
    await wait();
    expect((await signIn(person, here)).status).toBe(200);
  });

  test('of the current password, with a session that was stolen, is slowed down as well', async () => {
    const person = await createPerson(platform, { withPassword: true });
    let last: Reply | undefined;
    for (let guess = 0; guess < 7; guess += 1) {
      last = await call(platform.url, 'PUT', '/v1/user/password', {
        headers: asPerson(platform, person.session),
        body: { currentPassword: wrong, newPassword: 'another orange lantern' },
      });
      await hold();
    }
    expect(last?.status).toBe(429);
    // Its owner still gets in elsewhere.
    expect((await signIn(person, from())).status).toBe(200);
  });

  test('does not reveal accounts: a wrong password and an unknown email address get the same response, and so do resets', async () => {
    const person = await createPerson(platform, { withPassword: true });
    const outsider = await createPerson(platform);
    const bare = (reply: Reply) => ({
      status: reply.status,
      text: reply.text.replaceAll(reply.headers.get('x-request-id') ?? '-', 'req'),
      // What remains of a limit grows with time, so it depends on the load of the machine.
      headers: [...reply.headers].filter(([name]) => !/^(?:date|x-request-id|ratelimit)$/.test(name)),
    });
    const known = bare(await signIn({ ...person, password: wrong }, from()));
    expect(known.status).toBe(401);
    expect(bare(await signIn({ email: 'nobody@example.com', password: wrong }, from()))).toEqual(known);
    expect(bare(await signIn({ ...outsider, password: wrong }, from()))).toEqual(known);
    const reset = (email: string) =>
      call(platform.url, 'POST', '/v1/password-resets', { body: { email }, headers: from() });
    expect(bare(await reset(person.email))).toEqual(bare(await reset('nobody@example.com')));
    await mailTo(person.email);
  });
});

describe('names and addresses', () => {
  test('cannot add a header or a receiver to a mail', async () => {
    const crafted = [
      'victim@example.com\r\nBcc: everybody@example.com',
      'victim@example.com\nBcc: everybody@example.com',
      'victim@example.com, everybody@example.com',
      '"victim@example.com\r\nBcc: everybody"@example.com',
      'Everybody <everybody@example.com>, victim@example.com',
    ];
    for (const email of crafted) {
      const reset = await call(platform.url, 'POST', '/v1/password-resets', { body: { email } });
      expectError(reset, 400, 'invalid_request');
      const body = { email, role: 'viewer' };
      expectError(
        await call(platform.url, 'POST', '/v1/invitations', { key: tenant.key, body }),
        400,
        'invalid_request',
      );
    }
    const lines = [
      'Acme\r\nBcc: everybody@example.com',
      'Acme\u0000',
      'Acme\u0085Bcc: everybody@example.com',
    ];
    for (const name of lines) {
      const renamed = await call(platform.url, 'PATCH', '/v1/organization', {
        key: tenant.key,
        body: { name },
      });
      expectError(renamed, 400, 'invalid_request');
      const user = await call(platform.url, 'PATCH', '/v1/user', {
        headers: asPerson(platform, admin.session),
        body: { name },
      });
      expectError(user, 400, 'invalid_request');
    }
    // Special characters of a name appear as text in the mail: encoded in its headers.
    const name = 'Acme <b>"& Söhne", https://evil.example/?=?utf-8?q?x?=';
    const renamed = await call(platform.url, 'PATCH', '/v1/organization', {
      key: tenant.key,
      body: { name },
    });
    expect(renamed.status, renamed.text).toBe(200);
    const invited = await call(platform.url, 'POST', '/v1/invitations', {
      key: tenant.key,
      body: { email: 'named@example.com', role: 'viewer' },
    });
    expect(invited.status).toBe(201);
    const head = (await mailTo('named@example.com')).split('\r\n\r\n')[0] ?? '';
    const names = head.split(/\r\n(?![ \t])/).map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    expect(names.filter((header) => /^(?:bcc|cc|reply-to)$/.test(header))).toEqual([]);
    expect(names.filter((header) => header === 'to')).toHaveLength(1);
    expect(head).toMatch(/^To: <?named@example\.com>?$/m);
    expect(mails.some((mail) => /everybody@example\.com/.test(mail))).toBe(false);
  });
});
