import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExportJob } from '@offprint/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '../platform/blob/store.ts';
import type { OpenDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { removeStaleFolders, sandboxName, temporaryName } from '../platform/jobs/folders.ts';
import type { JobAbort } from '../platform/jobs/jobs.ts';
import { SnapshotError } from '../projects/service.ts';
import { packBundle } from './artifact.ts';
import { RefusedError } from './failure.ts';
import { openTestExports, produceOne, type TestExports } from './job.fixture.ts';
import { MAX_FAILURES } from './job.ts';
import { beginExport, cancelExport } from './journal.ts';
import { presentExport } from './present.ts';
import type { Produce } from './produce.ts';
import { findExport } from './store.ts';

let exports: TestExports;
let database: OpenDatabase;
let blobs: BlobStore;
let organizationId: string;
let id: string;

beforeAll(async () => {
  exports = await openTestExports();
  ({ database, blobs, organizationId } = exports);
});
afterAll(() => exports.close());
beforeEach(async () => {
  id = await exports.start();
});

const runner =
  (produce: Produce, store: BlobStore = blobs) =>
  (controller?: AbortController) =>
    exports.run(id, produce, { store, ...(controller === undefined ? {} : { controller }) });

const row = async () => (await findExport(database.db, organizationId, id))!;

const history = async () =>
  (
    await database.db
      .selectFrom('export_events')
      .select('event')
      .where('export_id', '=', id)
      .orderBy('id')
      .execute()
  ).map(({ event }) => event);

describe('an attempt', () => {
  test('that succeeds completes the export and stores artifact and bundle by digest', async () => {
    await runner(produceOne('hello'))();
    const done = await row();
    expect(done).toMatchObject({
      status: 'completed',
      progress: 100,
      page_count: 1,
      version: 'v1',
      attempt: 1,
    });
    const bundle = await blobs.get(`bundles/${organizationId}/${done.bundle_sha256}.tar.gz`);
    const digest = createHash('sha256');
    for await (const piece of bundle!) digest.update(piece as Buffer);
    expect(digest.digest('hex')).toBe(done.bundle_sha256);
    expect(await history()).toEqual(['queued', 'claimed', 'completed']);
    expect(await readdir(exports.workDir)).toEqual([]);
  });

  test('reports each phase with its start, and a finished export has none', async () => {
    const seen: ExportJob[] = [];
    const look = async () => void seen.push(presentExport(await row()));
    const until = async (phase: string) => {
      while ((await row()).phase !== phase) await delay(20);
      await look();
    };
    await look();
    await runner(async (row, folder, control) => {
      await look();
      control.onSource({ commit: null, commitInfo: null });
      await until('rendering');
      control.onRender({ rendered: 0, total: 1 });
      control.onRender({ rendered: 1, total: 1 });
      await until('writing');
      return produceOne('phases')(row, folder, { ...control, onSource: () => {}, onRender: () => {} });
    })();
    await look();
    expect(seen.map(({ phase }) => phase)).toEqual(['queued', 'fetching', 'rendering', 'writing', null]);
    const starts = seen.flatMap(({ phaseStartedAt }) => phaseStartedAt ?? []);
    expect(starts).toHaveLength(4);
    expect(starts).toEqual(starts.toSorted());
  });

  test('names storing and packing while the store takes its time', async () => {
    const phases = new Set<string | null>();
    const slow: BlobStore = {
      ...blobs,
      async put(...args) {
        await delay(250);
        phases.add((await row()).phase);
        return blobs.put(...args);
      },
    };
    await runner(produceOne('slow store'), slow)();
    expect([...phases]).toEqual(expect.arrayContaining(['storing', 'packing']));
  });

  test('keeps the branch of the first attempt, which a later one cannot know', async () => {
    const info = (ref: string | null) => ({
      subject: 'Fix',
      author: 'Ada',
      authoredAt: null,
      ref,
      url: null,
    });
    const commit = '0'.repeat(40);
    const first: Produce = async (_row, _folder, control) => {
      control.onSource({ commit, commitInfo: info('main') });
      while ((await row()).commit === null) await delay(20);
      throw new Error('EIO');
    };
    await runner(first)();
    await runner(async (row, folder, control) => {
      control.onSource({ commit, commitInfo: info(null) });
      return { ...(await produceOne('again')(row, folder, control)), commit, commitInfo: info(null) };
    })();
    expect(await row()).toMatchObject({ status: 'completed', commit, commit_info: info('main') });
  });

  test.each([
    [
      'the renderer refuses',
      new RefusedError({ file: 'docs.json', line: 3, code: 'config-invalid', message: 'Broken.' }),
      'config_invalid',
      'docs.json:3: Broken.',
    ],
    [
      'the source refuses',
      new SnapshotError('source_missing', 'No such branch.', { retryable: false }),
      'source_missing',
      'No such branch.',
    ],
  ])('whose source %s fails at once with the reason', async (_name, error, code, message) => {
    await runner(() => Promise.reject(error))();
    expect(await row()).toMatchObject({ status: 'failed', error: message, error_code: code });
    expect(await history()).toEqual(['queued', 'claimed', 'failed']);
  });

  test('that fails with an internal error is repeated, five times, then ends with a plain sentence', async () => {
    const run = runner(() => Promise.reject(new Error('EIO: /var/lib/secret')));
    for (let failure = 1; failure < MAX_FAILURES; failure++) {
      await run();
      expect(await row()).toMatchObject({ status: 'queued', attempt: failure });
      expect(await exports.jobOf(id)).toEqual({ failures: failure, worker: null });
    }
    await run();
    const failed = await row();
    expect(failed).toMatchObject({ status: 'failed', error_code: 'internal' });
    expect(failed.error).toMatch(/internal server error.*5 times/);
    expect(failed.error).not.toContain('/var');
  });

  test('that a later attempt has overtaken writes nothing and says nothing', async () => {
    const produce = produceOne('late');
    await runner(async (...args) => {
      await database.db.transaction().execute((tx) => beginExport(tx, { id, attempt: 2 }));
      return produce(...args);
    })();
    expect(await row()).toMatchObject({ status: 'running', attempt: 2, bundle_sha256: null });
    expect(await history()).toEqual(['queued', 'claimed', 'claimed']);
  });

  test.each([
    ['by the queue, for want of a heartbeat', 'lost'],
    ['because it was cancelled', 'cancelled'],
    ['by a shutdown', 'shutdown'],
  ] as const)('that is stopped %s says nothing of the export', async (_name, reason) => {
    const control = new AbortController();
    await runner(async (_row, _folder, { signal }) => {
      control.abort(reason satisfies JobAbort);
      signal.throwIfAborted();
      throw new Error('unreachable');
    })(control);
    expect(await row()).toMatchObject({ status: 'running', attempt: 1 });
    expect(await history()).toEqual(['queued', 'claimed']);
    // A job that nobody runs any more is claimed again; who stops or cancels has written that already.
    expect((await exports.jobOf(id))?.worker === null).toBe(reason === 'lost');
  });

  test('of an export that was cancelled meanwhile writes nothing', async () => {
    const produce = produceOne('cancelled');
    await runner(async (...args) => {
      await cancelExport(database.db, organizationId, id);
      return produce(...args);
    })();
    expect(await row()).toMatchObject({ status: 'failed', error_code: 'cancelled' });
    expect(await exports.jobOf(id)).toBeUndefined();
    expect(await history()).toEqual(['queued', 'claimed', 'failed']);
  });

  test('whose chunks do not make the bundle that its index names stores nothing', async () => {
    const produce = produceOne('forged');
    const run = runner(async (...args) => {
      const product = await produce(...args);
      return {
        ...product,
        index: { ...product.index, bundle: { ...product.index.bundle, sha256: 'a'.repeat(64) } },
      };
    });
    await run();
    expect(await row()).toMatchObject({ status: 'queued' });
    expect(await blobs.stat(`bundles/${organizationId}/${'a'.repeat(64)}.tar.gz`)).toBeNull();
  });

  test.each([
    ['once', 1, 'completed'],
    ['again and again', 99, 'queued'],
  ])(
    'whose artifact somebody removes %s while it is stored commits it whole or not at all',
    async (_name, times, status) => {
      let removals = 0;
      const shaky: BlobStore = {
        ...blobs,
        async put(key, content) {
          const stored = await blobs.put(key, content);
          if (!key.endsWith('index.json') || removals === times) return stored;
          removals += 1;
          // Like the removal of another export that started before the index existed.
          for await (const { key: chunk } of blobs.list(key.replace('index.json', '')))
            if (chunk !== key) await blobs.delete(chunk);
          return stored;
        },
      };
      await runner(produceOne(`shaky ${times}`), shaky)();
      const done = await row();
      expect(done.status).toBe(status);
      if (done.bundle_sha256 === null) return;
      await blobs.delete(`bundles/${organizationId}/${done.bundle_sha256}.tar.gz`);
      await packBundle(blobs, organizationId, done.bundle_sha256);
    },
  );
});

test('work folders that no attempt holds are removed, and only those', async () => {
  const workDir = await mkdtemp(join(tmpdir(), 'offprint-work-'));
  await database.db.updateTable('jobs').set({ attempt: 1, worker: 7 }).where('id', '=', id).execute();
  const gone = 2 ** 22 + 5;
  const others = [
    'sandbox-another.machine-1',
    `check-another.machine-1-${'0'.repeat(16)}`,
    'upload-0123.tar.gz',
  ];
  const kept = [`${id}-1`, sandboxName(), temporaryName('check'), temporaryName('paths'), ...others];
  const stale = [
    `${id}-0`,
    `${newId('se')}-1`,
    `${newId('job')}-1`,
    sandboxName(gone),
    temporaryName('check', gone),
  ];
  for (const name of [...kept, ...stale]) await mkdir(join(workDir, name));
  await removeStaleFolders(database.db, workDir);
  expect((await readdir(workDir)).sort()).toEqual(kept.sort());
  await removeStaleFolders(database.db, join(workDir, 'not-there'));
  await rm(workDir, { recursive: true });
});
