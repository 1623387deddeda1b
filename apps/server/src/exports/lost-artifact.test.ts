/** Artifacts of which stored files are lost: what requests for them return, and how they are restored. */
import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BlobStoreError } from '../platform/blob/error.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { AppError } from '../platform/http/error.ts';
import { claimJob, newWorkerNumber } from '../platform/jobs/leases.ts';
import { runLeased } from '../platform/jobs/run.ts';
import { NO_LIMITS } from '../platform/jobs/task.fixture.ts';
import { createMetrics } from '../platform/metrics.ts';
import { SnapshotError } from '../projects/service.ts';
import { findLoss } from './artifact.ts';
import { createBundleLinks } from './bundle-link.ts';
import { openTestExports, produceOne, type TestExports } from './job.fixture.ts';
import { createLookUp } from './look-up.ts';
import { ARTIFACT_KIND, countLosses, retryLoss } from './lost-artifact.ts';
import { presentExport } from './present.ts';
import type { Produce } from './produce.ts';
import { createArtifactKind } from './restore-artifact.ts';
import { removeExport } from './retention.ts';
import { findExport } from './store.ts';
import { createArtifactReader, createOpenExport } from './stored-artifact.ts';

const log = pino({ level: 'silent' });

let exports: TestExports;
let id: string;
let sha256: string;
let content: string;
let count = 0;

beforeAll(async () => {
  exports = await openTestExports();
});
afterAll(() => exports.close());
beforeEach(async () => {
  content = `site ${++count}`;
  id = await exports.start();
  await exports.run(id, produceOne(content));
  sha256 = (await row()).bundle_sha256!;
});

const row = async () => (await findExport(exports.database.db, exports.organizationId, id))!;
const stateOf = async () => presentExport(await row()).artifact?.state;

const links = (blobs: BlobStore = exports.blobs) =>
  createBundleLinks({
    db: exports.database.db,
    blobs,
    lookUp: createLookUp(exports.database.db),
    idempotencyHours: 24,
    answerKey: Buffer.alloc(32),
  });

const askBundle = (blobs?: BlobStore) => links(blobs).bundle(exports.organizationId, id, 60);
const refusal = (blobs?: BlobStore): Promise<unknown> =>
  askBundle(blobs).then(
    () => null,
    (error: unknown) => error,
  );

const keys = async (): Promise<string[]> => {
  const found: string[] = [];
  for (const prefix of ['artifacts', 'bundles']) {
    for await (const { key } of exports.blobs.list(`${prefix}/${exports.organizationId}/${sha256}`)) {
      found.push(key);
    }
  }
  return found;
};

/** Removes the bundle and changes or deletes the first object that matches. */
async function damage(part: RegExp, change: (bytes: Buffer) => Buffer | null): Promise<void> {
  const { blobs } = exports;
  await blobs.delete(`bundles/${exports.organizationId}/${sha256}.tar.gz`);
  const key = (await keys()).find((name) => part.test(name))!;
  const changed = change(await buffer((await blobs.get(key))!));
  await blobs.delete(key);
  if (changed !== null) await blobs.put(key, changed);
}

const flip = (bytes: Buffer) => {
  bytes[bytes.length >> 1]! ^= 1;
  return bytes;
};

/** Runs one attempt to restore the artifact. */
async function restore(produce: Produce): Promise<void> {
  const { database, blobs, organizationId, workDir } = exports;
  const worker = newWorkerNumber();
  const by = { worker, isIdle: true, passOver: [] };
  const job = await claimJob(database.db, ARTIFACT_KIND, NO_LIMITS, by);
  const kind = createArtifactKind({ db: database.db, blobs, log, produce });
  const adapters = { db: database.db, worker, workDir, log, metrics: createMetrics() };
  const controller = new AbortController();
  await runLeased(adapters, { ...job!, kind, organizationId, controller, traceParent: null, isOver: false });
}

