/**
 * Readers of a served site below a base path, from the folder of the docs to a browser: pages for groups, public pages,
 * values of the reader, rollback, and the sign-in with a token and as a member. OFFPRINT_SCREENSHOTS names a folder for
 * pictures.
 */
import { createPrivateKey, sign } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../../apps/site/test/support/reader.ts';
import { buildDashboard } from '../../scripts/dashboard.mjs';
import { createPerson } from '../support/accounts.ts';
import { seriousFindings } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';
import { type SiteProcess, startSiteProcess } from '../support/site-process.ts';
import { createCaller, makeFolder } from './api.ts';

const SCREENSHOTS = process.env.OFFPRINT_SCREENSHOTS;
const TOKEN = 'hosting-token-of-this-test-0123456789abcdef';
const HOST = 'docs.example.com';
const PASSWORD = 'gravel lantern otter nine';
const SECRET = 'madagascarsecret';
const CANARY = 'zanzibarcanary';
const HANG_MS = 60_000;

let platform: TestPlatform;
let tenant: Tenant;
let site: SiteProcess;
let browser: Browser;
let dir: string;
let folder: string;
let projectId: string;
let privateKey: string;

const api = createCaller(() => ({ url: platform.url, key: tenant.key }));

const admin = (version: string) =>
  `---\ntitle: Admin ${SECRET}\ngroups: ["admin"]\n---\n\n${SECRET} ${version} ![Own](/images/own.svg)\n`;

const files: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Docs',
    colors: { primary: '#3050a0' },
    navigation: {
      groups: [
        { group: 'Start', pages: ['index', 'admin'] },
        { group: 'Open', public: true, pages: ['open'] },
        { group: 'API', openapi: 'api.json' },
      ],
    },
  }),
  'index.mdx': `---\ntitle: Home\n---\n\nHello {user.firstName ?? "reader"}, ${CANARY}.\n`,
  'admin.mdx': admin('one'),
  'open.mdx': '---\ntitle: Open\n---\n\nFor everyone.\n',
  'images/own.svg': `<svg xmlns="http://www.w3.org/2000/svg"><title>${SECRET}</title></svg>`,
  'api.json': JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'API', version: '1' },
    servers: [{ url: 'https://{region}.example.com', variables: { region: { default: 'eu' } } }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    paths: {
      '/pets': {
        get: {
          summary: 'List pets',
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'string' } }],
          responses: {},
        },
      },
    },
  }),
};

const get = (path: string, cookie?: string, headers: Record<string, string> = {}) =>
  ask(site.port, path, {
    headers: { host: HOST, ...headers, ...(cookie === undefined ? {} : { cookie }) },
  });

