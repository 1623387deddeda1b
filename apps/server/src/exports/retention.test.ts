import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestExports, produceOne, type TestExports } from './job.fixture.ts';
import { removeExpired } from './retention.ts';

let exports: TestExports;

beforeAll(async () => {
  exports = await openTestExports();
});
afterAll(() => exports.close());

test('retention keeps the export that deployments of a domain follow, as long as a project publishes on it', async () => {
  const { organizationId, projectId, blobs, database } = exports;
  const { db } = database;
  const domain = { organization_id: organizationId, domain: 'docs.example.com', project_id: projectId };
  await db.insertInto('domains').values(domain).execute();
  const made: Record<string, string> = {};
  for (const name of ['first', 'followed', 'part', 'branch', 'staff', 'failed']) {
    const id = await exports.start();
    await exports.run(id, produceOne(name));
    made[name] = id;
  }
  const set = (name: string, values: Record<string, unknown>) =>
    db.updateTable('exports').set(values).where('id', '=', made[name]!).execute();
  await set('part', { paths: '["index"]' });
  await set('branch', { ref_requested: 'draft' });
  await set('staff', { groups: '["staff"]' });
  await set('failed', { status: 'failed' });
  await db
    .updateTable('exports')
    .set({ completed_at: new Date(Date.now() - 9 * 86_400_000) })
    .execute();
  const left = async () => {
    await removeExpired({ db, blobs, exportRetentionDays: 7 });
    return (await db.selectFrom('exports').select('id').execute()).map(({ id }) => id);
  };
  expect(await left()).toEqual([made.followed]);
  // A newer one takes its place.
  const next = await exports.start();
  await exports.run(next, produceOne('next'));
  expect(await left()).toEqual([next]);
  await db
    .updateTable('exports')
    .set({ completed_at: new Date(Date.now() - 9 * 86_400_000) })
    .execute();
  expect(await left()).toEqual([next]);
  await db.deleteFrom('domains').execute();
  expect(await left()).toEqual([]);
});
