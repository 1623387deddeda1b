/**
 * Readers of two site servers on one volume, an API and a worker, all processes of their own on a real PostgreSQL. The
 * processes are killed with SIGKILL and started again, one at a time, at random moments. Every view whose response is
 * complete and every event that was acknowledged must be stored once, every other one at most once, and the daily counts
 * must equal what is stored.
 *
 * The usual run kills 30 times; OFFPRINT_TEST=full kills 300 times.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBundle } from '../../apps/site/test/support/bundle.ts';
import {
  type HostingDouble,
  hostingToken,
  siteOf,
  startHostingPlatform,
} from '../../apps/site/test/support/hosting-platform.ts';
import { ask } from '../../apps/site/test/support/reader.ts';
import { createProject } from '../acceptance/api.ts';
import { freePort } from '../support/free-port.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { createRandom } from '../support/random.ts';
import { isFull } from '../support/size.ts';

const KILLS = isFull ? 300 : 30;
const READERS = 4;
const HOST = 'docs.example.com';
const TOKEN = 'hosting-token-of-the-crash-test-0123456789';
const PROGRAM = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36';
/** A longer wait counts as a hang: a file of a process that died is taken over after a minute. */
const PATIENCE_MS = 240_000;

let root: string;
let sites: HostingDouble;
let platform: TestPlatform;
let projectId: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'offprint-events-'));
  platform = await startTestPlatform({ roles: ['api'], env: { OFFPRINT_HOSTING_TOKEN: TOKEN } });
  const tenant = await platform.createTenant();
  ({ projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' }));
  sites = await startHostingPlatform();
}, 300_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await sites?.stop();
  await platform?.stop();
  rmSync(root, { recursive: true, force: true });
});

interface Running {
  child: ChildProcess;
  port: number;
}

/** Starts a site server on the shared volume. Resolves when it serves the site. */
async function startSite(): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env.PATH ?? '',
      OFFPRINT_SITE_DIR: join(root, 'volume'),
      OFFPRINT_SITE_PORT: String(port),
      OFFPRINT_SITE_MANAGEMENT_PORT: '0',
      OFFPRINT_URL: sites.url,
      OFFPRINT_HOSTING_TOKEN: hostingToken,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.push(child);
  await until(async () => (await get(port, '/', {}).catch(() => null))?.status === 200);
  return { child, port };
}

/** Starts an API or a worker. */
async function startRole(role: 'api' | 'worker', port: number): Promise<Running> {
  const child = platform.start([role], { OFFPRINT_PORT: String(port) });
  if (role === 'api')
    await until(() =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  return { child, port };
}

const get = (port: number, path: string, headers: Record<string, string>) =>
  ask(port, path, { headers: { host: HOST, 'user-agent': BROWSER, dnt: '1', ...headers } });

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error('it takes too long');
    await sleep(50);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = child.exitCode === null ? once(child, 'exit') : null;
  child.kill('SIGKILL');
  await exited;
}

test(`${KILLS} kills lose no acknowledged event and store none twice`, async () => {
  const random = createRandom(Number(process.env.OFFPRINT_TEST_SEED ?? Date.now() % 2 ** 31));
  const bundle = await makeBundle('one', { head: { features: { analytics: true } } });
  sites.addDeployment('d1', bundle);
  sites.visitorKeys = [0, 1].map((ahead) => ({
    day: new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10),
    key: 'k'.repeat(43),
  }));
  sites.setSites([siteOf(HOST, 'd1', bundle, { projectId, isMeasured: true })]);
  const [apiPort, workerPort] = [await freePort(), await freePort()];
  sites.forwardEvents = { url: `http://127.0.0.1:${apiPort}`, token: TOKEN };
  const running = {
    api: await startRole('api', apiPort),
    worker: await startRole('worker', workerPort),
    one: await startSite(),
    two: await startSite(),
  };
  const restart = {
    api: () => startRole('api', apiPort),
    worker: () => startRole('worker', workerPort),
    one: startSite,
    two: startSite,
  };

  /** Names of what was sent, and whether the server has confirmed it. */
  const sent = new Map<string, boolean>();
  let isOver = false;
  let count = 0;
  async function read(): Promise<void> {
    while (!isOver) {
      const name = `n${count++}`;
      const { port } = count % 2 === 0 ? running.one : running.two;
      sent.set(name, false);
      const isView = random() < 0.6;
      const reply = isView
        ? await get(port, `/page-${count % 3}`, { dnt: '0', referer: `https://${name}.example/` }).catch(
            () => null,
          )
        : await ask(port, '/_offprint/events', {
            method: 'POST',
            headers: { host: HOST, 'user-agent': `${BROWSER} ${name}` },
            body: JSON.stringify([{ kind: 'search', path: '/', query: name, results: 1 }]),
          }).catch(() => null);
      sent.set(name, reply?.status === (isView ? 200 : 202));
      await sleep(reply === null ? 20 : 2);
    }
  }
  const readers = Array.from({ length: READERS }, read);
  const names = ['api', 'worker', 'one', 'two'] as const;
  for (let kills = 0; kills < KILLS; kills += 1) {
    await sleep(random() * 400);
    const name = names[kills % names.length] ?? 'one';
    await kill(running[name].child);
    running[name] = await restart[name]();
  }
  isOver = true;
  await Promise.all(readers);

  const { db } = platform.database;
  const stored = async () => {
    const { rows } = await sql<{ name: string; count: number }>`
      SELECT coalesce(query, split_part(referrer, '.', 1)) AS name, count(*) AS count FROM analytics_events
      WHERE project_id = ${projectId} GROUP BY 1`.execute(db);
    return new Map(rows.map((row) => [row.name, row.count]));
  };
  const acknowledged = [...sent].filter(([, isDone]) => isDone).map(([name]) => name);
  const missing = async () => {
    const found = await stored();
    return acknowledged.filter((name) => !found.has(name));
  };
  await until(async () => (await missing()).length === 0).catch(async () => {
    throw new Error(`lost: ${(await missing()).slice(0, 20).join(' ')}`);
  });
  const found = await stored();
  expect([...found].filter(([name, times]) => times !== 1 || !sent.has(name))).toEqual([]);

  const total = async () => {
    const { rows } = await sql<{ counted: number; events: number; idle: boolean }>`
      SELECT (SELECT sum(count) FROM analytics_daily WHERE project_id = ${projectId}
          AND (kind = 'view' AND subject = '' OR kind = 'search')) AS counted,
        (SELECT count(*) FROM analytics_events WHERE project_id = ${projectId}) AS events,
        NOT EXISTS (SELECT FROM analytics_pending) AS idle`.execute(db);
    return rows[0];
  };
  await until(async () => (await total())?.idle === true);
  const { counted, events } = (await total()) ?? {};
  expect(Number(counted)).toBe(events);
  console.info(`${sent.size} sent, ${acknowledged.length} acknowledged, ${events} stored`);
  expect(acknowledged.length).toBeGreaterThan(KILLS * 5);
}, 3_600_000);