async function until<Result>(
  read: () => Promise<Result>,
  isWanted: (result: Result) => boolean,
): Promise<Result> {
  const deadline = performance.now() + HANG_MS;
  for (;;) {
    const result = await read();
    if (isWanted(result)) return result;
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(result).slice(0, 2_000)}`);
    await sleep(20);
  }
}

async function update(): Promise<string> {
  const { statusId } = await api<{ statusId: string }>(202, 'POST', `/v1/project/update/${projectId}`);
  const status = () =>
    api<{ status: string; error: string | null }>(200, 'GET', `/v1/project/update-status/${statusId}`);
  const ended = await until(status, (now) => now.status === 'success' || now.status === 'failure');
  expect(ended.status, ended.error ?? '').toBe('success');
  return statusId;
}

const setAccess = (production: Record<string, unknown>) =>
  api(200, 'PUT', `/v1/projects/${projectId}/access`, { body: { production } });

/** A browser whose requests to any host but the platform reach the site server. */
async function openBrowser(): Promise<BrowserContext> {
  const proxy = { server: `http://127.0.0.1:${site.port}`, bypass: '127.0.0.1' };
  const context = await browser.newContext({ proxy });
  context.setDefaultTimeout(HANG_MS);
  return context;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function tokenOf(claims: Record<string, unknown>): string {
  const text = `${encode({ alg: 'EdDSA' })}.${encode({ host: HOST, exp: Math.floor(Date.now() / 1000) + 10, ...claims })}`;
  return `${text}.${sign(null, Buffer.from(text), createPrivateKey(privateKey)).toString('base64url')}`;
}

const callback = (token: string, redirect: string) =>
  `http://${HOST}/docs/login/jwt-callback?redirect=${encodeURIComponent(redirect)}#${token}`;

/** Signs in with a token, as the login of a team does. */
async function signIn(
  context: BrowserContext,
  claims: Record<string, unknown>,
  redirect: string,
): Promise<Page> {
  const page = await context.newPage();
  await page.goto(callback(tokenOf(claims), redirect));
  await page.waitForURL(`http://${HOST}${redirect}`);
  return page;
}

async function sessionOf(context: BrowserContext): Promise<string> {
  const cookie = (await context.cookies()).find(({ name }) => name === 'offprint_reader');
  noteSecrets(cookie?.value ?? '');
  return `offprint_reader=${cookie?.value}`;
}

/** Pictures in both themes and widths; nothing scrolls sideways, and nothing is hard to read. */
async function look(page: Page, name: string, part?: Locator): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([name, width, overflow]).toEqual([name, width, 0]);
      expect(await seriousFindings(page), `${name} ${colorScheme} ${width}`).toEqual([]);
      if (SCREENSHOTS === undefined) continue;
      await part?.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`) });
    }
}

beforeAll(async () => {
  await buildDashboard(process.execPath);
  dir = await mkdtemp(join(tmpdir(), 'offprint-groups-'));
  browser = await launchBrowser();
  platform = await startTestPlatform({
    env: {
      OFFPRINT_DASHBOARD_DIR: fileURLToPath(new URL('../../apps/dashboard/dist', import.meta.url)),
      OFFPRINT_HOSTING_TOKEN: TOKEN,
      OFFPRINT_DOMAIN_VERIFICATION: 'off',
    },
  });
  tenant = await platform.createTenant();
  site = await startSiteProcess({ url: platform.url, token: TOKEN, dir });
  folder = await makeFolder(files);
  const made = await api<{ id: string }>(201, 'POST', '/v1/projects', {
    body: { name: 'Docs', domains: [HOST], basePath: '/docs', source: { kind: 'folder', path: folder } },
  });
  projectId = made.id;
  await api(201, 'POST', `/v1/projects/${projectId}/domains`, { body: { domain: HOST } });
  await setAccess({ kind: 'token', token: { loginUrls: [], issuer: null, audience: null } });
  const key = await api<{ privateKey: string }>(201, 'POST', `/v1/projects/${projectId}/access/token-key`, {
    body: { site: 'production' },
  });
  privateKey = key.privateKey;
  noteSecrets(privateKey.split('\n')[1] ?? '');
}, 300_000);

afterAll(async () => {
  await site?.stop();
  await browser?.close();
  await platform?.stop();
  await rm(dir, { recursive: true, force: true });
});

let first: string;

test('strangers get the public pages and nothing else', async () => {
  first = await update();
  const open = await until(
    () => get('/docs/open'),
    ({ status }) => status === 200,
  );
  expect(open.content.toString()).toContain('For everyone');
  const paths = ['/', '/admin', '/admin.md', '/nothing', '/images/own.svg', '/api.json'];
  for (const path of paths) expect([path, (await get(`/docs${path}`)).status]).toEqual([path, 401]);
  const known = [...open.content.toString().matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, url = '']) => url);
  const shared = ['llms.txt', 'llms-full.txt', 'sitemap.xml', '_offprint/search/index.json', ...known];
  for (const path of shared) {
    const { pathname } = new URL(path, `http://${HOST}/docs/`);
    const { content, headers } = await get(pathname);
    expect(`${content} ${JSON.stringify(headers)}`, path).not.toMatch(new RegExp(`${SECRET}|${CANARY}`));
  }
});

