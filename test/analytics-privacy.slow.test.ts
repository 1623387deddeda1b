/**
 * Nothing that identifies a reader is stored. Readers with IP addresses, user agents and cookies of their own view pages,
 * search, vote and report over the real processes: site server, API, worker, PostgreSQL and a browser. Afterwards, none of
 * these texts is in any column of any table, in a log, on a volume or in the storage of the browser.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, ask } from '../apps/site/test/support/reader.ts';
import { createProject, deploy, makeFolder } from './acceptance/api.ts';
import { verifyHost } from './acceptance/served-site.ts';
import { launchBrowser } from './support/browser.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from './support/platform.ts';
import { type SiteProcess, startSiteProcess } from './support/site-process.ts';
import { findForms, formsOf, listColumns } from './support/traces-of-readers.ts';

const TOKEN = 'hosting-token-of-the-privacy-test-0123456789';
const HANG_MS = 120_000;
const ADDRESSES = ['198.51.100.77', '2001:db8:5afe:77::9'] as const;
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Quokkium/93.41 Safari/537.36';
const COOKIE = { name: 'other_app_session', value: 'wombat-cookie-5f0d7c' };
/** What readers type is stored: it shows that the search for traces finds what is there. */
const QUERY = 'numbat burrow';
/** IP addresses without their last part too, as a number and as bytes, and the texts that nobody else sends. */
const TRACES = [
  ...[
    ...ADDRESSES,
    '198.51.100.',
    '2001:db8:5afe',
    USER_AGENT,
    'Quokkium',
    COOKIE.name,
    COOKIE.value,
  ].flatMap(formsOf),
  ...['3325256781', 'c633644d', '20010db85afe0077'],
];

let platform: TestPlatform;
let tenant: Tenant;
let site: SiteProcess;
let browser: Browser;
let projectId: string;
let domain: string;
let dir: string;

