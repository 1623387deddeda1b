import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts';
import { createOrganization } from '../../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../db/database.ts';
import { openListener } from '../db/listen.ts';
import { enqueueJob } from './jobs.ts';
import {
  ALONE_AFTER,
  announce,
  type ClaimRules,
  claimJob,
  type JobRow,
  newWorkerNumber,
  PRESENCE,
  recoverLost,
} from './leases.ts';

const RULES: ClaimRules = { weights: {}, organizationLimit: 1_000, laneLimit: 1_000 };
const KIND = 'test';

let database: TestDatabase;
let open: OpenDatabase;
let a: string;
let b: string;
let c: string;

beforeAll(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.url, { role: 'test', max: 8 });
  const make = async (plan: 'pro' | 'enterprise') =>
    (await createOrganization(open.db, { name: plan, plan })).id;
  [a, b, c] = [await make('pro'), await make('pro'), await make('enterprise')];
});
beforeEach(async () => {
  await open.db.deleteFrom('jobs').execute();
  await open.db.deleteFrom('job_turns').execute();
});
afterAll(async () => {
  await open.close();
  await database.drop();
});

let count = 0;
async function queue(organizationId: string, jobs: number, lane?: string): Promise<string[]> {
  const ids = Array.from({ length: jobs }, () => `task_${++count}`);
  await open.db.transaction().execute(async (tx) => {
    for (const id of ids)
      await enqueueJob(tx, { id, kind: KIND, organizationId, ...(lane === undefined ? {} : { lane }) });
  });
  return ids;
}

const claim = (rules: Partial<ClaimRules> = {}, by: Partial<Parameters<typeof claimJob>[3]> = {}) =>
  claimJob(open.db, KIND, { ...RULES, ...rules }, { worker: 1, isIdle: true, passOver: [], ...by });

const finish = (job: JobRow | undefined) =>
  open.db
    .deleteFrom('jobs')
    .where('id', '=', job?.id ?? '')
    .execute();

const ownerOf = (job: JobRow | undefined): string =>
  ({ [a]: 'A', [b]: 'B', [c]: 'C' })[job?.organization_id ?? ''] ?? 'none';

describe('a claim', () => {
  test('with one slot, takes the job of B after at most one more of the 500 of A', async () => {
    await queue(a, 500);
    await finish(await claim());
    await queue(b, 1);
    const owners: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const job = await claim();
      owners.push(ownerOf(job));
      await finish(job);
    }
    expect(owners).toContain('B');
  });

  test('takes the oldest job of the organization with the fewest running ones', async () => {
    const [first, second] = await queue(a, 3);
    const [other] = await queue(b, 2);
    expect((await claim())?.id).toBe(first);
    expect((await claim())?.id).toBe(other);
    expect((await claim())?.id).toBe(second);
  });

  test('gives the slots to organizations by the weights of their plans', async () => {
    await queue(a, 20);
    await queue(c, 20);
    const owners: string[] = [];
    const weights = { pro: 1, enterprise: 3 };
    for (let slot = 0; slot < 8; slot += 1) owners.push(ownerOf(await claim({ weights })));
    expect(owners.filter((owner) => owner === 'C')).toHaveLength(6);
  });

  test('exceeds the limit of an organization on no number of workers', async () => {
    await queue(a, 40);
    const jobs = await Promise.all(
      Array.from({ length: 24 }, (_, worker) => claim({ organizationLimit: 3 }, { worker: worker + 1 })),
    );
    expect(jobs.filter((job) => job !== undefined)).toHaveLength(3);
    await queue(b, 1);
    expect(ownerOf(await claim({ organizationLimit: 3 }))).toBe('B');
  });

  test('passes over jobs whose lane is full, on any number of workers', async () => {
    await queue(a, 10, 'one');
    const [other] = await queue(a, 1, 'two');
    const jobs = await Promise.all(
      Array.from({ length: 12 }, (_, worker) => claim({ laneLimit: 2 }, { worker: worker + 1 })),
    );
    const claimed = jobs.flatMap((job) => (job === undefined ? [] : [job]));
    expect(claimed.map(({ lane }) => lane).sort()).toEqual(['one', 'one', 'two']);
    expect(claimed.map(({ id }) => id)).toContain(other);
  });

  test('serves each of a thousand organizations once before any of them twice', async () => {
    const owners = Array.from({ length: 1_000 }, (_, n) => `org_${n}`);
    await open.db
      .insertInto('organizations')
      .values(owners.map((id) => ({ id, name: id })))
      .execute();
    const jobs = owners.flatMap((id) =>
      [1, 2].map((n) => ({ id: `${id}-${n}`, kind: KIND, organization_id: id })),
    );
    await open.db.insertInto('jobs').values(jobs).execute();
    const served = new Set<string>();
    for (let claims = 0; claims < owners.length; claims += 1) {
      const job = await claim();
      served.add(job?.organization_id ?? '');
      await finish(job);
    }
    expect(served.size).toBe(owners.length);
  });

  test('is given to one worker only, and raises the fence each time', async () => {
    await queue(a, 5);
    const jobs = await Promise.all(Array.from({ length: 12 }, (_, worker) => claim({}, { worker })));
    const ids = jobs.flatMap((job) => (job === undefined ? [] : [job.id]));
    expect(new Set(ids).size).toBe(5);
    expect(ids).toHaveLength(5);
    await open.db.updateTable('jobs').set({ worker: null }).execute();
    expect(await claim()).toMatchObject({ attempt: 2 });
  });

  test('waits for no transaction that changes a job', async () => {
    const [first, second] = await queue(a, 2);
    await open.db.transaction().execute(async (tx) => {
      await tx
        .deleteFrom('jobs')
        .where('id', '=', first ?? '')
        .execute();
      expect((await claim())?.id).toBe(second);
    });
  });

  test('leaves a job whose time has not come', async () => {
    const [first, second] = await queue(a, 2);
    const run_at = new Date(Date.now() + 3_600_000);
    await open.db
      .updateTable('jobs')
      .set({ run_at })
      .where('id', '=', first ?? '')
      .execute();
    expect((await claim())?.id).toBe(second);
    expect(await claim()).toBeUndefined();
  });
});

