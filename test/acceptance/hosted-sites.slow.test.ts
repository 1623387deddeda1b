/**
 * From a folder to a served site: a platform, its worker, the site server as a process, a browser, and Pebble. Update,
 * edit, rollback, previews of branches, restricted readers, https.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as secureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask } from '../../apps/site/test/support/reader.ts';
import { launchBrowser } from '../support/browser.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { freePort } from '../support/free-port.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { type Pebble, pebbleProgram, startPebble } from '../support/pebble.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';
import { missing } from '../support/system-program.ts';
import { createCaller, makeFolder, siteFiles } from './api.ts';

const SITE = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));
const TOKEN = 'hosting-token-of-this-test-0123456789abcdef';
const PREVIEWS = 'previews.example.net';
const PASSWORD = 'gravel lantern otter nine';
const CANARY = 'zanzibarcanary';
const HOST = 'docs.example.com';
const HANG_MS = 120_000;

let dns: DnsServer;
let pebble: Pebble | null = null;
let platform: TestPlatform;
let tenant: Tenant;
let git: GitServer;
let browser: Browser;
let site: { child: ChildProcess; port: number; tlsPort: number; management: number; log(): string };
let dir: string;
let folder: string;
let projectId: string;

const api = createCaller(() => ({ url: platform.url, key: tenant.key }));

const get = (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  ask(site.port, path, { method, headers: { host, ...headers } });

/** Asks until the result is as wanted. */
async function until<Result>(
  read: () => Promise<Result>,
  isWanted: (result: Result) => boolean,
): Promise<Result> {
  const deadline = performance.now() + HANG_MS;
  for (;;) {
    const result = await read();
    if (isWanted(result)) return result;
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(result)}`);
    await sleep(20);
  }
}

const servedText = (host: string, text: string, path = '/', headers: Record<string, string> = {}) =>
  until(
    () => get(host, path, headers),
    ({ status, content }) => status === 200 && content.includes(text),
  );

/** Requests an update and waits until its text is served; prints how long each part took. */
async function update(name: string, text: string): Promise<string> {
  const start = performance.now();
  const since = () => Math.round(performance.now() - start);
  const { statusId } = await api<{ statusId: string }>(202, 'POST', `/v1/project/update/${projectId}`);
  const accepted = since();
  const served = servedText(HOST, text).then(since);
  const status = () =>
    api<{ status: string; error: string | null }>(200, 'GET', `/v1/project/update-status/${statusId}`);
  const ended = await until(status, (now) => now.status === 'success' || now.status === 'failure');
  expect(ended.status, ended.error ?? '').toBe('success');
  const live = since();
  console.info(`${name}: accepted after ${accepted} ms, live ${live} ms, served ${await served} ms`);
  return statusId;
}

const setAccess = (production: Record<string, unknown>) =>
  api(200, 'PUT', `/v1/projects/${projectId}/access`, { body: { production } });

async function startSite(ports: { http: number; tls: number }): Promise<typeof site> {
  const child = spawn(process.execPath, [SITE], {
    env: {
      PATH: process.env.PATH ?? '',
      OFFPRINT_URL: platform.url,
      OFFPRINT_HOSTING_TOKEN: TOKEN,
      OFFPRINT_SITE_DIR: dir,
      OFFPRINT_SITE_PORT: String(ports.http),
      OFFPRINT_SITE_TLS_PORT: String(ports.tls),
      OFFPRINT_SITE_MANAGEMENT_PORT: '0',
      OFFPRINT_SITE_ACCESS_LOG: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  for (;;) {
    const line = log.split('\n').find((one) => one.includes('"message":"listening"'));
    if (line !== undefined) {
      const { port, tlsPort, managementPort: management } = JSON.parse(line);
      return { child, port, tlsPort, management, log: () => log };
    }
    if (child.exitCode !== null) throw new Error(log);
    await sleep(20);
  }
}

/** A browser whose requests to any host reach the site server, which reads them as a proxy would send them. */
const openBrowser = (): Promise<BrowserContext> =>
  browser.newContext({ proxy: { server: `http://127.0.0.1:${site.port}` } });

const pages = (text: string): Record<string, string> => ({
  ...siteFiles(2),
  'index.mdx': `---\ntitle: Home ${text}\nrss: true\n---\n\nWelcome to ${text}.\n\n<Update label="May">\n${text}\n</Update>\n`,
});

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'offprint-hosted-'));
  dns = await startDnsServer();
  if (pebbleProgram !== null) pebble = await startPebble({ dnsServer: dns.address });
  git = await startGitServer();
  browser = await launchBrowser();
  platform = await startTestPlatform({
    env: {
      OFFPRINT_HOSTING_TOKEN: TOKEN,
      OFFPRINT_PREVIEW_DOMAIN: PREVIEWS,
      OFFPRINT_DOMAIN_VERIFICATION: 'off',
      OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      OFFPRINT_ALLOW_HTTP_GIT_HOSTS: '127.0.0.1',
      OFFPRINT_DNS_SERVERS: dns.address,
      ...(pebble === null
        ? {}
        : { OFFPRINT_ACME_DIRECTORY: pebble.directory, OFFPRINT_ACME_CA_FILE: pebble.caFile }),
    },
  });
  platform.start(['worker']);
  tenant = await platform.createTenant();
  site = await startSite({
    http: pebble?.httpPort ?? (await freePort()),
    tls: pebble?.tlsPort ?? (await freePort()),
  });
}, 300_000);

