/**
 * Exports whose storage fails at each of its operations, in turn: their reported state stays true, and
 * nothing stays behind.
 */
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BlobInfo, BlobStore } from '../platform/blob/store.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { createBundleLinks } from './bundle-link.ts';
import { openTestExports, produceOne, type TestExports } from './job.fixture.ts';
import { createLookUp } from './look-up.ts';
import { removeOrphans } from './orphans.ts';
import { removeExpired, removeExport } from './retention.ts';
import { findExport } from './store.ts';

const DAY_MS = 86_400_000;
const log = pino({ level: 'silent' });

let exports: TestExports;
/** A way to the database that stays. */
let other: OpenDatabase;

beforeAll(async () => {
  exports = await openTestExports();
  other = openDatabase(exports.databaseUrl, { role: 'cutter', max: 1 });
});
afterAll(async () => {
  await other.close();
  await exports.close();
});

type Effect = 'before its effect' | 'after its effect' | 'for want of the database';

/** Ends every connection that the exports have to the database; resolves when they know it. */
async function cutDatabase(): Promise<void> {
  const { rows } = await sql<{ pid: number }>`SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'offprint-test'`.execute(other.db);
  const pids = rows.map(({ pid }) => pid);
  // One query more than needed: a connection closed by the server is detected here when it responds to the
  // next query.
  for (let isGone = false, isKnown = false; !isKnown; ) {
    isKnown = isGone;
    const left = await sql`SELECT 1 FROM pg_stat_activity WHERE pid = ANY(${pids}::int[])`.execute(other.db);
    isGone = left.rows.length === 0;
  }
}

/** The store, of which the n-th call (from 1) fails, or finds the database gone; `calls` counts them. */
function failing(n: number, effect: Effect): { store: BlobStore; calls(): number } {
  let calls = 0;
  const attempt = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    calls += 1;
    const isFault = calls === n;
    if (isFault && effect === 'for want of the database') await cutDatabase();
    if (isFault && effect === 'before its effect') throw new Error('the store is away');
    const value = await work();
    if (isFault && effect === 'after its effect') throw new Error('the answer of the store was lost');
    return value;
  };
  const { blobs } = exports;
  return {
    calls: () => calls,
    store: {
      ...blobs,
      put: (key, content) => attempt(() => blobs.put(key, content)),
      get: (key, range) => attempt(() => blobs.get(key, range)),
      stat: (key) => attempt(() => blobs.stat(key)),
      delete: (key) => attempt(() => blobs.delete(key)),
      async *list(prefix) {
        yield* await attempt(() => listed(prefix));
      },
    },
  };
}

const read = (id: string) => findExport(exports.database.db, exports.organizationId, id);

const linksOn = (blobs: BlobStore) =>
  createBundleLinks({
    db: exports.database.db,
    blobs,
    lookUp: createLookUp(exports.database.db),
    idempotencyHours: 24,
    answerKey: Buffer.alloc(32),
  });

async function listed(prefix: string): Promise<BlobInfo[]> {
  const found: BlobInfo[] = [];
  for await (const info of exports.blobs.list(prefix)) found.push(info);
  return found;
}

const stored = async () => (await listed('')).map(({ key }) => key);

/** What the sweep of a later day leaves. */
async function swept(): Promise<string[]> {
  const now = () => new Date(Date.now() + 2 * DAY_MS);
  const signal = new AbortController().signal;
  await removeOrphans({ db: exports.database.db, blobs: exports.blobs, log, now, signal });
  return stored();
}

/** A completed export of a site of its own. */
async function completed(content: string): Promise<string> {
  const id = await exports.start();
  await exports.run(id, produceOne(content));
  return id;
}

