/**
 * OAuth of MCP clients at a restricted site below a base path: a platform, a site server, the login of a team, the official
 * client and a browser. Readers of the group `admin` get a page that others do not. OFFPRINT_SCREENSHOTS names a folder for
 * pictures.
 */
import { createHash, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { pino } from 'pino';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findServedSite } from '../../apps/server/src/deployments/service.ts';
import { deriveKey } from '../../apps/server/src/platform/secret.ts';
import { createSignIn } from '../../apps/server/src/readers/sign-in.ts';
import { type Answer, ask } from '../../apps/site/test/support/reader.ts';
import { seriousFindings } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';
import { type SiteProcess, startSiteProcess } from '../support/site-process.ts';
import { createCaller, makeFolder } from './api.ts';

const TOKEN = 'hosting-token-of-this-test-0123456789abcdef';
const HOST = 'docs.example.com';
const ORIGIN = `https://${HOST}`;
const ISSUER = `${ORIGIN}/docs`;
const OAUTH = '/docs/_offprint/oauth';
const LOCAL = 'http://127.0.0.1:4040/callback';
const SECRET = 'madagascarsecret';
const HANG_MS = 60_000;
const SCREENSHOTS = process.env.OFFPRINT_SCREENSHOTS;

let platform: TestPlatform;
let tenant: Tenant;
/** Behind a proxy that ends TLS, and without one. */
let site: SiteProcess;
let plain: SiteProcess;
let browser: Browser;
let team: Server;
let teamUrl: string;
let dirs: string[];
let projectId: string;
let privateKey: string;
let requests = 0;

const files: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Docs',
    colors: { primary: '#3050a0' },
    navigation: { groups: [{ group: 'Start', pages: ['index', 'admin'] }] },
  }),
  'index.mdx': '---\ntitle: Home\n---\n\nHello readers.\n',
  'admin.mdx': `---\ntitle: Admin\ngroups: ["admin"]\n---\n\n${SECRET} is here.\n`,
};

const api = createCaller(() => ({ url: platform.url, key: tenant.key }));

const setAccess = (production: Record<string, unknown>) =>
  api(200, 'PUT', `/v1/projects/${projectId}/access`, { body: { production } });

const request = (
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> => {
  requests += 1;
  // of many readers, so that the limits of one do not count
  const address = `192.0.2.${requests % 250}`;
  return ask(site.port, path, {
    method,
    headers: { host: HOST, 'x-forwarded-for': address, ...headers },
    ...(body === undefined ? {} : { body }),
  });
};

const json = ({ content }: Answer) => JSON.parse(content.toString());

async function until(isReached: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + HANG_MS;
  while (!(await isReached())) {
    if (performance.now() > deadline) throw new Error(`not reached\n${site.log().slice(-2_000)}`);
    await sleep(50);
  }
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of the login of the team. */
function loginToken(claims: Record<string, unknown>): string {
  const exp = Math.floor(Date.now() / 1000) + 10;
  const text = `${encode({ alg: 'EdDSA' })}.${encode({ host: HOST, exp, jti: randomBytes(8).toString('hex'), ...claims })}`;
  return `${text}.${sign(null, Buffer.from(text), createPrivateKey(privateKey)).toString('base64url')}`;
}

const form = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  body: new URLSearchParams(fields).toString(),
});

/** The cookie of a reader. */
async function signIn(claims: Record<string, unknown>): Promise<string> {
  const answer = await request(
    'POST',
    '/docs/login/jwt-callback',
    form({ token: loginToken(claims), redirect: '/docs/' }, { origin: ORIGIN }),
  );
  expect(answer.status, answer.content.toString()).toBe(303);
  const cookie = [answer.headers['set-cookie'] ?? []]
    .flat()
    .find((line) => line.includes('offprint_reader='));
  const value = cookie?.split(';')[0] ?? '';
  noteSecrets(value);
  return value;
}

async function register(body: object = { client_name: 'Editor', redirect_uris: [LOCAL] }): Promise<string> {
  const answer = await request('POST', `${OAUTH}/register`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status, answer.content.toString()).toBe(201);
  return json(answer).client_id;
}

const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

