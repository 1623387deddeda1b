/** Files with events of readers: a platform, its workers and a bucket. Each file is written once, whatever dies. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueEventFiles } from '../../apps/server/src/analytics/files.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { type S3Double, startS3Double } from '../support/s3/double.ts';
import { noteSecrets } from '../support/secrets.ts';
import { call, createProject } from './api.ts';

const TOKEN = 'hosting-token-of-the-test-0123456789';
const DAY_MS = 86_400_000;
const HANG_MS = 240_000;

let double: S3Double;
let platform: TestPlatform;
let tenant: Tenant;
let projectId: string;

beforeAll(async () => {
  double = await startS3Double();
  noteSecrets(double.identity.secretAccessKey);
  platform = await startTestPlatform({
    roles: ['api'],
    env: {
      OFFPRINT_HOSTING_TOKEN: TOKEN,
      OFFPRINT_S3_BUCKET: double.bucket,
      OFFPRINT_ANALYTICS_BUCKET: double.bucket,
      OFFPRINT_S3_REGION: double.region,
      OFFPRINT_S3_ENDPOINT: double.url,
      OFFPRINT_S3_ACCESS_KEY_ID: double.identity.accessKeyId,
      OFFPRINT_S3_SECRET_ACCESS_KEY: double.identity.secretAccessKey,
    },
  });
  tenant = await platform.createTenant();
  ({ projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' }));
}, 300_000);
afterAll(async () => {
  await platform?.stop();
  await double?.close();
});

/** The noon of a day before today. */
const noon = (daysAgo: number): Date => {
  const day = new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  return new Date(`${day}T12:00:00Z`);
};
const keyOf = (daysAgo: number, project = projectId) =>
  `analytics/${project}/${noon(daysAgo).toISOString().slice(0, 10)}.jsonl`;

async function report(daysAgo: number, paths: readonly string[], project = projectId): Promise<void> {
  const events = paths.map((path, at) => ({
    ...{ at: noon(daysAgo).getTime() + at, projectId: project, client: 'person', kind: 'view', path },
    ...{ visitor: randomBytes(8).toString('hex'), isMarkdown: false, referrer: null },
  }));
  const body = { id: randomBytes(12).toString('hex'), events };
  const reply = await call<{ stored: number }>(platform.url, 'POST', '/v1/hosting/events', {
    key: TOKEN,
    body,
  });
  expect(reply.body.stored, reply.text).toBe(paths.length);
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + HANG_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`it takes too long:\n${platform.log()}`);
    await sleep(50);
  }
}

const stateOf = async (daysAgo: number): Promise<string | undefined> => {
  const row = await platform.database.db
    .selectFrom('analytics_files')
    .select('state')
    .where('project_id', '=', projectId)
    .where('day', '=', noon(daysAgo).toISOString().slice(0, 10))
    .executeTakeFirst();
  return row?.state;
};
const puts = (key: string) => double.seen.filter((one) => one.operation === 'PutObject' && one.key === key);
const pathsIn = (key: string): string[] =>
  String(double.store.objects.get(key)?.bytes)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).path);

test('the events of a day that is over are written once, and what is open or empty is not', async () => {
  const other = await createProject(platform.url, tenant.key, { kind: 'upload' });
  await report(2, ['/one', '/two']);
  await report(1, ['/open']);
  await report(0, ['/today']);
  await report(3, ['/other'], other.projectId);
  const worker = platform.start(['worker']);
  await until(async () => (await stateOf(2)) === 'written');
  await until(() => double.store.objects.has(keyOf(3, other.projectId)));
  expect(pathsIn(keyOf(2))).toEqual(['/one', '/two']);
  expect(String(double.store.objects.get(keyOf(2))?.bytes)).not.toContain('visitor');
  const files = [...double.store.objects.keys()].filter((key) => key.startsWith('analytics/')).sort();
  expect(files).toEqual([keyOf(2), keyOf(3, other.projectId)].sort());
  expect(await queueEventFiles(platform.database.db, new Date())).toBe(0);
  expect(puts(keyOf(2))).toHaveLength(1);
  const exited = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exited;
}, 300_000);

test('a file whose worker was killed is written by the next one, and one that is stored is not written again', async () => {
  const { db } = platform.database;
  await report(4, ['/killed']);
  expect(await queueEventFiles(db, new Date())).toBe(1);
  const held = double.hold('PutObject');
  const first = platform.start(['worker']);
  await until(held.isReached);
  const exited = once(first, 'exit');
  first.kill('SIGKILL');
  await exited;
  held.release();
  platform.start(['worker']);
  await until(async () => (await stateOf(4)) === 'written');
  expect(pathsIn(keyOf(4))).toEqual(['/killed']);
  const written = puts(keyOf(4)).length;

  // As if the worker had died between the end of the upload and the change of the row.
  await db.updateTable('analytics_files').set({ state: 'failed' }).where('state', '=', 'written').execute();
  expect(await queueEventFiles(db, new Date())).toBe(3);
  await until(async () => {
    const left = await db
      .selectFrom('analytics_files')
      .select('id')
      .where('state', '<>', 'written')
      .execute();
    return left.length === 0;
  });
  expect(puts(keyOf(4))).toHaveLength(written);
  expect(puts(keyOf(2))).toHaveLength(1);
}, 600_000);

test('a bucket that cannot be reached delays a file', async () => {
  await report(5, ['/later']);
  double.identities.length = 0;
  expect(await queueEventFiles(platform.database.db, new Date())).toBe(1);
  await until(() => platform.log().includes('an attempt failed'));
  expect(await stateOf(5)).toBe('queued');
  double.identities.push(double.identity);
  await until(async () => (await stateOf(5)) === 'written');
  expect(pathsIn(keyOf(5))).toEqual(['/later']);
}, 600_000);
