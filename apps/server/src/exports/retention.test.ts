import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestExports, produceOne, type TestExports } from './job.fixture.ts';
import { previewRetention, removeExpired } from './retention.ts';

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
    await removeExpired({ db, blobs, retention: { days: 7, count: 0 } });
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

test('retention by count keeps the newest of each domain and state, and the preview names what it deletes', async () => {
  const { organizationId, blobs, database } = exports;
  const { db } = database;
  await db.deleteFrom('exports').execute();
  const ids: string[] = [];
  for (const name of ['one', 'two', 'same', 'same', 'broken', 'other']) {
    const id = await exports.start();
    await exports.run(id, produceOne(name));
    ids.push(id);
  }
  const set = (at: number, values: Record<string, unknown>) =>
    db
      .updateTable('exports')
      .set(values)
      .where('id', '=', ids[at] ?? '')
      .execute();
  for (const at of ids.keys()) await set(at, { created_at: new Date(Date.now() - (100 - at) * 1_000) });
  // Not counted with those that are completed.
  await set(4, { status: 'failed' });
  await set(5, { domain: 'other.example.com' });
  const left = async () =>
    new Set((await db.selectFrom('exports').select('id').execute()).map(({ id }) => id));

  expect(await previewRetention(db, { days: 0, count: 0 })).toEqual({ exports: [], freedBytes: 0 });
  await removeExpired({ db, blobs, retention: { days: 0, count: 0 } });
  expect(await left()).toEqual(new Set(ids));

  const preview = await previewRetention(db, { days: 0, count: 1 });
  expect(preview.exports.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  // The bundle of the third is also that of the fourth, which is kept.
  const sizes = await db.selectFrom('exports').select(['id', 'bundle_bytes']).execute();
  const bytes = (at: number) => sizes.find(({ id }) => id === ids[at])?.bundle_bytes ?? 0;
  expect(preview.freedBytes).toBe(bytes(0) + bytes(1));
  expect((await previewRetention(db, { days: 0, count: 1 }, 'org_other')).exports).toEqual([]);
  expect((await previewRetention(db, { days: 0, count: 1 }, organizationId)).exports).toHaveLength(3);
  expect(await left()).toEqual(new Set(ids));

  await removeExpired({ db, blobs, retention: { days: 0, count: 1 } });
  expect(await left()).toEqual(new Set(ids.slice(3)));
});

test('retention keeps exports that are live, wait to be live, or belong to the 10 newest deployments of a site', async () => {
  const { organizationId, projectId, blobs, database } = exports;
  const { db } = database;
  await db.deleteFrom('exports').execute();
  const of = { organization_id: organizationId, project_id: projectId };
  const siteId = `site_${projectId}`;
  await db
    .insertInto('sites')
    .values({ id: siteId, ...of })
    .execute();
  const ids: string[] = [];
  for (let position = 1; position <= 14; position++) {
    const id = await exports.start();
    await exports.run(id, produceOne(`deployed ${position}`));
    const deployment = { id: `dep_${id}`, ...of, site_id: siteId, position, export_id: id };
    const status = position === 12 ? 'failure' : position === 13 ? 'queued' : 'success';
    await db
      .insertInto('deployments')
      .values({ ...deployment, status, source: 'api', created_by: 'test' })
      .execute();
    ids.push(id);
  }
  const [live = ''] = ids;
  await db
    .updateTable('sites')
    .set({ deployment_id: `dep_${live}`, export_id: live })
    .where('id', '=', siteId)
    .execute();
  await db
    .updateTable('exports')
    .set({ completed_at: new Date(Date.now() - 9 * 86_400_000) })
    .execute();
  await removeExpired({ db, blobs, retention: { days: 7, count: 0 } });
  const left = new Set((await db.selectFrom('exports').select('id').execute()).map(({ id }) => id));
  // Of 12 successful ones the first is live and the second too old; the 12th has failed, the 13th waits.
  expect(ids.filter((id) => !left.has(id))).toEqual([ids[1], ids[11]]);
  await expect(db.deleteFrom('exports').where('id', '=', live).execute()).rejects.toThrow(/sites/);
  await db.deleteFrom('organizations').where('id', '=', organizationId).execute();
  expect(await db.selectFrom('deployments').select('id').execute()).toEqual([]);
});