function authorizePath(clientId: string, changes: Record<string, string | null> = {}): string {
  const params = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: LOCAL,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 's t&a=te',
    resource: `${ISSUER}/mcp`,
  });
  for (const [name, value] of Object.entries(changes))
    if (value === null) params.delete(name);
    else params.set(name, value);
  return `${OAUTH}/authorize?${params}`;
}

/** What the form of the consent page returns. */
async function consentOf(cookie: string, path: string): Promise<string> {
  const answer = await request('GET', path, { headers: { cookie } });
  expect(answer.status, answer.content.toString()).toBe(200);
  const [, value = ''] = /name="request" value="([\w-]+)"/.exec(answer.content.toString()) ?? [];
  return value;
}

const decide = (cookie: string, consent: string, decision = 'allow', headers: Record<string, string> = {}) =>
  request(
    'POST',
    `${OAUTH}/authorize`,
    form({ request: consent, decision }, { cookie, origin: ORIGIN, ...headers }),
  );

/** Where the browser of a reader is sent who allows it. */
async function allow(cookie: string, path: string): Promise<URL> {
  const answer = await decide(cookie, await consentOf(cookie, path));
  expect(answer.status, answer.content.toString()).toBe(303);
  return new URL(answer.headers.location ?? '');
}

const exchange = (code: string, clientId: string, changes: Record<string, string> = {}) =>
  request(
    'POST',
    `${OAUTH}/token`,
    form({
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: LOCAL,
      code_verifier: verifier,
      resource: `${ISSUER}/mcp`,
      ...changes,
    }),
  );

async function tokenOf(cookie: string): Promise<string> {
  const id = await register();
  const code = (await allow(cookie, authorizePath(id))).searchParams.get('code') ?? '';
  const answer = await exchange(code, id);
  expect(answer.status, answer.content.toString()).toBe(200);
  noteSecrets(json(answer).access_token);
  return json(answer).access_token;
}

/** A call of the tool `search`, with these headers. */
const search = (headers: Record<string, string>, query = SECRET) =>
  request('POST', '/docs/mcp', {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search', arguments: { query } },
    }),
  });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

