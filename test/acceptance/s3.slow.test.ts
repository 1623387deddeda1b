/**
 * An API and a worker in processes of their own, each with a data folder that the other does not see: they share
 * PostgreSQL and a bucket, and nothing else.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { type S3Double, startS3Double } from '../support/s3/double.ts';
import type { OperationName } from '../support/s3/model.ts';
import { noteSecrets } from '../support/secrets.ts';
import { isFull } from '../support/size.ts';
import {
  type Bundle,
  call,
  createProject,
  expectError,
  follow,
  type Job,
  makeFolder,
  runExport,
  siteFiles,
} from './api.ts';

const JOBS = '/v1/static-export/jobs';
const BUNDLE = '/v1/static-export/bundle';
const MIB = 1_048_576;
/** Detects a hang; exports run at low priority on a busy machine. */
const LONG_MS = 300_000;
/** Calls that a worker is killed in; `OFFPRINT_TEST=full`: all of those that store something. */
const KILLED_AT: readonly OperationName[] = isFull
  ? ['PutObject', 'CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload']
  : ['UploadPart'];

let double: S3Double;
let platform: TestPlatform;
let tenant: Tenant;
let domain: string;
let job: Job;

const ask = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  options: Parameters<typeof call>[3] = {},
) => call<Body>(platform.url, method, path, { key: tenant.key, ...options });

const keys = (below = ''): string[] =>
  [...double.store.objects.keys()].filter((key) => key.startsWith(`docs/${below}`)).sort();

const digestOf = async (response: Response) =>
  createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');

const startWorker = (env: Record<string, string> = {}) =>
  platform.start(['worker'], { OFFPRINT_DATA_DIR: join(platform.dataDir, 'of-the-worker'), ...env });

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + LONG_MS / 2;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`still not: ${what}\n${platform.log()}`);
    // A connection that lies idle for minutes may close under the next call.
    expect((await ask('GET', '/healthz')).status).toBe(200);
    await sleep(200);
  }
}