test.each<[string, RegExp, (bytes: Buffer) => Buffer | null]>([
  ['whose chunk was deleted', /\/[0-9a-f]{64}$/, () => null],
  ['whose index was deleted', /index\.json$/, () => null],
  ['whose chunk has another byte', /\/[0-9a-f]{64}$/, flip],
  ['whose chunk was cut off', /\/[0-9a-f]{64}$/, (bytes) => bytes.subarray(0, 10)],
  ['whose index is not JSON', /index\.json$/, () => Buffer.from('{')],
])('an artifact %s is lost, and is restored with the same digest', async (_name, part, change) => {
  await damage(part, change);
  const error = await refusal();
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ code: 'artifact_lost', status: 410 });
  expect((error as AppError).message).toMatch(/are being rendered again.*or start a new export\.$/);
  expect((error as AppError).headers['Retry-After']).toBeDefined();
  expect(await stateOf()).toBe('restoring');
  expect(await countLosses(exports.database.db)).toEqual({ restoring: 1, lost: 0 });

  await restore(produceOne(content));
  expect(await countLosses(exports.database.db)).toEqual({ restoring: 0, lost: 0 });
  expect(await stateOf()).toBe('stored');
  expect(await findLoss(exports.blobs, exports.organizationId, sha256)).toBeNull();
  expect(await askBundle()).toMatchObject({ sha256 });
  // Neither its usage nor its history grows.
  expect(await row()).toMatchObject({ status: 'completed', attempt: 1, bundle_sha256: sha256 });
});

test('an artifact that comes out different is not stored, and both digests are named', async () => {
  await damage(/index\.json$/, () => null);
  await refusal();
  await restore(produceOne('another site'));
  const error = await refusal();
  expect(error).toMatchObject({ code: 'artifact_lost' });
  expect((error as Error).message).toContain(`instead of ${sha256.slice(0, 12)}`);
  expect((error as Error).message).toMatch(/Start a new export\.$/);
  expect(await stateOf()).toBe('lost');
  expect((await keys()).filter((key) => key.endsWith('index.json') || key.startsWith('bundles'))).toEqual([]);
  expect(await exports.database.db.selectFrom('jobs').select('id').execute()).toEqual([]);

  // An operator who has repaired the source queues it again.
  const { database, organizationId } = exports;
  await database.db.transaction().execute((tx) => retryLoss(tx, organizationId, sha256));
  await restore(produceOne(content));
  expect(await askBundle()).toMatchObject({ sha256 });
});

test('a source that is gone leaves the artifact lost with the reason', async () => {
  await damage(/index\.json$/, () => null);
  await refusal();
  await restore(() =>
    Promise.reject(new SnapshotError('source_missing', 'The commit is gone.', { retryable: false })),
  );
  expect((await refusal()) as Error).toMatchObject({
    message: expect.stringContaining('could not be rendered again. The commit is gone. Start a new export.'),
  });
  await removeExport(exports.database.db, exports.blobs, exports.organizationId, id);
  expect(await countLosses(exports.database.db)).toEqual({ restoring: 0, lost: 0 });
});

test('files that somebody has put back end the loss without rendering', async () => {
  const { blobs, organizationId } = exports;
  const index = `artifacts/${organizationId}/${sha256}/index.json`;
  const before = await buffer((await blobs.get(index))!);
  await damage(/index\.json$/, () => null);
  await refusal();
  await blobs.put(index, before);
  await restore(() => Promise.reject(new Error('rendered')));
  expect(await stateOf()).toBe('stored');
  expect(await askBundle()).toMatchObject({ sha256 });
});

test.each<[string, Partial<BlobStore>]>([
  ['cannot be reached', { get: () => Promise.reject(new BlobStoreError('unreachable', 'No response.')) }],
  [
    'returns half of each object',
    {
      async get(key) {
        const bytes = await buffer((await exports.blobs.get(key))!);
        const { Readable } = await import('node:stream');
        return Readable.from([bytes.subarray(0, bytes.length >> 1)]);
      },
    },
  ],
])('a store that %s loses nothing', async (_name, fault) => {
  await exports.blobs.delete(`bundles/${exports.organizationId}/${sha256}.tar.gz`);
  expect(await refusal({ ...exports.blobs, ...fault })).toBeInstanceOf(BlobStoreError);
  expect(await countLosses(exports.database.db)).toEqual({ restoring: 0, lost: 0 });
  expect(await askBundle()).toMatchObject({ sha256 });
});

test('previews and comparisons of a lost artifact report it too', async () => {
  await damage(/index\.json$/, () => null);
  const open = createOpenExport(exports.database.db, createArtifactReader(exports.blobs));
  await expect(open(await row())).rejects.toMatchObject({ code: 'artifact_lost', status: 410 });
  await restore(produceOne(content));
  expect((await open(await row())).manifest.files.map(({ path }) => path)).toEqual(['index.html']);
});
