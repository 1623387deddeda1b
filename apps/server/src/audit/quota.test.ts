import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { type PlanLimits, readLimits, requireStorage, takeDaily } from './quota.ts';

const NONE: PlanLimits = { free: 0, pro: 0, enterprise: 0 };
const ENTERPRISE = (limit: number): PlanLimits => ({ ...NONE, enterprise: limit });

let open: OpenDatabase;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  open = openDatabase(database.url, { role: 'test', max: 4 });
});
afterAll(async () => {
  await open.close();
  await drop();
});

const newOrganization = async () =>
  (await createOrganization(open.db, { name: 'Acme', plan: 'enterprise' })).id;
const take = (id: string, limits: PlanLimits) =>
  open.db.transaction().execute((tx) => takeDaily(tx, id, 'exports', limits));
const addBundle = (organizationId: string, sha256: string, bytes: number) =>
  open.db
    .insertInto('exports')
    .values({
      id: newId('se'),
      organization_id: organizationId,
      domain: 'docs.example.com',
      status: 'completed',
      created_by: 'test',
      trigger: 'call',
      bundle_sha256: sha256,
      bundle_bytes: bytes,
    })
    .execute();

test('as many starts of a day pass as the plan allows, however many come at once', async () => {
  const [id, other] = [await newOrganization(), await newOrganization()];
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => take(id, ENTERPRISE(5))));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  await expect(take(id, ENTERPRISE(5))).rejects.toMatchObject({
    code: 'daily_quota_exceeded',
    message: expect.stringMatching(
      /^5 exports were started in the organization today, and its enterprise plan allows 5 a day\. Try again after \d{4}-\d\d-\d\dT00:00:00\.000Z\. An operator/,
    ),
    headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
  });
  await take(other, ENTERPRISE(5));
  await take(id, ENTERPRISE(6));
});

test('without a limit, starts are counted and none is refused; what is rolled back does not count', async () => {
  const id = await newOrganization();
  for (let i = 0; i < 3; i++) await take(id, NONE);
  await expect(
    open.db.transaction().execute(async (tx) => {
      await takeDaily(tx, id, 'exports', NONE);
      await takeDaily(tx, id, 'agent_jobs', NONE);
      throw new Error('later');
    }),
  ).rejects.toThrow('later');
  const limits = await readLimits(open.db, id, { dailyExports: NONE, dailyAgentJobs: NONE, storageMb: NONE });
  expect(limits).toMatchObject({
    exportsToday: { used: 3, limit: null },
    agentJobsToday: { used: 0, limit: null },
    storageBytes: { used: 0, limit: null },
  });
});

test('yesterday does not count', async () => {
  const id = await newOrganization();
  await take(id, ENTERPRISE(1));
  await open.db
    .updateTable('usage_days')
    .set({ day: '2020-01-01' })
    .where('organization_id', '=', id)
    .execute();
  await take(id, ENTERPRISE(1));
});

test('equal bundles of an organization count once for its storage', async () => {
  const [id, other] = [await newOrganization(), await newOrganization()];
  await addBundle(id, 'a'.repeat(64), 1_500_000);
  await addBundle(id, 'a'.repeat(64), 1_500_000);
  await addBundle(other, 'b'.repeat(64), 9_000_000);
  await requireStorage(open.db, id, ENTERPRISE(2));
  await addBundle(id, 'c'.repeat(64), 600_000);
  await expect(requireStorage(open.db, id, ENTERPRISE(2))).rejects.toMatchObject({
    code: 'storage_quota_exceeded',
    status: 403,
    message:
      'The stored exports of the organization use 2 MB; its enterprise plan allows 2 MB. Delete exports that you no longer need. An operator of this installation can change the plan or its limit.',
  });
  await requireStorage(open.db, id, NONE);
  const limits = await readLimits(open.db, id, {
    dailyExports: ENTERPRISE(3),
    dailyAgentJobs: NONE,
    storageMb: ENTERPRISE(2),
  });
  expect(limits.storageBytes).toEqual({ used: 2_100_000, limit: 2_000_000 });
});