afterAll(async () => {
  if (site !== undefined) {
    const exited = once(site.child, 'exit');
    site.child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(site.log()).not.toContain(TOKEN);
    expect(site.log()).not.toContain(PASSWORD);
  }
  await browser?.close();
  await platform?.stop();
  await pebble?.stop();
  await git?.close();
  await dns?.close();
  await rm(dir, { recursive: true, force: true });
});

describe('a project with a folder', () => {
  let first: string;

  test('is served on its domain after the first update', async () => {
    folder = await makeFolder(pages(`${CANARY} one`));
    const made = await api<{ id: string }>(201, 'POST', '/v1/projects', {
      body: { name: 'Docs', domains: [HOST], source: { kind: 'folder', path: folder } },
    });
    projectId = made.id;
    await api(201, 'POST', `/v1/projects/${projectId}/domains`, { body: { domain: HOST } });
    expect((await get(HOST, '/')).status).toBe(404);
    first = await update('first update', `${CANARY} one`);
    const context = await openBrowser();
    const page = await context.newPage();
    await page.goto(`http://${HOST}/`);
    await page.getByRole('heading', { name: `Home ${CANARY} one` }).waitFor();
    await context.close();
  });

  test('serves an edit after the next update, and the first deployment again after its promotion', async () => {
    await writeFile(join(folder, 'index.mdx'), pages(`${CANARY} two`)['index.mdx'] ?? '');
    await update('update after an edit', `${CANARY} two`);
    const start = performance.now();
    await api(200, 'POST', `/v1/projects/${projectId}/deployments/${first}/promote`);
    await servedText(HOST, `${CANARY} one`);
    console.info(`rollback: served ${Math.round(performance.now() - start)} ms after the request`);
  });
});

describe('the preview of a branch', () => {
  test('has its own host, is not indexed, and is for members', async () => {
    const branch = 'refs/heads/new-words';
    const entries = Object.entries(pages(`${CANARY} branch`)).map(([path, content]) => ({ path, content }));
    const head = await git.commit('docs.git', entries);
    await git.commit('docs.git', entries, { ref: branch, parent: head });
    const source = { kind: 'git', repository: `${git.url}/docs.git` };
    const made = await api<{ id: string }>(201, 'POST', '/v1/projects', {
      body: { name: 'Git', domains: ['git.example.com'], source },
    });
    const { previewUrl } = await api<{ previewUrl: string }>(202, 'POST', `/v1/project/preview/${made.id}`, {
      body: { branch: 'new-words' },
    });
    const { host } = new URL(previewUrl);
    expect(host).toMatch(new RegExp(`^new-words-[a-z0-9]{12}\\.${PREVIEWS}$`));
    const closed = await until(
      () => get(host, '/'),
      ({ status }) => status === 401,
    );
    expect(closed.headers['x-robots-tag']).toBe('noindex');
    expect((await get(host, '/robots.txt')).content.toString()).toBe('User-agent: *\nDisallow: /\n');
    const login = await get(host, '/login');
    expect(login.status).toBe(302);
    expect(login.headers.location).toMatch(new RegExp(`^${platform.url}/`));
    await api(200, 'PUT', `/v1/projects/${made.id}/access`, { body: { preview: { kind: 'public' } } });
    const open = await servedText(host, `${CANARY} branch`);
    expect(open.headers['x-robots-tag']).toBe('noindex');
  });
});