describe('a job whose worker died twice', () => {
  const suspect = async (): Promise<string> => {
    const [id = ''] = await queue(a, 1);
    await open.db.updateTable('jobs').set({ deaths: ALONE_AFTER }).where('id', '=', id).execute();
    return id;
  };

  test('is given to a worker that runs nothing else, and others take what comes after it', async () => {
    const id = await suspect();
    const [next] = await queue(a, 1);
    expect((await claim({}, { isIdle: false }))?.id).toBe(next);
    expect(await claim({}, { worker: 2 })).toMatchObject({ id, worker: 2 });
  });

  test('makes a busy worker wait until it is idle when no idle one has come for half a minute', async () => {
    const id = await suspect();
    const [next] = await queue(a, 1);
    const run_at = new Date(Date.now() - 31_000);
    await open.db.updateTable('jobs').set({ run_at }).where('id', '=', id).execute();
    expect(await claim({}, { isIdle: false })).toMatchObject({ id, worker: null });
    expect(await claim()).toMatchObject({ id, worker: 1 });
    expect((await claim())?.id).toBe(next);
  });
});

/** Rows of workers with the time since their last heartbeat, and what a sweep makes of them; nothing stays. */
async function sweep(
  leases: readonly { worker: number; seconds: number; deaths?: number }[],
): Promise<{ isFree: boolean; deaths: number }[]> {
  const ids = await queue(a, leases.length);
  return open.db.transaction().execute(async (tx) => {
    const { now } = await tx.selectNoFrom((eb) => eb.fn<Date>('now').as('now')).executeTakeFirstOrThrow();
    for (const [index, { worker, seconds, deaths = 0 }] of leases.entries()) {
      const beat_at = new Date(now.getTime() - seconds * 1_000);
      await tx
        .updateTable('jobs')
        .set({ worker, beat_at, deaths })
        .where('id', '=', ids[index] ?? '')
        .execute();
    }
    const me = newWorkerNumber();
    expect(await recoverLost(tx, me), 'without a session').toBeNull();
    await sql`SELECT pg_advisory_xact_lock(${PRESENCE}, ${me})`.execute(tx);
    await recoverLost(tx, me);
    const rows = await tx.deleteFrom('jobs').returning(['id', 'worker', 'deaths']).execute();
    return ids.map((id) => {
      const row = rows.find((one) => one.id === id);
      return { isFree: row?.worker === null, deaths: row?.deaths ?? -1 };
    });
  });
}

describe('a lease', () => {
  test('of a worker without a session is revoked three seconds after its last heartbeat', async () => {
    const worker = newWorkerNumber();
    expect(await sweep([{ worker, seconds: 2.9 }])).toEqual([{ isFree: false, deaths: 0 }]);
    expect(await sweep([{ worker, seconds: 3.1 }])).toEqual([{ isFree: true, deaths: 1 }]);
  });

  test('of a worker with a session is revoked fifteen seconds after its last heartbeat', async () => {
    const worker = newWorkerNumber();
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const session = openListener(database.url, {
      role: 'test',
      onConnect: (client) => announce(client, worker).then(resolve),
    });
    await ready;
    expect(await sweep([{ worker, seconds: 14.9 }])).toEqual([{ isFree: false, deaths: 0 }]);
    expect(await sweep([{ worker, seconds: 15.1 }])).toEqual([{ isFree: true, deaths: 1 }]);
    await session.close();
  });

  test('that a live worker has let go of is revoked without a death', async () => {
    const worker = newWorkerNumber();
    const rows = await sweep([
      { worker, seconds: 15.1 },
      { worker, seconds: 0.1 },
    ]);
    expect(rows).toEqual([
      { isFree: true, deaths: 0 },
      { isFree: false, deaths: 0 },
    ]);
  });

  test('counts a death for a job that ran alone, and no more of them for neighbors than make it run alone', async () => {
    const [first, second] = [newWorkerNumber(), newWorkerNumber()];
    const rows = await sweep([
      { worker: first, seconds: 9, deaths: 7 },
      { worker: second, seconds: 9, deaths: 0 },
      { worker: second, seconds: 9, deaths: ALONE_AFTER },
      { worker: second, seconds: 9, deaths: 7 },
    ]);
    expect(rows.map(({ deaths }) => deaths)).toEqual([8, 1, ALONE_AFTER, 7]);
    expect(rows.every(({ isFree }) => isFree)).toBe(true);
  });
});