beforeAll(async () => {
  dirs = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'offprint-oauth-'))));
  browser = await launchBrowser();
  // the login of the team, and the program that waits for the code
  team = createServer((asked, response) => {
    const { pathname, searchParams } = new URL(asked.url ?? '/', teamUrl);
    if (pathname !== '/login') return void response.end(`<title>Done</title>${pathname}`);
    const next = encodeURIComponent(searchParams.get('redirect') ?? '');
    const location = `http://${HOST}/docs/login/jwt-callback?redirect=${next}#${loginToken({ groups: ['admin'] })}`;
    response.writeHead(302, { location }).end();
  });
  await new Promise<void>((resolve) => team.listen(0, '127.0.0.1', resolve));
  const bound = team.address();
  teamUrl = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : bound}`;
  platform = await startTestPlatform({
    env: {
      OFFPRINT_HOSTING_TOKEN: TOKEN,
      OFFPRINT_DOMAIN_VERIFICATION: 'off',
      OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    },
  });
  tenant = await platform.createTenant();
  const [dir = '', other = ''] = dirs;
  const common = { url: platform.url, token: TOKEN };
  const env = { OFFPRINT_SITE_HTTPS: 'true', OFFPRINT_SITE_TRUSTED_PROXIES: '127.0.0.1' };
  site = await startSiteProcess({ ...common, dir, env });
  plain = await startSiteProcess({ ...common, dir: other });
  const source = { kind: 'folder', path: await makeFolder(files) };
  const made = await api<{ id: string }>(201, 'POST', '/v1/projects', {
    body: { name: 'Docs', domains: [HOST], basePath: '/docs', source },
  });
  projectId = made.id;
  await api(201, 'POST', `/v1/projects/${projectId}/domains`, { body: { domain: HOST } });
  const loginUrls = [{ name: 'Team', url: `${teamUrl}/login` }];
  await setAccess({ kind: 'token', token: { loginUrls, issuer: null, audience: null } });
  const key = await api<{ privateKey: string }>(201, 'POST', `/v1/projects/${projectId}/access/token-key`, {
    body: { site: 'production' },
  });
  privateKey = key.privateKey;
  noteSecrets(privateKey.split('\n')[1] ?? '');
  await api(202, 'POST', `/v1/project/update/${projectId}`);
  await until(async () => (await request('GET', '/docs/')).status === 401);
  const cookie = await signIn({ groups: ['admin'] });
  // the release for the group is rendered after the sign-in
  await until(async () => (await request('GET', '/docs/admin', { headers: { cookie } })).status === 200);
}, 300_000);

afterAll(async () => {
  await site?.stop();
  await plain?.stop();
  await browser?.close();
  await platform?.stop();
  team?.close();
  for (const dir of dirs) await rm(dir, { recursive: true, force: true });
});

/** What an application stores. */
class Application implements OAuthClientProvider {
  readonly redirectUrl = LOCAL;
  readonly clientMetadata = { client_name: 'Official client', redirect_uris: [LOCAL] };
  asked: URL | null = null;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  state = () => 'state-of-the-application';
  clientInformation = () => this.#client;
  tokens = () => this.#tokens;
  codeVerifier = () => this.#verifier;
  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }
  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }
  saveCodeVerifier(text: string): void {
    this.#verifier = text;
  }
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
}

const fetchAtSite: typeof fetch = async (input, init) => {
  const { pathname, search: query, origin } = new URL(String(input));
  expect(origin).toBe(ORIGIN);
  const body = init?.body == null ? undefined : String(init.body);
  const headers = Object.fromEntries(new Headers(init?.headers));
  if (init?.body instanceof URLSearchParams) headers['content-type'] = 'application/x-www-form-urlencoded';
  const answer = await request(init?.method ?? 'GET', pathname + query, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const sent = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response(answer.content.length === 0 ? null : answer.content.toString(), {
    status: answer.status,
    headers: sent,
  });
};

test('the official client finds the authorization, and reads what its reader may read', async () => {
  const found: Record<string, string> = {};
  for (const groups of [['admin'], []]) {
    const application = new Application();
    const options = { fetch: fetchAtSite, authProvider: application };
    const url = new URL(`${ISSUER}/mcp`);
    const transport = new StreamableHTTPClientTransport(url, options);
    await expect(new Client({ name: 'test', version: '1' }).connect(transport)).rejects.toThrow();
    const asked = application.asked ?? new URL('http://nowhere.invalid');
    expect(asked.origin + asked.pathname).toBe(`${ISSUER}/_offprint/oauth/authorize`);
    const callback = await allow(await signIn({ groups }), asked.pathname + asked.search);
    expect(callback.searchParams.get('state')).toBe('state-of-the-application');
    await transport.finishAuth(callback.searchParams);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(url, options));
    const read = await client.callTool({ name: 'read', arguments: { path: '/docs/admin' } });
    const hits = await client.callTool({ name: 'search', arguments: { query: 'admin' } });
    found[groups.join()] = JSON.stringify([read.content, hits.content]);
    await client.close();
  }
  expect(found.admin).toContain(SECRET);
  expect(found.admin).toContain('/docs/admin');
  expect(found['']).not.toContain(SECRET);
  expect(found['']).not.toContain(`${ISSUER}/admin`);
});

test('in a browser: the login of the team, the consent page in both themes, and back to the program', async () => {
  const proxy = { server: `http://127.0.0.1:${plain.port}`, bypass: '127.0.0.1' };
  const context = await browser.newContext({ proxy });
  const page = await context.newPage();
  const redirect = `${teamUrl}/callback?x=1`;
  const id = await register({ client_name: '<b>Editor</b>', redirect_uris: [redirect] });
  const path = authorizePath(id, { redirect_uri: redirect, resource: `http://${HOST}/docs/mcp` });
  await page.goto(`http://${HOST}${path}`);
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  expect(await page.locator('main').innerText()).toContain('<b>Editor</b>');
  expect(await page.locator('main').innerText()).toContain(new URL(teamUrl).host);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([width, overflow]).toEqual([width, 0]);
      expect(await seriousFindings(page), `${colorScheme} ${width}`).toEqual([]);
      if (SCREENSHOTS === undefined) continue;
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `consent-${colorScheme}-${width}.png`) });
    }
  // by keyboard
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${redirect}&**`);
  const answer = new URL(page.url()).searchParams;
  expect([answer.get('state'), answer.get('iss')]).toEqual(['s t&a=te', `http://${HOST}/docs`]);
  expect(answer.get('code')).toMatch(/^[\w-]{40,}$/);
  await page.goto(`http://${HOST}${path}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForURL(`${redirect}&**`);
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  await context.close();
});

test('a request that is not valid ends on a page of the site, and never at the redirect URI', async () => {
  const cookie = await signIn({});
  const id = await register();
  const bad: Record<string, string | null>[] = [
    { client_id: 'x' },
    { client_id: null },
    { redirect_uri: 'https://evil.example/' },
    { redirect_uri: null },
    { redirect_uri: 'http://127.0.0.1:4040/other' },
    { response_type: 'token' },
    { code_challenge: null },
    { code_challenge: 'a' },
    { code_challenge_method: 'plain' },
    { code_challenge_method: null },
    { resource: 'https://other.example.com/docs/mcp' },
    { resource: ISSUER },
    { state: 'a'.repeat(1_001) },
    { scope: 'a'.repeat(2_000) },
  ];
  for (const changes of bad) {
    const answer = await request('GET', authorizePath(id, changes), { headers: { cookie } });
    expect([answer.status, answer.headers.location], JSON.stringify(changes)).toEqual([400, undefined]);
  }
  const twice = await request('GET', `${authorizePath(id)}&redirect_uri=https://evil.example/`, {
    headers: { cookie },
  });
  expect(twice.status).toBe(400);
  // a stranger signs in at this site, and returns to it
  const stranger = await request('GET', authorizePath(id));
  expect([stranger.status, stranger.headers.location]).toEqual([
    302,
    `/docs/login?next=${encodeURIComponent(authorizePath(id))}`,
  ]);
});

