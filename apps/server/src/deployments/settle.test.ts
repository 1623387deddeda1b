/** What follows the end of a deployment: notifications, and the record of the links that production has served. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestExports, produceOne, type TestExports } from '../exports/job.fixture.ts';
import { readLinkRecord, recordServedExport } from '../exports/link-record.ts';
import { createLookUp } from '../exports/look-up.ts';
import { createArtifactReader, createOpenExport } from '../exports/stored-artifact.ts';
import { addEndpoint, toldOf } from '../notifications/endpoint.fixture.ts';
import { newId } from '../platform/ids.ts';
import type { Work } from '../platform/jobs/jobs.ts';
import { promoteDeployment } from './promote.ts';
import { settleExport } from './settle.ts';
import { createDeploymentTaskKind } from './tasks.ts';

let exports: TestExports;
let production: string;

beforeAll(async () => {
  exports = await openTestExports();
  const { organizationId, projectId, database } = exports;
  await addEndpoint(database.db, { organizationId, projectId }, [
    'deployment.succeeded',
    'deployment.failed',
  ]);
  production = await addSite(null);
});
afterAll(() => exports.close());

async function addSite(branch: string | null): Promise<string> {
  const id = newId('site');
  await exports.database.db
    .insertInto('sites')
    .values({
      id,
      organization_id: exports.organizationId,
      project_id: exports.projectId,
      branch,
      label: branch === null ? null : id.replace('_', '-').slice(0, 40),
      expires_at: branch === null ? null : new Date(Date.now() + 60_000),
    })
    .execute();
  return id;
}

/** A deployment whose export has ended: completed with a page, or failed. */
async function deploy(siteId: string, page: string | { code: string }, position: number) {
  const { db } = exports.database;
  const exportId = await exports.start();
  if (typeof page === 'string') await exports.run(exportId, produceOne(page));
  else {
    await db
      .updateTable('exports')
      .set({ status: 'failed', error: 'A page is broken.', error_code: page.code })
      .where('id', '=', exportId)
      .execute();
  }
  const id = newId('dep');
  const site = await db.selectFrom('sites').selectAll().where('id', '=', siteId).executeTakeFirstOrThrow();
  await db
    .insertInto('deployments')
    .values({
      id,
      organization_id: exports.organizationId,
      project_id: exports.projectId,
      site_id: siteId,
      position,
      branch: site.branch,
      export_id: exportId,
      source: 'api',
      created_by: 'test',
    })
    .execute();
  await db.updateTable('sites').set({ requests: position }).where('id', '=', siteId).execute();
  await db.transaction().execute((tx) => settleExport(tx, exportId));
  return id;
}

const told = async () => (await toldOf(exports.database.db, exports.projectId)).slice(-1);
const tasks = () =>
  exports.database.db
    .selectFrom('deployment_tasks')
    .select(['id', 'deployment_id', 'task', 'state', 'attempt'])
    .orderBy('created_at')
    .execute();

const kind = () => {
  const { blobs, database } = exports;
  const { db } = database;
  const openExport = createOpenExport(db, createArtifactReader(blobs));
  const means = { db, blobs, lookUp: createLookUp(db), openExport };
  return createDeploymentTaskKind({
    db,
    log: pino({ level: 'silent' }),
    recordLinks: (of) => recordServedExport(means, of),
    previewDomain: 'previews.example.net',
    publicUrl: null,
    markerKey: Buffer.alloc(32, 2),
    openFeedback: async () => null,
    report: () => Promise.reject(new Error('nothing is compared here')),
  });
};

async function runTask(id: string, attempt = 1): Promise<string> {
  const { db } = exports.database;
  const work: Work | undefined = await db.transaction().execute((tx) => kind().begin(tx, { id, attempt }));
  if (work === undefined) return 'nothing';
  const { signal } = new AbortController();
  return work.run({ id, attempt, signal, folder: '', lose: () => undefined });
}

test('a deployment that is served or has failed is reported once, a cancelled one is not', async () => {
  const first = await deploy(production, 'first', 1);
  expect(await told()).toMatchObject([
    {
      event: 'deployment.succeeded',
      subject: 'The update of Docs is live',
      data: { deploymentId: first, kind: 'production', error: null },
    },
  ]);
  const failed = await deploy(production, { code: 'invalid_config' }, 2);
  expect(await told()).toMatchObject([
    {
      event: 'deployment.failed',
      subject: 'The update of Docs failed',
      data: { deploymentId: failed, error: 'A page is broken.', errorCode: 'invalid_config' },
    },
  ]);
  const topic = await addSite('topic');
  await deploy(topic, 'preview', 1);
  expect(await told()).toMatchObject([{ subject: 'The preview of Docs (topic) is live' }]);
  await deploy(production, { code: 'cancelled' }, 3);
  expect(await toldOf(exports.database.db, exports.projectId)).toHaveLength(3);
});

test('an update that a later one has replaced is not reported as live', async () => {
  const before = await toldOf(exports.database.db, exports.projectId);
  await exports.database.db.updateTable('sites').set({ position: 10 }).where('id', '=', production).execute();
  await deploy(production, 'late', 9);
  expect(await toldOf(exports.database.db, exports.projectId)).toHaveLength(before.length);
});

test('what production has served is recorded after an update and after a promotion, never of a preview', async () => {
  const { organizationId, projectId, database } = exports;
  const { db } = database;
  await db.updateTable('sites').set({ position: 0 }).where('id', '=', production).execute();
  await db.deleteFrom('deployment_tasks').execute();
  await deploy(await addSite('other'), 'preview', 1);
  expect(await tasks()).toEqual([]);
  const [old, current] = [await deploy(production, 'old', 20), await deploy(production, 'new', 21)];
  await promoteDeployment(db, { organizationId, projectId, id: old }, { replaces: undefined, by: 'test' });
  const queued = await tasks();
  expect(queued.map(({ deployment_id: id, task }) => [id, task])).toEqual([
    [old, 'links'],
    [current, 'links'],
    [old, 'links'],
  ]);
  expect(await readLinkRecord(db, organizationId, projectId)).toBeNull();
  for (const { id } of queued) expect(await runTask(id)).toBe('completed');
  const record = await readLinkRecord(db, organizationId, projectId);
  expect(record?.links.map(({ url }) => url)).toContain('/');
  expect((await tasks()).map(({ state }) => state)).toEqual(['completed', 'completed', 'completed']);
  expect(await runTask(queued[0]?.id ?? '', 2), 'an ended task does not run again').toBe('nothing');
});

test('a task whose artifact is lost fails with the reason, and one that is interrupted waits again', async () => {
  const { db } = exports.database;
  await deploy(production, 'interrupted', 40);
  const id = (await tasks()).at(-1)?.id ?? '';
  const task = kind();
  await db.transaction().execute((tx) => task.begin(tx, { id, attempt: 1 }));
  expect(await db.transaction().execute((tx) => task.release(tx, { id, attempt: 1 }))).toBe(true);
  expect((await tasks()).at(-1)).toMatchObject({ state: 'queued', attempt: 1 });
  await db.transaction().execute((tx) => task.begin(tx, { id, attempt: 2 }));
  const failure = { code: 'artifact_lost', message: 'The artifact is lost.', retryable: false };
  expect(await db.transaction().execute((tx) => task.fail(tx, { id, attempt: 1 }, failure, 1))).toBe(false);
  expect(await db.transaction().execute((tx) => task.fail(tx, { id, attempt: 2 }, failure, 1))).toBe(true);
  expect((await tasks()).at(-1)).toMatchObject({ state: 'failed' });
});
