import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/support/postgres.ts';
import { completeExport } from '../exports/journal.ts';
import { insertExport } from '../exports/start.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { addUsage, readUsage, type UsageDelta } from './usage.ts';

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
const add = (id: string, delta: UsageDelta) => open.db.transaction().execute((tx) => addUsage(tx, id, delta));
const read = async (id: string) => (await readUsage(open.db, id, 1))[0];

test('what is added at the same time is all counted; what is rolled back is not', async () => {
  const id = await newOrganization();
  const other = await newOrganization();
  await Promise.all(Array.from({ length: 20 }, () => add(id, { agentCalls: 1, inputTokens: 5 })));
  const broken = open.db.transaction().execute(async (tx) => {
    await addUsage(tx, id, { agentCalls: 1 });
    throw new Error('later');
  });
  await expect(broken).rejects.toThrow('later');
  expect(await read(id)).toMatchObject({ agentCalls: 20, inputTokens: 100, outputTokens: 0, exports: 0 });
  expect(await read(other)).toMatchObject({ agentCalls: 0 });
});

test('a cost is null until a price is known, and keeps what was known', async () => {
  const id = await newOrganization();
  await add(id, { agentCalls: 1, costUsd: null });
  expect((await read(id))?.costUsd).toBeNull();
  await add(id, { agentCalls: 1, costUsd: 0.25 });
  await add(id, { agentCalls: 1, costUsd: null });
  await add(id, { agentCalls: 1, costUsd: 0.5 });
  expect((await read(id))?.costUsd).toBe(0.75);
});

test('numbers of a model server that are none do no harm', async () => {
  const id = await newOrganization();
  await add(id, { inputTokens: Number.NaN, outputTokens: 1e300, costUsd: Number.POSITIVE_INFINITY });
  await add(id, { inputTokens: -5, outputTokens: 1.5, costUsd: -1 });
  expect(await read(id)).toMatchObject({ inputTokens: 0, outputTokens: 1_000_000_002, costUsd: 0 });
});

test('an export that is completed twice counts once', async () => {
  const organizationId = await newOrganization();
  const projectId = newId('prj');
  await open.db
    .insertInto('projects')
    .values({ id: projectId, organization_id: organizationId, name: 'Docs', source_kind: 'upload' })
    .execute();
  const id = newId('se');
  await open.db.transaction().execute((tx) =>
    insertExport(tx, {
      id,
      organizationId,
      projectId,
      body: { domain: 'docs.example.com' },
      createdBy: 'test',
      trigger: 'call',
    }),
  );
  await open.db.updateTable('exports').set({ status: 'running', attempt: 1 }).where('id', '=', id).execute();
  const digest = { sha256: '0'.repeat(64), bytes: 1 };
  const result = {
    version: '1',
    commit: null,
    commitInfo: null,
    pageCount: 7,
    access: { groups: [], excluding: [], hasPublic: false },
    warnings: [],
    warningCount: 0,
    artifact: { ...digest, files: 1 },
    bundle: digest,
  };
  const complete = (attempt: number) =>
    completeExport(open.db, { id, attempt, organizationId }, result, async () => true);
  expect((await Promise.all([complete(1), complete(1), complete(0)])).sort()).toEqual([
    'completed',
    'lost',
    'lost',
  ]);
  expect(await read(organizationId)).toMatchObject({ exports: 1, pages: 7 });
});