test('a reader in a group reads its pages, with values of the reader as text; others do not', async () => {
  const context = await openBrowser();
  const content = { firstName: '<b>Ada</b>' };
  const apiPlaygroundInputs = {
    header: { 'x-key': 'key-of-ada' },
    query: { limit: '7' },
    server: { region: 'us' },
  };
  const page = await signIn(context, { groups: ['admin', 'other'], content, apiPlaygroundInputs }, '/docs/');
  await page.getByText(`Hello <b>Ada</b>, ${CANARY}`).waitFor();
  // the release for these groups is rendered after the sign-in
  const session = await sessionOf(context);
  await until(
    () => get('/docs/admin', session),
    ({ status }) => status === 200,
  );
  await page.goto(`http://${HOST}/docs/`);
  await page
    .getByRole('link', { name: `Admin ${SECRET}` })
    .first()
    .click();
  await page.getByRole('heading', { name: `Admin ${SECRET}` }).waitFor();
  expect((await get('/docs/images/own.svg', session)).status).toBe(200);
  await page.goto(`http://${HOST}/docs/api-reference/list-pets`);
  await page.getByRole('button', { name: 'Try it' }).click();
  const entered = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLInputElement>('dialog[open] input')].flatMap(
        ({ type, labels, value }) =>
          type === 'checkbox' || value === '' ? [] : [[labels?.[0]?.textContent?.trim(), value]],
      ),
    );
  expect(await until(entered, (all) => all.length === 3)).toEqual([
    ['region', 'us'],
    ['X-Key', 'key-of-ada'],
    ['limit', '7'],
  ]);
  await context.close();

  const others = await openBrowser();
  const theirs = await signIn(others, { groups: ['sales'] }, '/docs/');
  await theirs.getByText(`Hello reader, ${CANARY}`).waitFor();
  const sales = await sessionOf(others);
  for (const path of [
    '/',
    '/admin',
    '/admin.md',
    '/images/own.svg',
    '/llms-full.txt',
    '/sitemap.xml',
    '/nothing',
  ]) {
    const answer = await get(`/docs${path}`, sales);
    expect(`${answer.content} ${JSON.stringify(answer.headers)}`, path).not.toContain(SECRET);
  }
  expect((await get('/docs/admin', sales)).status).toBe(404);
  await others.close();
});

test('an update and a rollback reach the readers of groups, too, and the dashboard shows their releases', async () => {
  const context = await openBrowser();
  await signIn(context, { groups: ['admin'] }, '/docs/open');
  const session = await sessionOf(context);
  const shows = (text: string) =>
    until(
      () => get('/docs/admin', session),
      ({ content }) => content.includes(text),
    );
  await writeFile(join(folder, 'admin.mdx'), admin('two'));
  await update();
  await shows(`${SECRET} two`);
  await api(200, 'POST', `/v1/projects/${projectId}/deployments/${first}/promote`);
  await shows(`${SECRET} one`);
  expect(await api(200, 'GET', `/v1/projects/${projectId}/hosting`)).toMatchObject({
    groups: ['admin'],
    variants: [
      { groups: null, status: 'success', pageCount: 1 },
      { groups: ['admin'], status: 'success', pageCount: 4 },
    ],
  });
  // the list of exports leaves them out
  const { data } = await api<{ data: unknown[] }>(200, 'GET', '/v1/static-export/jobs?limit=100');
  expect(data).toHaveLength(2);
  await context.close();

  const person = await createPerson(platform, { organizationId: tenant.organizationId });
  const dashboard = await openBrowser();
  const { session: value } = person;
  const cookie = {
    name: 'offprint_session',
    value,
    url: platform.url,
    httpOnly: true,
    sameSite: 'Strict' as const,
  };
  await dashboard.addCookies([cookie]);
  const page = await dashboard.newPage();
  await page.goto(`${platform.url}/${tenant.organizationId}/projects/${projectId}?tab=access`);
  await page.getByRole('heading', { name: 'Releases for readers' }).waitFor();
  await page.getByRole('cell', { name: 'Not signed in' }).waitFor();
  await page.getByRole('cell', { name: 'admin', exact: true }).waitFor();
  await look(page, 'access-tab', page.getByRole('table', { name: 'Releases for readers' }));
  await dashboard.close();
});