async function end(child: ReturnType<typeof startWorker>, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function bundleOf(jobId: string): Promise<Bundle> {
  const reply = await ask<Bundle>('POST', `${JOBS}/${jobId}/bundle`);
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

/** A project with an uploaded source; returns its domain. */
async function uploadSite(files: Record<string, string>, asset?: Buffer): Promise<string> {
  const folder = await makeFolder(files);
  if (asset !== undefined) await writeFile(join(folder, 'large.bin'), asset);
  const packed = await promisify(execFile)('tar', ['czf', '-', '-C', folder, '.'], {
    encoding: 'buffer',
    maxBuffer: 256 * MIB,
  });
  const { projectId, domain: made } = await createProject(platform.url, tenant.key, { kind: 'upload' });
  const reply = await ask('PUT', `/v1/projects/${projectId}/source`, {
    headers: { 'content-type': 'application/gzip' },
    body: packed.stdout,
  });
  expect(reply.status, reply.text).toBe(200);
  return made;
}

beforeAll(async () => {
  double = await startS3Double({ pageSize: 3 });
  noteSecrets(double.identity.secretAccessKey);
  platform = await startTestPlatform({
    roles: ['api'],
    env: {
      OFFPRINT_S3_BUCKET: double.bucket,
      OFFPRINT_S3_REGION: double.region,
      OFFPRINT_S3_ENDPOINT: double.url,
      OFFPRINT_S3_ACCESS_KEY_ID: double.identity.accessKeyId,
      OFFPRINT_S3_SECRET_ACCESS_KEY: double.identity.secretAccessKey,
      OFFPRINT_S3_PREFIX: 'docs',
    },
  });
  tenant = await platform.createTenant();
  const worker = startWorker();
  domain = await uploadSite(siteFiles(5, 'In a bucket'));
  job = await runExport(platform.url, tenant.key, { domain });
  expect(job.status, job.error).toBe('completed');
  await end(worker, 'SIGTERM');
}, LONG_MS);
afterAll(async () => {
  await platform.stop();
  await double.close();
});

describe('an export of processes that share a bucket', () => {
  test('is stored in the bucket as a whole, and not in a folder', () => {
    const { organizationId } = tenant;
    const sha256 = keys('bundles/')[0]!.slice(-71, -7);
    expect(keys('bundles/')).toEqual([`docs/bundles/${organizationId}/${sha256}.tar.gz`]);
    expect(keys('sources/')).toHaveLength(1);
    expect(keys('artifacts/')).toContain(`docs/artifacts/${organizationId}/${sha256}/index.json`);
    expect(keys().length).toBe(double.store.objects.size);
    for (const folder of [platform.dataDir, join(platform.dataDir, 'of-the-worker')]) {
      expect(existsSync(join(folder, 'blobs'))).toBe(false);
    }
  });

  test('has links into the bucket, which work while the platform is stopped, and which it does not serve', async () => {
    const bundle = await bundleOf(job.jobId);
    expect(new URL(bundle.bundleUrl).origin).toBe(double.url);
    const response = await fetch(bundle.bundleUrl);
    expect(response.headers.get('content-disposition')).toContain(`attachment; filename="${domain}-`);
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(response.headers.get('content-length')).toBe(String(bundle.sizeBytes));
    expect(await digestOf(response)).toBe(bundle.sha256);
    const part = await fetch(bundle.bundleUrl, { headers: { range: 'bytes=0-1' } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).toString('hex')]).toEqual([206, '1f8b']);
    const path = keys('bundles/')[0]!.slice('docs/'.length);
    const running = platform.processes().filter(({ exitCode }) => exitCode === null);
    for (const child of running) child.kill('SIGSTOP');
    expect(await digestOf(await fetch(bundle.bundleUrl))).toBe(bundle.sha256);
    for (const child of running) child.kill('SIGCONT');
    expectError(await ask('GET', `/blobs/${path}${new URL(bundle.bundleUrl).search}`), 404, 'not_found');
  });

  test('is the newest of its domain, by a link that is known by its digest', async () => {
    const newest = await ask<Bundle>('GET', `${BUNDLE}?domain=${domain}`);
    expect(newest.status, newest.text).toBe(200);
    expect(await digestOf(await fetch(newest.body.bundleUrl))).toBe(newest.body.sha256);
    const etag = newest.headers.get('etag')!;
    const again = await ask('GET', `${BUNDLE}?domain=${domain}`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  test('is packed again, byte for byte, when the bundle is gone from the bucket', async () => {
    const { sha256 } = await bundleOf(job.jobId);
    double.store.objects.delete(keys('bundles/')[0]!);
    expect(await digestOf(await fetch((await bundleOf(job.jobId)).bundleUrl))).toBe(sha256);
  });

  test('is previewed from the bucket', async () => {
    const { body } = await ask<{ url: string }>('POST', `${JOBS}/${job.jobId}/preview`);
    noteSecrets(new URL(body.url).pathname.split('/')[2]!);
    const page = await fetch(new URL('guide/page-1', body.url));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('guide/page-1')]);
  });
});

describe('a bucket out of reach', () => {
  test('makes the API not ready, with the reason in the log, until it is back', async () => {
    double.planned = [{ operation: 'ListObjectsV2', trouble: 'AccessDenied', times: 1 }];
    const refused = await ask<{ checks: Record<string, string> }>('GET', '/readyz');
    expect([refused.status, refused.body.checks.blobs]).toEqual([
      503,
      'The store of the server is unavailable. Ask the operator to check it.',
    ]);
    expect(platform.log()).toContain(
      'The credentials are not allowed to do this in the bucket offprint-test',
    );
    expect((await ask('GET', '/readyz')).status).toBe(200);
  });

  test('is reported as 503 to a request for a link, and the next request returns it', async () => {
    double.planned = [{ operation: 'HeadObject', trouble: 'AccessDenied', times: 1 }];
    const refused = await ask('POST', `${JOBS}/${job.jobId}/bundle`);
    expectError(refused, 503, 'unavailable');
    expect(refused.headers.get('retry-after')).toBe('5');
    await bundleOf(job.jobId);
  });
});

describe('a worker that is killed before the response of the store', () => {
  let large: string;

  test.each(KILLED_AT)(
    '%s leaves an export that the next one completes, no upload after the sweep, and old exports to retention',
    async (operation) => {
      large ??= await uploadSite(
        { ...siteFiles(1, 'Large'), 'index.mdx': '---\ntitle: Home\n---\n\n[Large](/large.bin)\n' },
        randomBytes(9 * MIB),
      );
      const held = double.hold(operation);
      const worker = startWorker();
      const started = await ask<Job>('POST', JOBS, { body: { domain: large } });
      await until(`${operation} is asked for`, () => held.isReached());
      await end(worker, 'SIGKILL');
      double.seen = [];
      held.release();
      // The store does it all the same; nobody hears of it.
      await until('the call is done', () => double.seen.length > 0);
      const isLeft = operation === 'CreateMultipartUpload' || operation === 'UploadPart';
      expect(double.store.uploads.size).toBe(isLeft ? 1 : 0);
      // A day passes; three for the first export, which is now one that no deployment follows.
      for (const left of double.store.uploads.values())
        left.initiated = new Date(Date.now() - 25 * 3_600_000);
      await platform.database.db
        .updateTable('exports')
        .set({ completed_at: new Date(Date.now() - 3 * 86_400_000), ref_requested: 'draft' })
        .where('id', '=', job.jobId)
        .execute();

      await platform.database.db.deleteFrom('periodic_tasks').execute();
      const next = startWorker({ OFFPRINT_EXPORT_RETENTION_DAYS: '1' });
      expect((await follow(platform.url, tenant.key, started.body.jobId, 100)).at(-1)).toMatchObject({
        status: 'completed',
      });
      await until('the upload of the dead is gone', () => double.store.uploads.size === 0);
      await until('the first export is gone', () => keys('bundles/').length === 1);
      expectError(await ask('GET', `${JOBS}/${job.jobId}`), 404, 'not_found');
      const bundle = await bundleOf(started.body.jobId);
      expect(keys('bundles/')[0]).toContain(bundle.sha256);
      expect(bundle.sizeBytes).toBeGreaterThan(9 * MIB);
      expect(await digestOf(await fetch(bundle.bundleUrl))).toBe(bundle.sha256);
      await end(next, 'SIGTERM');

      expect((await ask('DELETE', `${JOBS}/${started.body.jobId}`)).status).toBe(204);
      expect([...keys('bundles/'), ...keys('artifacts/')]).toEqual([]);
      expect(keys('sources/')).toHaveLength(2);
    },
    LONG_MS,
  );
});

test('in all of it only the protocol was spoken', () => {
  expect(double.violations).toEqual([]);
});
