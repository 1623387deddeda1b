/** What happens to running exports when they are cancelled and when workers stop or die. */
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, follow, type Job, makeFolder, siteFiles } from './api.ts';

const JOBS = '/v1/static-export/jobs';
const PAGES = 1_000;

let platform: TestPlatform;
let tenant: Tenant;
let path: string;
let domain: string;
let jobId: string;

const read = async (id = jobId) =>
  (await call<Job>(platform.url, 'GET', `${JOBS}/${id}`, { key: tenant.key })).body;

async function start(): Promise<string> {
  const reply = await call<Job>(platform.url, 'POST', JOBS, { key: tenant.key, body: { domain } });
  expect(reply.status, reply.text).toBe(202);
  return reply.body.jobId;
}

/** Resolves while the export renders: some pages are done, most are not. */
async function rendering(): Promise<void> {
  for (;;) {
    const job = await read();
    expect(job.status, job.error).not.toBe('completed');
    if (job.status === 'running' && job.pageCount > 0) return;
    await sleep(20);
  }
}

const history = () =>
  platform.database.db
    .selectFrom('export_events')
    .select(['event', 'attempt'])
    .where('export_id', '=', jobId)
    .orderBy('id')
    .execute();

const workFolders = async () =>
  (await readdir(join(platform.dataDir, 'work')).catch(() => [])).filter((name) => name.startsWith('se_'));

beforeAll(async () => {
  platform = await startTestPlatform({ roles: ['api'] });
  tenant = await platform.createTenant();
  path = await makeFolder(siteFiles(PAGES, 'Worker', 40));
});
beforeEach(async () => {
  // of its own: the pages of an earlier export would make this one short
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
  jobId = await start();
});
afterAll(() => platform.stop());

describe('a running export', () => {
  test('that is cancelled ends failed with Cancelled, its child and its work folder go, and the next one runs', async () => {
    const worker = platform.start(['worker'], { OFFPRINT_EXPORT_CONCURRENCY: '1' });
    await rendering();
    const reply = await call<Job>(platform.url, 'POST', `${JOBS}/${jobId}/cancel`, { key: tenant.key });
    expect(reply.body).toMatchObject({ status: 'failed', error: 'Cancelled', errorCode: 'cancelled' });
    const pages = reply.body.pageCount;
    await expect.poll(workFolders).toEqual([]);
    expect(await read()).toMatchObject({ status: 'failed', error: 'Cancelled', pageCount: pages });
    expect((await history()).map(({ event }) => event)).toEqual(['queued', 'claimed', 'failed']);
    jobId = await start();
    expect((await follow(platform.url, tenant.key, jobId)).at(-1)).toMatchObject({
      status: 'completed',
      pageCount: PAGES + 1,
    });
    worker.kill('SIGTERM');
    await once(worker, 'exit');
  });

  test('whose worker receives SIGTERM is requeued at once, counts no failure, and is completed by the next worker', async () => {
    const worker = platform.start(['worker'], { OFFPRINT_SHUTDOWN_SECONDS: '0' });
    await rendering();
    const before = (await read()).progress;
    worker.kill('SIGTERM');
    const [code] = (await once(worker, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(await workFolders()).toEqual([]);
    const given = await read();
    expect(given.status).toBe('queued');
    expect(given.progress).toBeGreaterThanOrEqual(before);
    expect((await history()).map(({ event }) => event)).toEqual(['queued', 'claimed', 'released']);
    const next = platform.start(['worker']);
    const seen = await follow(platform.url, tenant.key, jobId);
    expect(seen.at(-1)).toMatchObject({ status: 'completed', pageCount: PAGES + 1 });
    const progress = seen.map((job) => job.progress);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(await history()).toEqual([
      { event: 'queued', attempt: 0 },
      { event: 'claimed', attempt: 1 },
      { event: 'released', attempt: 1 },
      { event: 'claimed', attempt: 2 },
      { event: 'completed', attempt: 2 },
    ]);
    next.kill('SIGTERM');
    await once(next, 'exit');
  });

  test('whose worker is killed is taken over and completed once; the folders of the dead are removed', async () => {
    const worker = platform.start(['worker']);
    await rendering();
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(await workFolders()).toHaveLength(1);
    const next = platform.start(['worker']);
    expect((await follow(platform.url, tenant.key, jobId, 50)).at(-1)).toMatchObject({
      status: 'completed',
      pageCount: PAGES + 1,
    });
    expect((await history()).filter(({ event }) => event === 'completed')).toHaveLength(1);
    next.kill('SIGTERM');
    await once(next, 'exit');
    const last = platform.start(['worker']);
    const left = async () =>
      (await readdir(join(platform.dataDir, 'work'))).filter((name) => !name.endsWith(`-${last.pid}`));
    await expect.poll(left).toEqual([]);
    last.kill('SIGTERM');
    await once(last, 'exit');
  });

  test('that needs more CPU time than the limit fails at once and names the limit', async () => {
    const worker = platform.start(['worker'], { OFFPRINT_EXPORT_CPU_SECONDS: '1' });
    const job = (await follow(platform.url, tenant.key, jobId, 50)).at(-1);
    expect(job).toMatchObject({ status: 'failed', errorCode: 'cpu_limit' });
    expect(job?.error).toMatch(/more than 1 s of CPU time.*OFFPRINT_EXPORT_CPU_SECONDS/);
    worker.kill('SIGTERM');
    await once(worker, 'exit');
  });
});