beforeAll(async () => {
  platform = await startTestPlatform({
    roles: ['api'],
    env: {
      OFFPRINT_HOSTING_TOKEN: TOKEN,
      OFFPRINT_LOG_LEVEL: 'trace',
      OFFPRINT_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  platform.start(['worker']);
  tenant = await platform.createTenant();
  const path = await makeFolder({
    'docs.json': JSON.stringify({ name: 'Zoo', navigation: { pages: ['index', 'giraffes'] } }),
    'index.mdx': '---\ntitle: Start\n---\nWelcome.\n\n```sh\nnpm install zoo\n```\n',
    'giraffes.mdx': '---\ntitle: Giraffes\n---\nGiraffes eat leaves.\n',
  });
  ({ projectId, domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
  await verifyHost(platform, { organizationId: tenant.organizationId, projectId, host: domain });
  await deploy(platform.url, tenant.key, projectId);
  dir = await mkdtemp(join(tmpdir(), 'offprint-privacy-'));
  site = await startSiteProcess({
    ...{ url: platform.url, token: TOKEN, dir },
    env: { OFFPRINT_SITE_TRUSTED_PROXIES: '127.0.0.1', OFFPRINT_SITE_ACCESS_LOG: 'true' },
  });
  await until(
    async () => (await ask(site.port, '/', { headers: { host: domain, dnt: '1' } })).status === 200,
  );
  browser = await launchBrowser();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await platform?.stop();
  await rm(dir, { recursive: true, force: true });
});

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + HANG_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error('it takes too long');
    await sleep(50);
  }
}

const places = () => ({
  db: platform.database.db,
  logs: { 'API and worker': platform.log(), 'site server': site.log() },
  folders: [platform.dataDir, dir],
});

const feedback = (entry: string) => ({ kind: 'feedback', path: '/', entry, helpful: false });

/** What one reader does; the requests that the site server refuses are logged in other places. */
async function read(address: string): Promise<void> {
  const headers = {
    ...{ host: domain, 'user-agent': USER_AGENT, 'x-forwarded-for': `10.1.1.1, ${address}` },
    ...{ cookie: `${COOKIE.name}=${COOKIE.value}`, referer: 'https://other.example/list' },
  };
  const replies: Answer[] = [];
  const get = async (path: string, status: number, more: Record<string, string> = {}) => {
    replies.push(await ask(site.port, path, { headers: { ...headers, ...more } }));
    expect(replies.at(-1)?.status, path).toBe(status);
  };
  const post = async (path: string, body: unknown, status: number, more: Record<string, string> = {}) => {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    replies.push(
      await ask(site.port, path, { method: 'POST', headers: { ...headers, ...more }, body: sent }),
    );
    expect(replies.at(-1)?.status, `${path} ${sent.slice(0, 80)}`).toBe(status);
  };
  const events = '/_offprint/events';
  const entry = `entry-${address.replace(/\W/g, '').length}`;
  await get('/', 200);
  await get('/giraffes', 200);
  await get('/giraffes.md', 200);
  await get('/', 200, { accept: 'text/markdown', 'user-agent': `ClaudeBot ${USER_AGENT}` });
  await get('/gone', 404);
  await get(`/_offprint/search?q=${encodeURIComponent(QUERY)}`, 200);
  await post(
    events,
    [
      { kind: 'search', path: '/', query: QUERY, results: 0 },
      { kind: 'click', path: '/', query: QUERY, target: '/giraffes' },
      { kind: 'copy', path: '/' },
      { kind: 'playground', path: '/' },
      { kind: 'missing', path: '/gone', from: 'https://other.example/list' },
      feedback(entry),
      { ...feedback(entry), comment: 'Add an example.' },
    ],
    202,
  );
  await post(events, '{', 400);
  await post(events, 'x'.repeat(40_000), 413);
  await post(events, [], 403, { origin: 'https://other.example' });
  const copies = JSON.stringify(Array(50).fill({ kind: 'copy', path: '/' }));
  // The limit is per minute, and a minute can end between two requests.
  await until(async () => {
    replies.push(await ask(site.port, events, { method: 'POST', headers, body: copies }));
    return replies.at(-1)?.status === 429;
  });
  for (const reply of replies) {
    expect(reply.headers['set-cookie']).toBeUndefined();
    for (const form of TRACES) expect(reply.content.toString('latin1').toLowerCase()).not.toContain(form);
  }
}

/** Waits until that many events are stored and counted. */
async function counted(atLeast: number): Promise<void> {
  await until(async () => {
    const { rows } = await sql<{ events: number; idle: boolean }>`
      SELECT (SELECT count(*) FROM analytics_events) AS events,
        NOT EXISTS (SELECT FROM analytics_pending) AS idle`.execute(platform.database.db);
    return (rows[0]?.events ?? 0) >= atLeast && rows[0]?.idle === true;
  });
}

/** What one reader at least sends that is stored: four views, five events, and twice 50. Feedback has a table of its own. */
const STORED = 109;

test('the search for traces finds them in each kind of column, in a log and in a file', async () => {
  const { db } = platform.database;
  await sql`CREATE TABLE traces (a text, b jsonb, c bytea, d inet, e text[], f bigint, g bytea)`.execute(db);
  await sql`INSERT INTO traces VALUES (${`from ${ADDRESSES[0]}`}, ${JSON.stringify({ agent: USER_AGENT })},
    ${Buffer.from(`${COOKIE.name}=1`)}, ${ADDRESSES[1]}, ${[COOKIE.value]}, 3325256781,
    ${Buffer.from([198, 51, 100, 77])})`.execute(db);
  const file = join(dir, 'trace');
  await writeFile(file, Buffer.from(`xx${USER_AGENT}`).toString('base64'));
  const found = await findForms(TRACES, { ...places(), logs: { one: `ok\n{"a":"${COOKIE.value}"}` } });
  await sql`DROP TABLE traces`.execute(db);
  await rm(file);
  const where = [...new Set(found.map((place) => place.replace(/: .*/, '')))].sort();
  const columns = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `public.traces.${name}`);
  expect(where).toEqual([`file ${file}`, 'log of one, line 2', ...columns]);
});

test('no address, user agent or cookie of a reader is stored, while events wait and when they are counted', async () => {
  for (const address of ADDRESSES) await read(address);
  await counted(2 * STORED);
  expect(await findForms(TRACES, places())).toEqual([]);

  // Without the API, what was done waits on the volume, and failures are logged.
  const [api] = platform.processes();
  if (api === undefined) throw new Error('The API is not running.');
  const exited = once(api, 'exit');
  api.kill('SIGTERM');
  await exited;
  await ask(site.port, '/giraffes', {
    headers: {
      host: domain,
      'user-agent': USER_AGENT,
      'x-forwarded-for': ADDRESSES[0],
      cookie: COOKIE.value,
    },
  });
  await until(async () => site.log().includes('cannot send events'));
  const waiting = await findForms(['"path":"/giraffes"'], places());
  expect(waiting.some((place) => place.startsWith(`file ${join(dir, 'events')}`))).toBe(true);
  expect(await findForms(TRACES, places())).toEqual([]);

  platform.start(['api']);
  await counted(2 * STORED + 1);
  const { rows: visitors } = await sql`
    SELECT DISTINCT visitor FROM analytics_events WHERE visitor IS NOT NULL AND client = 'person'`.execute(
    platform.database.db,
  );
  expect(visitors, 'the addresses behind the proxy make the visitors').toHaveLength(2);
  expect(await findForms(TRACES, places())).toEqual([]);

  const typed = await findForms([QUERY], places());
  expect(typed.map((place) => place.replace(/_\d{4}_\d\d/, ''))).toEqual(
    expect.arrayContaining([
      `public.analytics_events.query: ${QUERY}`,
      `public.analytics_daily.subject: ${QUERY}`,
    ]),
  );
  expect((await listColumns(platform.database.db)).length).toBeGreaterThan(300);
}, 600_000);

test('the browser of a reader stores nothing that identifies the reader, and no cookie', async () => {
  const context = await browser.newContext({
    ...{ userAgent: USER_AGENT, proxy: { server: `http://127.0.0.1:${site.port}` } },
    extraHTTPHeaders: { 'x-forwarded-for': ADDRESSES[1] },
  });
  const origin = `http://${domain}`;
  await context.addCookies([{ ...COOKIE, url: origin }]);
  const page = await context.newPage();
  const posted: string[] = [];
  page.on('request', (request) => posted.push(`${request.url()} ${request.postData() ?? ''}`));
  await page.goto(`${origin}/`);
  await page.getByRole('button', { name: 'No', exact: true }).click();
  await page.getByRole('textbox', { name: /What could be better/ }).fill('Add an example.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('girafes');
  // The pages that are offered before the first search are not its results.
  await page.locator('#search-results[data-found=girafes]').getByRole('option').first().click();
  await page.waitForURL('**/giraffes*');
  await until(async () =>
    (await findForms(['girafes'], places())).some((place) => /public\.analytics_daily/.test(place)),
  );

  const own = await context.cookies();
  expect(own.map(({ name, value }) => ({ name, value }))).toEqual([COOKIE]);
  const stored = await page.evaluate(`(async () => {
    const databases = [];
    for (const { name } of await indexedDB.databases()) {
      const db = await new Promise((resolve, reject) => {
        const opened = indexedDB.open(name);
        opened.onsuccess = () => resolve(opened.result);
        opened.onerror = () => reject(opened.error);
      });
      for (const store of db.objectStoreNames) {
        const all = db.transaction(store).objectStore(store).getAll();
        databases.push([name, store, await new Promise((resolve) => (all.onsuccess = () => resolve(all.result)))]);
      }
    }
    return JSON.stringify({ local: { ...localStorage }, session: { ...sessionStorage }, databases, name: window.name });
  })()`);
  const text = String(stored).toLowerCase();
  expect(text).toMatch(/^\{"local":/);
  for (const form of [...TRACES, 'visitor']) expect(text).not.toContain(form);
  // The site gets the events; they say nothing that its requests do not say.
  for (const request of posted) for (const form of TRACES) expect(request.toLowerCase()).not.toContain(form);
  await context.close();

  expect(await findForms(TRACES, places())).toEqual([]);
}, 300_000);
