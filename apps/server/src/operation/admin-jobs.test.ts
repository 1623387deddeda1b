/** Interventions of operators in jobs, queues and workers, on a real database. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findLoss } from '../exports/artifact.ts';
import { openTestExports, produceOne, type TestExports } from '../exports/job.fixture.ts';
import { beginExport } from '../exports/journal.ts';
import { recordLoss } from '../exports/lost-artifact.ts';
import { EXPORT_KIND } from '../exports/start.ts';
import { findExport } from '../exports/store.ts';
import { createOrganization } from '../organizations/service.ts';
import { newId } from '../platform/ids.ts';
import { announce, claimJob, newWorkerNumber } from '../platform/jobs/leases.ts';
import { NO_LIMITS } from '../platform/jobs/task.fixture.ts';
import { createJobsAdmin, type JobsAdmin } from './admin-jobs.ts';

let exports: TestExports;
let admin: JobsAdmin;
const events: string[] = [];

beforeAll(async () => {
  exports = await openTestExports();
  const { db } = exports.database;
  admin = createJobsAdmin({
    db,
    act: (event, run) => {
      events.push(`${event.action} ${event.target}`);
      return db.transaction().execute(run);
    },
    organizationOf: async (id) => ({ id }),
  });
});
afterAll(() => exports.close());
afterEach(async () => {
  const { db } = exports.database;
  await db.deleteFrom('jobs').execute();
  await db.deleteFrom('claim_stops').execute();
  events.length = 0;
});

const claim = (worker = newWorkerNumber(), kind = EXPORT_KIND) =>
  claimJob(exports.database.db, kind, NO_LIMITS, { worker, isIdle: true, passOver: [] });
const row = async (id: string) => (await findExport(exports.database.db, exports.organizationId, id))!;

test('a paused queue starts no job of its kind until it is resumed', async () => {
  const id = await exports.start();
  expect((await admin.pauseQueue('export')).paused).toEqual(['export']);
  // Twice is the same as once.
  await admin.pauseQueue('export');
  expect(await claim()).toBeUndefined();
  expect((await admin.resumeQueue('export')).paused).toEqual([]);
  expect((await claim())?.id).toBe(id);
  expect(events).toEqual(['pauseQueue export', 'pauseQueue export', 'resumeQueue export']);
});

test('without a kind, the jobs of all kinds are paused, and an unknown kind is named with the others', async () => {
  const { groups, paused } = await admin.pauseQueue(null);
  expect([...paused].sort()).toEqual([...new Set(groups.map(({ kind }) => kind))].sort());
  expect((await admin.resumeQueue(null)).paused).toEqual([]);
  await expect(admin.pauseQueue('exports')).rejects.toThrow(
    'Unknown kind of job: "exports". Use one of: export, agent, artifact, notification,',
  );
});

test('a paused kind does not stop another one', async () => {
  const id = await exports.start();
  await admin.pauseQueue('agent');
  await admin.pauseQueue('artifact');
  expect((await claim())?.id).toBe(id);
});

test('a drained worker starts nothing new, and is listed with its jobs while it lives', async () => {
  const worker = newWorkerNumber();
  await expect(admin.drainWorker(worker, true)).rejects.toThrow(/No live worker has the number/);
  const client = new pg.Client({
    connectionString: exports.databaseUrl,
    application_name: 'offprint-worker',
  });
  await client.connect();
  await announce(client, worker);
  const first = await exports.start();
  const second = await exports.start();
  expect((await claim(worker))?.id).toBe(first);
  expect(await admin.drainWorker(worker, true)).toMatchObject({ worker, jobs: 1, isDrained: true });
  expect(await claim(worker)).toBeUndefined();
  expect(await admin.listWorkers()).toEqual([
    expect.objectContaining({ worker, application: 'offprint-worker', jobs: 1, isDrained: true }),
  ]);
  expect((await claim())?.id).toBe(second);
  expect(await admin.drainWorker(worker, false)).toMatchObject({ isDrained: false });
  const third = await exports.start();
  expect((await claim(worker))?.id).toBe(third);
  await client.end();
  await expect.poll(() => admin.listWorkers()).toEqual([]);
});

test('a job that is queued again is taken from its worker, and its failures are forgotten', async () => {
  const { db } = exports.database;
  const id = await exports.start();
  const held = await claim(1);
  await db.transaction().execute((tx) => beginExport(tx, { id, attempt: held!.attempt }));
  await db.updateTable('jobs').set({ failures: 4, deaths: 2 }).where('id', '=', id).execute();
  expect(await admin.requeueJob(id)).toBe('job');
  expect(await exports.jobOf(id)).toEqual({ failures: 0, worker: null });
  await exports.run(id, produceOne('queued again'));
  expect(await row(id)).toMatchObject({ status: 'completed', attempt: held!.attempt + 1 });
});

test('of a completed export, the restoration of its lost artifact is queued again, and nothing else', async () => {
  const id = await exports.start();
  await exports.run(id, produceOne('completed'));
  await expect(admin.requeueJob(id)).rejects.toThrow(
    /has completed, and its artifact is not recorded as lost/,
  );
  await recordLoss(exports.database.db, await row(id), 'the index is missing');
  await exports.database.db.updateTable('lost_artifacts').set({ state: 'lost' }).execute();
  await exports.database.db.deleteFrom('jobs').execute();
  expect(await admin.requeueJob(id)).toBe('artifact');
  expect((await claim(1, 'artifact'))?.kind).toBe('artifact');
  expect(await findLoss(exports.blobs, exports.organizationId, (await row(id)).bundle_sha256!)).toBeNull();
});

test.each([
  [newId('se'), /No export or agent job has the id/],
  [newId('job'), /No agent job has the id/],
])('a job that does not exist (%s) is refused', async (id, message) => {
  await expect(admin.requeueJob(id)).rejects.toThrow(message);
});

test('all unfinished exports and agent jobs of an organization are cancelled, and none of another', async () => {
  const { db } = exports.database;
  const { organizationId, projectId } = exports;
  await db.deleteFrom('exports').execute();
  const ids = [await exports.start(), await exports.start()];
  const running = await claim(1);
  await db.transaction().execute((tx) => beginExport(tx, { id: running!.id, attempt: running!.attempt }));
  const job = (id: string, owner: string, phase: 'queued' | 'running' | 'idle') => ({
    id,
    organization_id: owner,
    project_id: projectId,
    phase,
    created_by: 'test',
    repository: 'https://git.example.com/docs.git',
    model: 'test',
  });
  const agentJobs = [newId('job'), newId('job'), newId('job')] as const;
  await db
    .insertInto('agent_jobs')
    .values([
      job(agentJobs[0], organizationId, 'queued'),
      job(agentJobs[1], organizationId, 'running'),
      job(agentJobs[2], organizationId, 'idle'),
    ])
    .execute();
  const other = await createOrganization(db, { name: 'Other', plan: 'enterprise' });
  const theirs = newId('se');
  await db
    .insertInto('exports')
    .values({ id: theirs, organization_id: other.id, domain: 'docs.example.org' })
    .execute();
  expect(await admin.cancelJobs(organizationId)).toEqual({ organizationId, exports: 2, agentJobs: 2 });
  for (const id of ids) expect(await row(id)).toMatchObject({ status: 'failed', error_code: 'cancelled' });
  const phases = await db.selectFrom('agent_jobs').select(['id', 'phase']).execute();
  expect(new Map(phases.map(({ id, phase }) => [id, phase]))).toEqual(
    new Map([
      [agentJobs[0], 'failed'],
      [agentJobs[1], 'failed'],
      [agentJobs[2], 'idle'],
    ]),
  );
  expect(await findExport(db, other.id, theirs)).toMatchObject({ status: 'queued' });
  expect(await db.selectFrom('jobs').select('id').execute()).toEqual([]);
  expect(await admin.cancelJobs(organizationId)).toEqual({ organizationId, exports: 0, agentJobs: 0 });
});