test('a registration is refused if it is large, of another type or for other URIs, and too many of one address', async () => {
  const post = (body: string, type = 'application/json', address = '198.51.100.1') =>
    request('POST', `${OAUTH}/register`, {
      headers: { 'content-type': type, 'x-forwarded-for': address },
      body,
    });
  const valid = JSON.stringify({ redirect_uris: [LOCAL] });
  expect((await post(valid)).status).toBe(201);
  expect((await post(`${' '.repeat(40_000)}${valid}`)).status).toBe(413);
  expect((await post(valid, 'text/plain')).status).toBe(413);
  expect((await post(valid, 'application/x-www-form-urlencoded')).status).toBe(413);
  const evil = await post(JSON.stringify({ redirect_uris: ['javascript:alert(1)'] }));
  expect([evil.status, json(evil).error]).toEqual([400, 'invalid_redirect_uri']);
  expect((await request('GET', `${OAUTH}/register`)).status).toBe(405);
  const many = new Set<number>();
  for (let at = 0; at < 70; at++) many.add((await post(valid, undefined, '198.51.100.2')).status);
  expect(many).toEqual(new Set([201, 429]));
});

test('consent needs the form of the same reader, from this site', async () => {
  const [ada, eve] = [await signIn({ sub: 'ada' }), await signIn({ sub: 'eve' })];
  const id = await register();
  const page = await request('GET', authorizePath(id), { headers: { cookie: ada } });
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(page.headers['cache-control']).toBe('private, no-store');
  const [own, foreign] = [await consentOf(ada, authorizePath(id)), await consentOf(eve, authorizePath(id))];
  const refused: [string, Promise<Answer>][] = [
    ['of another reader', decide(ada, foreign)],
    ['without a request', decide(ada, '')],
    ['changed', decide(ada, `${own.slice(0, -4)}AAAA`)],
    ['without a session', decide('', own)],
    ['of another site', decide(ada, own, 'allow', { origin: 'https://evil.example' })],
    ['of a sandboxed frame', decide(ada, own, 'allow', { origin: 'null' })],
    ['cross-site', decide(ada, own, 'allow', { 'sec-fetch-site': 'cross-site' })],
    ['with an access token', decide('', own, 'allow', bearer(await tokenOf(ada)))],
  ];
  for (const [label, answer] of refused) {
    const { status, headers } = await answer;
    expect([label, status, headers.location]).toEqual([label, 403, undefined]);
  }
  const silent = await request('GET', `${authorizePath(id)}&prompt=none&decision=allow`, {
    headers: { cookie: ada },
  });
  expect([silent.status, silent.headers.location]).toEqual([200, undefined]);
  const denied = new URL((await decide(ada, own, 'deny')).headers.location ?? '');
  expect(denied.origin + denied.pathname).toBe(LOCAL);
  expect(Object.fromEntries(denied.searchParams)).toEqual({
    error: 'access_denied',
    state: 's t&a=te',
    iss: ISSUER,
  });
});

