/** Files of vectors in the store: they go with their artifact, and when the project no longer uses them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestExports, produceOne, type TestExports } from '../exports/job.fixture.ts';
import { removeExport, unfinishedVectorsKey, vectorsKey } from '../exports/service.ts';
import { connect } from '../operation/backup.ts';
import { keepFiles } from '../platform/db/keep-files.ts';
import { requeueVectors } from './store.ts';
import { removeUnusedVectors } from './sweep.ts';

const SPACE = 'a'.repeat(32);

let exports: TestExports;
let exportId: string;
let bundle: string;
let file: string;
let sites = 0;

beforeAll(async () => {
  exports = await openTestExports();
});
afterAll(() => exports.close());

beforeEach(async () => {
  const { database, blobs, organizationId, projectId } = exports;
  exportId = await exports.start();
  await exports.run(exportId, produceOne(`site ${++sites}`));
  const row = await database.db
    .selectFrom('exports')
    .select('bundle_sha256')
    .where('id', '=', exportId)
    .executeTakeFirstOrThrow();
  bundle = row.bundle_sha256!;
  const content = Buffer.from(`vectors of ${bundle}`);
  file = createHash('sha256').update(content).digest('hex');
  await blobs.put(vectorsKey(organizationId, bundle, file), content);
  await blobs.put(unfinishedVectorsKey(organizationId, bundle, SPACE), content);
  const of = { organization_id: organizationId, project_id: projectId, space: SPACE };
  await database.db
    .insertInto('vector_settings')
    .values({ ...of, provider: 'openai', model: 'm' })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ space: SPACE }))
    .execute();
  await database.db.deleteFrom('bundle_vectors').execute();
  await database.db
    .insertInto('bundle_vectors')
    .values({
      id: `vec_${sites}`,
      ...of,
      bundle_sha256: bundle,
      state: 'stored',
      file_sha256: file,
      sections: 1,
    })
    .execute();
});

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of exports.blobs.list(`artifacts/${exports.organizationId}/${bundle}/`))
    found.push(key.split('/').at(-1)!);
  return found;
}
const vectorFiles = async () => (await keys()).filter((name) => name.startsWith('vectors-'));
const sweep = () =>
  removeUnusedVectors({ db: exports.database.db, blobs: exports.blobs }, new AbortController().signal);
const rows = () => exports.database.db.selectFrom('bundle_vectors').selectAll().execute();

test('they are removed with the last export of their bundle, and the sweep removes the row', async () => {
  const { database, blobs, organizationId } = exports;
  expect(await vectorFiles()).toHaveLength(2);
  expect(await removeExport(database.db, blobs, organizationId, exportId)).toEqual({ isDeleted: true });
  expect(await keys()).toEqual([]);
  await sweep();
  expect(await rows()).toEqual([]);
});

test('they stay while the project uses them, and go when it has another endpoint', async () => {
  await sweep();
  expect(await vectorFiles()).toHaveLength(2);
  await exports.database.db.updateTable('vector_settings').set({ space: 'other' }).execute();
  await sweep();
  expect(await vectorFiles()).toEqual([]);
  expect((await keys()).length).toBeGreaterThan(1);
  expect(await rows()).toEqual([]);
});

test('a file that another row names stays', async () => {
  const { database, organizationId } = exports;
  await database.db
    .insertInto('projects')
    .values({
      id: `prj_other_${sites}`,
      organization_id: organizationId,
      name: 'Other',
      source_kind: 'upload',
    })
    .execute();
  const of = { organization_id: organizationId, project_id: `prj_other_${sites}`, space: SPACE };
  await database.db
    .insertInto('vector_settings')
    .values({ ...of, provider: 'openai', model: 'm' })
    .execute();
  await database.db
    .insertInto('bundle_vectors')
    .values({
      id: `vec_other_${sites}`,
      ...of,
      bundle_sha256: bundle,
      state: 'stored',
      file_sha256: file,
      sections: 1,
    })
    .execute();
  await database.db
    .updateTable('vector_settings')
    .set({ space: 'other' })
    .where('project_id', '=', exports.projectId)
    .execute();
  await sweep();
  expect(await rows()).toHaveLength(1);
  expect(await vectorFiles()).toContain(`vectors-${file}`);
});

test('nothing is removed while a backup runs', async () => {
  const keeper = await connect(exports.databaseUrl);
  await keepFiles(keeper);
  await exports.database.db.updateTable('vector_settings').set({ space: 'other' }).execute();
  await sweep();
  expect([await vectorFiles(), await rows()]).toEqual([expect.any(Array), [expect.anything()]]);
  expect(await vectorFiles()).toHaveLength(2);
  await keeper.end();
  await expect.poll(() => sweep().then(vectorFiles)).toEqual([]);
});

test('a missing file is made again, by one job', async () => {
  const [row] = await rows();
  await requeueVectors(exports.database.db, row!);
  await requeueVectors(exports.database.db, row!);
  expect(await rows()).toMatchObject([{ state: 'queued', file_sha256: null }]);
  const jobs = await exports.database.db
    .selectFrom('jobs')
    .select(['id', 'lane'])
    .where('kind', '=', 'vectors')
    .execute();
  expect(jobs).toEqual([{ id: row!.id, lane: exports.projectId }]);
});
