import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { readJobStates, stalledText } from './job-state.ts';
import { type OpenDatabase, openDatabase } from './platform/db/database.ts';
import { openListener } from './platform/db/listen.ts';
import { announce } from './platform/jobs/leases.ts';

let database: TestDatabase;
let open: OpenDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.url, { role: 'test', max: 2 });
});
afterAll(async () => {
  await open.close();
  await database.drop();
});

const groupOf = async (kind: string, state: string) =>
  (await readJobStates(open.db)).groups.find((group) => group.kind === kind && group.state === state);

test('an empty installation reports every kind and state as 0, and nothing stalls', async () => {
  const states = await readJobStates(open.db);
  expect(states.groups).toHaveLength(15);
  expect(states.groups.every(({ count, oldestSeconds }) => count === 0 && oldestSeconds === 0)).toBe(true);
  expect(states.workers).toBe(0);
  expect(stalledText(states)).toBeNull();
});

test('queued and running exports are counted with the age of the oldest; finished ones are not', async () => {
  await open.pool.query(`
    INSERT INTO organizations (id, name) VALUES ('org_1', 'Acme');
    INSERT INTO exports (id, organization_id, domain, status, updated_at, started_at) VALUES
      ('se_1', 'org_1', 'a.test', 'queued', now() - interval '90 s', NULL),
      ('se_2', 'org_1', 'a.test', 'queued', now() - interval '10 s', NULL),
      ('se_3', 'org_1', 'a.test', 'running', now(), now() - interval '300 s'),
      ('se_4', 'org_1', 'a.test', 'completed', now() - interval '9 days', NULL)`);
  const queued = await groupOf('export', 'queued');
  expect(queued?.count).toBe(2);
  expect(Math.floor(queued!.oldestSeconds / 30)).toBe(3);
  expect((await groupOf('export', 'running'))?.count).toBe(1);
});

test('jobs that wait while no worker lives are reported, until one lives', async () => {
  expect(stalledText(await readJobStates(open.db))).toMatch(/^No worker is running for 2 queued jobs\./);
  const session = openListener(database.url, {
    role: 'test',
    onConnect: (client) => announce(client, 4_711),
  });
  await expect.poll(async () => (await readJobStates(open.db)).workers).toBe(1);
  expect(stalledText(await readJobStates(open.db))).toBeNull();
  await session.close();
  await expect.poll(async () => (await readJobStates(open.db)).workers).toBe(0);
});