test('a token is accepted once, for its host, and a refusal leads back to the sign-in', async () => {
  const token = tokenOf({ groups: ['admin'] });
  const context = await openBrowser();
  const page = await context.newPage();
  await page.goto(callback(token, '/docs/open'));
  await page.waitForURL(`http://${HOST}/docs/open`);
  expect(page.url()).not.toContain(token.slice(0, 20));
  await context.close();

  const thief = await openBrowser();
  const bad: [string, string][] = [
    [token, 'was used before'],
    [tokenOf({ exp: Math.floor(Date.now() / 1000) - 1 }), 'has expired'],
    [tokenOf({ exp: Math.floor(Date.now() / 1000) + 60 }), 'more than 10 seconds'],
    [tokenOf({ host: 'other.example.com' }), 'for another site'],
    [`${tokenOf({}).slice(0, -6)}AAAAAA`, 'invalid signature'],
  ];
  const theirs = await thief.newPage();
  for (const [given, message] of bad) {
    await theirs.goto('about:blank');
    await theirs.goto(callback(given, '/docs/open'));
    await theirs.getByRole('alert').filter({ hasText: message }).waitFor();
    expect(await thief.cookies()).toEqual([]);
  }
  await look(theirs, 'token-refused');
  await theirs.goto(`http://${HOST}/docs/login`);
  await look(theirs, 'token-start');
  await thief.close();
});

test('a member signs in on the dashboard and returns to the page, and signs out', async () => {
  await setAccess({ kind: 'members' });
  await until(
    () => get('/docs/admin'),
    ({ status }) => status === 401,
  );
  const person = await createPerson(platform, { organizationId: tenant.organizationId, withPassword: true });
  const context = await openBrowser();
  const page = await context.newPage();
  await page.goto(`http://${HOST}/docs/api-reference/list-pets`);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password ?? '');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const onward = page.getByRole('button', { name: 'Continue to the site' });
  await onward.waitFor();
  await look(page, 'members-continue');
  await onward.click();
  await page.waitForURL(`http://${HOST}/docs/api-reference/list-pets`);
  await page.getByRole('heading', { name: 'List pets' }).waitFor();
  await sessionOf(context);
  await page.goto(`http://${HOST}/docs/logout`);
  await page.getByText('You are signed out').waitFor();
  await look(page, 'signed-out');
  expect((await context.cookies()).filter(({ domain }) => domain === HOST)).toEqual([]);
  await page.goto(`http://${HOST}/docs/open`);
  await page.getByText('For everyone').waitFor();
  await context.close();

  const stranger = await createPerson(platform, {});
  const theirs = await openBrowser();
  const cookie = { name: 'offprint_session', url: platform.url, httpOnly: true, sameSite: 'Strict' as const };
  await theirs.addCookies([{ ...cookie, value: stranger.session }]);
  const other = await theirs.newPage();
  await other.goto(`http://${HOST}/docs/`);
  await other.getByRole('button', { name: 'Continue to the site' }).click();
  await other.getByText('You cannot read this site').waitFor();
  await theirs.close();
});

test('the form of the password is readable in both themes and on a phone', async () => {
  await setAccess({ kind: 'password', password: PASSWORD });
  const context = await openBrowser();
  const page = await context.newPage();
  await until(
    async () => page.goto(`http://${HOST}/docs/`).then(() => page.getByLabel('Password').count()),
    (count) => count === 1,
  );
  await look(page, 'password');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await look(page, 'password-wrong');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await context.close();
});