test.each<Effect>(['before its effect', 'after its effect', 'for want of the database'])(
  'an export during which any one call of the store fails %s is completed by the next attempt, with the same bytes',
  async (effect) => {
    const undisturbed = await completed(`walk ${effect}`);
    const [whole = ''] = (await stored()).filter((key) => key.startsWith('bundles/'));
    await removeExport(exports.database.db, exports.blobs, exports.organizationId, undisturbed);
    for (let n = 1; ; n++) {
      const id = await exports.start();
      const { store, calls } = failing(n, effect);
      const produce = produceOne(`walk ${effect}`);
      await exports.run(id, produce, { store });
      const status = (await read(id))?.status;
      if (status !== 'completed') {
        expect(status).toBe('queued');
        // A restart of the database is not counted as a failure of the export.
        const failures = effect === 'for want of the database' ? 0 : 1;
        expect(await exports.jobOf(id)).toEqual({ failures, worker: null });
        await exports.run(id, produce);
      }
      expect(await exports.jobOf(id)).toBeUndefined();
      const { bundleUrl } = await linksOn(exports.blobs).bundle(exports.organizationId, id, 60);
      expect(new URL(bundleUrl).pathname).toContain(whole);
      await removeExport(exports.database.db, exports.blobs, exports.organizationId, id);
      expect(await stored()).toEqual([]);
      if (calls() < n) break;
    }
  },
);

test.each<Effect>(['before its effect', 'after its effect', 'for want of the database'])(
  'an export during whose removal any one call of the store fails %s is gone, and the sweep takes what is left',
  async (effect) => {
    for (let n = 1; ; n++) {
      const id = await completed(`removal ${effect}`);
      const { store, calls } = failing(n, effect);
      await removeExport(exports.database.db, store, exports.organizationId, id);
      // An export that is still listed must provide its bundle.
      expect(await read(id), `after call ${n}`).toBeUndefined();
      expect(await swept()).toEqual([]);
      if (calls() < n) break;
    }
  },
);

test('one export whose files cannot be removed keeps retention from no other one', async () => {
  const ids = [await completed('stuck'), await completed('free')];
  const { db } = exports.database;
  for (const [at, id] of ids.entries()) {
    const completedAt = new Date(Date.now() - (9 - at) * DAY_MS);
    await db.updateTable('exports').set({ completed_at: completedAt }).where('id', '=', id).execute();
  }
  const stuck = (await read(ids[0]!))!.bundle_sha256!;
  const store: BlobStore = {
    ...exports.blobs,
    async delete(key) {
      if (key.includes(stuck)) throw new Error('denied');
      return exports.blobs.delete(key);
    },
  };
  await removeExpired({ db, blobs: store, retention: { days: 7, count: 0 } }).catch(() => undefined);
  expect(await read(ids[1]!)).toBeUndefined();
  expect((await stored()).every((key) => key.includes(stuck))).toBe(true);
  expect(await swept()).toEqual([]);
});

test('one export whose files cannot be removed keeps retention from none of those that follow it by the hundred', async () => {
  const { database, blobs } = exports;
  const id = await completed('stuck');
  await sql`UPDATE exports SET completed_at = now() - interval '9 days' WHERE id = ${id}`.execute(
    database.db,
  );
  await sql`INSERT INTO exports SELECT (jsonb_populate_record(one, jsonb_build_object('id', 'se_' || n,
      'status', 'failed', 'artifact_sha256', NULL, 'bundle_sha256', NULL,
      'completed_at', now() - interval '8 days'))).*
    FROM exports AS one, generate_series(1, 120) AS n WHERE one.id = ${id}`.execute(database.db);
  const store: BlobStore = { ...blobs, delete: () => Promise.reject(new Error('denied')) };
  await expect(
    removeExpired({ db: database.db, blobs: store, retention: { days: 7, count: 0 } }),
  ).rejects.toThrow('denied');
  expect(await database.db.selectFrom('exports').select('id').execute()).toEqual([]);
  expect(await swept()).toEqual([]);
});

test('one artifact that cannot be removed keeps the sweep from no other one', async () => {
  const { database, blobs, organizationId } = exports;
  for (const digit of ['a', 'b', 'c']) {
    await blobs.put(`bundles/${organizationId}/${digit.repeat(64)}.tar.gz`, Buffer.from('left'));
  }
  const store: BlobStore = {
    ...blobs,
    async delete(key) {
      if (key.includes('aaaa')) throw new Error('denied');
      return blobs.delete(key);
    },
  };
  const now = () => new Date(Date.now() + 2 * DAY_MS);
  const signal = new AbortController().signal;
  const sweep = removeOrphans({ db: database.db, blobs: store, log, now, signal });
  await expect(sweep).rejects.toThrow('denied');
  expect(await stored()).toEqual([`bundles/${organizationId}/${'a'.repeat(64)}.tar.gz`]);
  expect(await swept()).toEqual([]);
});
