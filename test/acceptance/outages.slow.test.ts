/** What clients see while the database, the store or the disk of the platform fails. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../apps/server/src/platform/db/database.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, follow, type Job, makeFolder, siteFiles } from './api.ts';

const JOBS = '/v1/static-export/jobs';

let platform: TestPlatform;
let tenant: Tenant;
let domain: string;

beforeAll(async () => {
  platform = await startTestPlatform({ roles: ['api'], env: { OFFPRINT_MAX_ACTIVE_EXPORTS: '1000' } });
  tenant = await platform.createTenant();
  const path = await makeFolder(siteFiles(2));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
});
afterAll(() => platform.stop());

const start = () => call<Job>(platform.url, 'POST', JOBS, { key: tenant.key, body: { domain } });
const list = () => call(platform.url, 'GET', JOBS, { key: tenant.key });

const cutAll = (db: TestPlatform['database']['db']) =>
  sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ '^offprint-(api|worker|all)'`.execute(db);

test('a database that has become read-only refuses writes with 503 and serves reads; afterwards writes work', async () => {
  const { db } = platform.database;
  const name = decodeURIComponent(new URL(platform.databaseUrl).pathname.slice(1));
  await sql`ALTER DATABASE ${sql.id(name)} SET default_transaction_read_only = on`.execute(db);
  await cutAll(db);
  const replies = [];
  for (let round = 0; round < 20; round++) replies.push(await start());
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]));
  expect(replies.every(({ headers }) => headers.get('retry-after') === '5')).toBe(true);
  expect((await list()).status).toBe(200);
  await sql`SET default_transaction_read_only = off`.execute(db);
  await sql`ALTER DATABASE ${sql.id(name)} RESET default_transaction_read_only`.execute(db);
  await cutAll(db);
  await expect.poll(async () => (await start()).status).toBe(202);
});

test('no request that loses its connection to the database is a 500', async () => {
  const killer = openDatabase(platform.databaseUrl, { role: 'killer', max: 1 });
  let isOver = false;
  const kills = (async () => {
    while (!isOver) {
      await cutAll(killer.db);
      await sleep(20);
    }
  })();
  const statuses = new Map<number, number>();
  const count = ({ status }: { status: number }) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  await Promise.all(
    Array.from({ length: 8 }, async (_, client) => {
      for (let round = 0; round < 40; round++) count(client % 2 === 0 ? await list() : await start());
    }),
  );
  isOver = true;
  await kills;
  await killer.close();
  expect([...statuses.keys()].filter((status) => ![200, 202, 409, 503].includes(status))).toEqual([]);
  expect(statuses.get(503) ?? 0).toBeGreaterThan(0);
});

test('a worker whose disk is below the minimum starts no export, and one with room completes it', async () => {
  // Its export is the first of its organization, whatever the others have left in the queue.
  tenant = await platform.createTenant();
  const path = await makeFolder(siteFiles(2));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
  const full = platform.start(['worker'], { OFFPRINT_MIN_FREE_MB: '10000000' });
  await expect.poll(() => platform.log().includes('the worker processes exports')).toBe(true);
  const { jobId } = (await start()).body;
  for (let polls = 0; polls < 8; polls++) {
    const { body } = await call<Job>(platform.url, 'GET', `${JOBS}/${jobId}?wait=1`, { key: tenant.key });
    expect(body.status).toBe('queued');
  }
  full.kill('SIGTERM');
  await once(full, 'exit');
  platform.start(['worker']);
  expect((await follow(platform.url, tenant.key, jobId)).at(-1)).toMatchObject({ status: 'completed' });
});