describe('restricted readers', () => {
  /** URLs of everything that a site consists of. */
  async function resources(): Promise<string[]> {
    const home = await get(HOST, '/');
    const assets = [...home.content.toString().matchAll(/(?:href|src)="(\/?_offprint\/[^"?#]+)/g)].map(
      ([, path = '']) => `/${path.replace(/^\//, '')}`,
    );
    const known = ['/', '/index.md', '/guide/page-0', '/guide/page-0.md', '/llms.txt', '/llms-full.txt'];
    known.push(
      '/sitemap.xml',
      '/rss.xml',
      '/404.html',
      '/nothing',
      '/robots.txt',
      '/_offprint/search/index.json',
    );
    return [...new Set([...known, ...assets])];
  }

  const isClosed = ({ status }: Answer) => status === 401;

  async function expectNothing(paths: readonly string[], cookie?: string): Promise<void> {
    const sent = cookie === undefined ? {} : { cookie };
    const variants = [{}, { accept: 'text/markdown' }, { range: 'bytes=0-99' }, { 'if-none-match': '*' }];
    for (const path of paths)
      for (const headers of variants)
        for (const method of ['GET', 'HEAD']) {
          const answer = await get(HOST, path, { ...headers, ...sent }, method);
          expect([path, answer.status]).toEqual([path, 401]);
          expect(`${answer.content}${JSON.stringify(answer.headers)}`).not.toContain(CANARY);
          expect(answer.headers['cache-control']).toBe('private, no-store');
        }
  }

  test('read with the password of the site, in a browser, and nothing without it', async () => {
    const paths = await resources();
    let canaries = 0;
    for (const path of paths) if ((await get(HOST, path)).content.includes(CANARY)) canaries += 1;
    expect(canaries, 'the test would find the word').toBeGreaterThan(3);
    await setAccess({ kind: 'password', password: PASSWORD });
    await until(() => get(HOST, '/'), isClosed);
    await expectNothing(paths);
    const context = await openBrowser();
    const page = await context.newPage();
    await page.goto(`http://${HOST}/guide/page-0`);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'guide/page-0' }).waitFor();
    expect(page.url()).toBe(`http://${HOST}/guide/page-0`);
    const cookie = (await context.cookies()).find(({ name }) => name === 'offprint_reader');
    expect(cookie).toMatchObject({ name: 'offprint_reader', httpOnly: true, sameSite: 'Lax', domain: HOST });
    const session = `offprint_reader=${cookie?.value}`;
    noteSecrets(cookie?.value ?? '');
    expect((await get(HOST, '/', { cookie: session })).content.toString()).toContain(CANARY);
    await setAccess({ kind: 'password', password: `${PASSWORD} ten` });
    await until(() => get(HOST, '/', { cookie: session }), isClosed);
    await expectNothing(paths, session);
    await context.close();
  });

  test('read with a token of the login of their team', async () => {
    await setAccess({ kind: 'token' });
    const { privateKey } = await api<{ privateKey: string }>(
      201,
      'POST',
      `/v1/projects/${projectId}/access/token-key`,
      { body: { site: 'production' } },
    );
    noteSecrets(privateKey.split('\n')[1] ?? '');
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signIn = async (context: BrowserContext) => {
      const claims = { host: HOST, exp: Math.floor(Date.now() / 1000) + 10, content: { name: 'Ada' } };
      const text = `${encode({ alg: 'EdDSA' })}.${encode(claims)}`;
      const token = `${text}.${sign(null, Buffer.from(text), createPrivateKey(privateKey)).toString('base64url')}`;
      const page = await context.newPage();
      await page.goto(`http://${HOST}/login/jwt-callback?redirect=%2Fguide%2Fpage-1#${token}`);
      return page;
    };
    await until(() => get(HOST, '/'), isClosed);
    const context = await openBrowser();
    const page = await signIn(context);
    await page.getByRole('heading', { name: 'guide/page-1' }).waitFor();
    const cookie = (await context.cookies()).find(({ name }) => name === 'offprint_reader');
    const reader = await get(HOST, '/_offprint/reader.json', { cookie: `offprint_reader=${cookie?.value}` });
    expect(JSON.parse(reader.content.toString())).toMatchObject({ signedIn: true, content: { name: 'Ada' } });
    await page.goto(`http://${HOST}/logout`);
    await page.goto(`http://${HOST}/_offprint/reader.json`);
    expect(await page.textContent('body')).toContain('"signedIn":false');
    await context.close();
    await setAccess({ kind: 'public' });
    await servedText(HOST, CANARY);
  });
});

test.skipIf(pebbleProgram === null)(
  `a domain gets a certificate and is served by https${missing(pebbleProgram, 'pebble')}`,
  async () => {
    const host = 'secure.example.com';
    dns.set(host, 'A', ['127.0.0.1']);
    const start = performance.now();
    await api(201, 'POST', `/v1/projects/${projectId}/domains`, { body: { domain: host } });
    const redirect = await until(
      () => get(host, '/guide/page-0'),
      ({ status }) => status === 308,
    );
    expect(redirect.headers.location).toBe(`https://${host}/guide/page-0`);
    const { text, headers } = await readSecurely(host);
    console.info(`certificate: served by https ${Math.round(performance.now() - start)} ms after the domain`);
    expect(text).toContain(CANARY);
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    const sites = (await ask(site.management, '/sites')).content.toString();
    expect(JSON.parse(sites).certificates).toMatchObject({ hosts: 1, fault: null });
  },
);

/** The home page of a host by https, with the certificate of this host. */
function readSecurely(host: string) {
  return new Promise<{ text: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const options = { port: site.tlsPort, host: '127.0.0.1', servername: host, headers: { host } };
    const sent = secureRequest({ ...options, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ text, headers: response.headers }));
    });
    sent.on('error', reject);
    sent.end();
  });
}