test('a code is for one client, redirect URI and verifier, and for one use', async () => {
  const cookie = await signIn({});
  const [id, other] = [await register(), await register({ redirect_uris: [LOCAL] })];
  const code = (await allow(cookie, authorizePath(id))).searchParams.get('code') ?? '';
  const wrong: [string, string, Promise<Answer>][] = [
    ['verifier', 'invalid_grant', exchange(code, id, { code_verifier: 'a'.repeat(43) })],
    ['challenge as verifier', 'invalid_grant', exchange(code, id, { code_verifier: challenge })],
    ['client', 'invalid_grant', exchange(code, other)],
    ['unknown client', 'invalid_client', exchange(code, 'x')],
    ['redirect URI', 'invalid_grant', exchange(code, id, { redirect_uri: 'http://127.0.0.1:4041/callback' })],
    ['resource', 'invalid_target', exchange(code, id, { resource: 'https://other.example.com/mcp' })],
    ['grant', 'unsupported_grant_type', exchange(code, id, { grant_type: 'refresh_token' })],
    ['changed code', 'invalid_grant', exchange(`${code.slice(0, -4)}AAAA`, id)],
    ['id as code', 'invalid_grant', exchange(id, id)],
  ];
  for (const [label, error, answer] of wrong)
    expect([label, json(await answer).error]).toEqual([label, error]);
  const uses = await Promise.all([1, 2, 3, 4].map(() => exchange(code, id)));
  expect(uses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  const respelled = `${code}${'='}`;
  expect((await exchange(respelled, id)).status).toBe(400);
  const [used] = uses.filter(({ status }) => status === 200);
  expect(used?.headers['cache-control']).toBe('private, no-store');
  expect(used === undefined ? null : json(used)).toMatchObject({ token_type: 'Bearer', expires_in: 3_600 });
});

test('a code ends after a minute, the question after ten, and both with the session', async () => {
  const { db } = platform.database;
  let later = 0;
  /** Another API process, whose clock is ahead. */
  const respond = createSignIn({
    db,
    log: pino({ level: 'silent' }),
    key: deriveKey(platform.secret, 'readers'),
    findSite: (host) => findServedSite({ db, previewDomain: null }, host),
    providers: () => undefined,
    onNewGroups: async () => {},
    publicUrl: () => platform.url,
    rates: null,
    now: () => Date.now() + later * 1000,
  });
  const cookie = await signIn({ expiresAt: Math.floor(Date.now() / 1000) + 1_200 });
  const send = async (seconds: number, name: string, fields: Record<string, string> = {}, query = '') => {
    later = seconds;
    const method = Object.keys(fields).length === 0 ? 'GET' : 'POST';
    const headers = { host: HOST, cookie, 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    const body = new URLSearchParams(fields).toString();
    return respond({ host: HOST, method, path: `${OAUTH}/${name}`, query, headers, body });
  };
  const id = await register();
  const path = authorizePath(id);
  const consent = { request: await consentOf(cookie, path), decision: 'allow' };
  expect((await send(595, 'authorize', consent)).status).toBe(303);
  expect((await send(600, 'authorize', consent)).status).toBe(403);
  const [, query = ''] = path.split('?');
  expect((await send(1_195, 'authorize', {}, query)).status).toBe(200);
  expect(await send(1_200, 'authorize', {}, query)).toMatchObject({ status: 302 });
  const code = async () => ({
    grant_type: 'authorization_code',
    code: (await allow(cookie, path)).searchParams.get('code') ?? '',
    client_id: id,
    redirect_uri: LOCAL,
    code_verifier: verifier,
  });
  const old = await send(60, 'token', await code());
  expect([old.status, JSON.parse(old.body).error]).toEqual([400, 'invalid_grant']);
  const young = await send(50, 'token', await code());
  expect(young.status).toBe(200);
  // what is left of the session
  expect(JSON.parse(young.body).expires_in).toBeGreaterThan(1_100);
  expect(JSON.parse(young.body).expires_in).toBeLessThanOrEqual(1_150);
});

test('a token opens /mcp and nothing else, and is not valid as a cookie, nor a cookie as a token', async () => {
  const cookie = await signIn({ groups: ['admin'] });
  const token = await tokenOf(cookie);
  expect((await search(bearer(token))).content.toString()).toContain('/docs/admin');
  for (const path of [
    '/docs/',
    '/docs/admin',
    '/docs/admin.md',
    '/docs/llms.txt',
    '/docs/_offprint/search?q=a',
  ])
    expect([path, (await request('GET', path, { headers: bearer(token) })).status]).toEqual([path, 401]);
  const known = await request('GET', '/docs/_offprint/reader.json', { headers: bearer(token) });
  expect(json(known)).toMatchObject({ signedIn: false });
  expect((await search({ cookie: `__Host-offprint_reader=${token}` })).status).toBe(401);
  const [, value = ''] = cookie.split('=');
  expect((await search(bearer(value))).status).toBe(401);
  // a token that is not valid is not replaced by the cookie
  const invalid = await search({ cookie, ...bearer('x') });
  expect([invalid.status, invalid.headers['www-authenticate']]).toEqual([
    401,
    `Bearer resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp", error="invalid_token"`,
  ]);
});

test('a token ends with the session, and when the readers are signed out', async () => {
  const short = await signIn({ expiresAt: Math.floor(Date.now() / 1000) + 4 });
  const token = await tokenOf(short);
  expect((await search(bearer(token))).status).toBe(200);
  await until(async () => (await search(bearer(token))).status === 401);
  const cookie = await signIn({});
  const long = await tokenOf(cookie);
  const id = await register();
  const code = (await allow(cookie, authorizePath(id))).searchParams.get('code') ?? '';
  expect((await search(bearer(long))).status).toBe(200);
  await api(204, 'POST', `/v1/projects/${projectId}/access/sign-out`, { body: { site: 'production' } });
  await until(async () => (await search(bearer(long))).status === 401);
  expect(json(await exchange(code, id))).toMatchObject({ error: 'invalid_grant' });
  // registrations are not sessions
  expect((await request('GET', authorizePath(id))).status).toBe(302);
});

test('the sign-in with a password leads back to the consent page', async () => {
  const password = 'gravel lantern otter nine';
  await setAccess({ kind: 'password', password });
  const id = await register();
  const target = authorizePath(id);
  const done = await request('POST', '/docs/login', form({ password, next: target }, { origin: ORIGIN }));
  expect([done.status, done.headers.location]).toEqual([303, target]);
  const cookie = [done.headers['set-cookie'] ?? []].flat().find((line) => line.includes('offprint_reader='));
  await until(async () => (await search({ cookie: cookie ?? '' })).status === 200);
  const token = await tokenOf(cookie ?? '');
  expect((await search(bearer(token))).status).toBe(200);
  await setAccess({ kind: 'password', password: 'another gravel lantern otter' });
  await until(async () => (await search(bearer(token))).status === 401);
});

test('a public site has none of it', async () => {
  await setAccess({ kind: 'public' });
  await until(async () => (await search({})).status === 200);
  for (const path of [
    '/.well-known/oauth-protected-resource/docs/mcp',
    '/docs/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server/docs',
    `${OAUTH}/authorize`,
  ])
    expect([path, (await request('GET', path)).status]).toEqual([path, 404]);
  expect((await request('POST', `${OAUTH}/token`, form({}))).status).toBe(405);
});
