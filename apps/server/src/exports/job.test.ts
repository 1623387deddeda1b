import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExportJob } from '@offprint/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '../platform/blob/store.ts';
import type { OpenDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import type { Job, JobAbort, Queue } from '../platform/jobs/queue.ts';
import { SnapshotError } from '../projects/service.ts';
import { packBundle } from './artifact.ts';
import { RefusedError } from './failure.ts';
import { openTestExports, produceOne, type TestExports } from './job.fixture.ts';
import { claimExport } from './journal.ts';
import { MAX_FAILURES, sweepLost } from './lost.ts';
import { presentExport } from './present.ts';
import type { Produce } from './produce.ts';
import { EXPORT_QUEUE, type ExportPayload } from './start.ts';
import { findExport } from './store.ts';
import { removeStaleFolders, sandboxName } from './sweep.ts';

const log = pino({ level: 'silent' });

let exports: TestExports;
let database: OpenDatabase;
let queue: Queue;
let blobs: BlobStore;
let organizationId: string;
let id: string;
let entry: string;

beforeAll(async () => {
  exports = await openTestExports();
  ({ database, queue, blobs, organizationId } = exports);
});
afterAll(() => exports.close());
beforeEach(async () => {
  ({ id, entry } = await exports.start());
});

const runner =
  (produce: Produce, store: BlobStore = blobs) =>
  (job: Partial<Job<ExportPayload>> = {}) =>
    exports.run({ id, entry }, produce, { store, job });

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
    await expect(runner(first)()).rejects.toThrow('EIO');
    await runner(async (row, folder, control) => {
      control.onSource({ commit, commitInfo: info(null) });
      return { ...(await produceOne('again')(row, folder, control)), commit, commitInfo: info(null) };
    })({ delivery: 2 });
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
    expect(await row()).toMatchObject({ status: 'failed', error: message, error_code: code, failures: 0 });
    expect(await history()).toEqual(['queued', 'claimed', 'failed']);
  });

  test('that fails with an internal error is repeated, five times, then ends with a plain sentence', async () => {
    const run = runner(() => Promise.reject(new Error('EIO: /var/lib/secret')));
    for (let failure = 1; failure < MAX_FAILURES; failure++) {
      await expect(run({ delivery: failure })).rejects.toThrow('EIO');
      expect(await row()).toMatchObject({ status: 'queued', failures: failure, attempt: failure });
    }
    await run({ delivery: MAX_FAILURES });
    const failed = await row();
    expect(failed).toMatchObject({ status: 'failed', error_code: 'internal' });
    expect(failed.error).toMatch(/internal server error.*5 times/);
    expect(failed.error).not.toContain('/var');
  });

  test('that a later attempt has overtaken writes nothing and says nothing', async () => {
    const produce = produceOne('late');
    await runner(async (...args) => {
      await claimExport(database.db, id, entry);
      return produce(...args);
    })();
    expect(await row()).toMatchObject({ status: 'running', attempt: 2, bundle_sha256: null });
    expect(await history()).toEqual(['queued', 'claimed', 'claimed']);
  });

  test('that is stopped by a shutdown gives the export back without a failure', async () => {
    const control = new AbortController();
    const run = runner(async (_row, _folder, { signal }) => {
      control.abort('shutdown' satisfies JobAbort);
      signal.throwIfAborted();
      throw new Error('unreachable');
    });
    await expect(run({ signal: control.signal })).rejects.toBeDefined();
    expect(await row()).toMatchObject({ status: 'queued', failures: 0, attempt: 1 });
    expect(await history()).toEqual(['queued', 'claimed', 'released']);
  });

  test.each([
    ['by the queue, for want of a heartbeat', 'lost', 'running'],
    ['because it was cancelled', 'cancelled', 'running'],
  ] as const)('that is stopped %s leaves its queue entry to the queue', async (_name, reason, status) => {
    const control = new AbortController();
    const run = runner(async (_row, _folder, { signal }) => {
      control.abort(reason satisfies JobAbort);
      signal.throwIfAborted();
      throw new Error('unreachable');
    });
    // One that returned would be taken as done, and the export would wait for the sweeper.
    await expect(run({ signal: control.signal })).rejects.toBeDefined();
    expect(await row()).toMatchObject({ status, failures: 0, attempt: 1 });
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
    await expect(run()).rejects.toThrow('do not make the bundle');
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
      const run = runner(produceOne(`shaky ${times}`), shaky)();
      if (status === 'completed') await run;
      else await expect(run).rejects.toThrow('does not stay stored');
      const done = await row();
      expect(done.status).toBe(status);
      if (done.bundle_sha256 === null) return;
      await blobs.delete(`bundles/${organizationId}/${done.bundle_sha256}.tar.gz`);
      await packBundle(blobs, organizationId, done.bundle_sha256);
    },
  );

  test('after thirty that took their worker with them ends the export without running', async () => {
    await database.db.updateTable('exports').set({ attempt: 30 }).where('id', '=', id).execute();
    let ran = false;
    await runner(async () => {
      ran = true;
      throw new Error('unreachable');
    })({ delivery: 31 });
    expect(ran).toBe(false);
    expect(await row()).toMatchObject({ status: 'failed', error_code: 'internal' });
  });

  test('of another queue entry than the export has is ignored', async () => {
    await runner(produceOne('stale'))({ id: '00000000-0000-4000-8000-000000000000' });
    expect(await row()).toMatchObject({ status: 'queued', attempt: 0 });
  });
});

describe('the sweeper', () => {
  const silent = () =>
    database.db
      .updateTable('exports')
      .set({ updated_at: new Date(Date.now() - 600_000), heartbeat_at: new Date(Date.now() - 600_000) })
      .where('id', '=', id)
      .execute();
  const sweep = () => sweepLost({ db: database.db, queue, log });

  test('gives an export whose entry is lost to a new one, and ends it after five losses', async () => {
    for (let loss = 1; loss < MAX_FAILURES; loss++) {
      await queue.cancel(EXPORT_QUEUE, (await row()).queue_entry!);
      await silent();
      await sweep();
      expect(await row()).toMatchObject({ status: 'queued', failures: loss });
      expect(await queue.has(EXPORT_QUEUE, (await row()).queue_entry!)).toBe(true);
    }
    await queue.cancel(EXPORT_QUEUE, (await row()).queue_entry!);
    await silent();
    await sweep();
    expect(await row()).toMatchObject({ status: 'failed', error_code: 'internal' });
  });

  test('leaves an export alone whose entry waits, however long', async () => {
    await silent();
    const before = await row();
    await sweep();
    expect(await row()).toEqual(before);
  });

  test('removes work folders that no attempt holds, and only those', async () => {
    const workDir = await mkdtemp(join(tmpdir(), 'offprint-work-'));
    await claimExport(database.db, id, entry);
    const kept = [`${id}-1`, sandboxName(), 'sandbox-another.machine-1', 'upload-0123.tar.gz'];
    const stale = [`${id}-0`, `${newId('se')}-1`, sandboxName(2 ** 22 + 5)];
    for (const name of [...kept, ...stale]) await mkdir(join(workDir, name));
    await removeStaleFolders(database.db, workDir);
    expect((await readdir(workDir)).sort()).toEqual(kept.sort());
    await rm(workDir, { recursive: true });
  });
});
