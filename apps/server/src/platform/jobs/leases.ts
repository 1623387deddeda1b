import { randomInt } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import type pg from 'pg';
import type { Database, JobsTable } from '../db/database.ts';
import { CHANNEL, type Fence, type Kind, later } from './jobs.ts';

type Db = Kysely<Database>;

export type JobRow = Selectable<JobsTable>;

/** Class of the advisory locks by which workers show that they live. */
export const PRESENCE = 0x0ff9;
/** A worker whose session has ended is considered dead after this long without a heartbeat. */
export const GONE_SECONDS = 3;
/** Any worker is: paused, cut off, or its machine lost power. */
export const LEASE_SECONDS = 15;
/** Deaths of its worker in a row after which a job runs alone on a worker. From then on, all of them are its own. */
export const ALONE_AFTER = 2;
/** Deaths in a row without progress after which a job is abandoned. */
export const MAX_DEATHS = 30;
/** Rows without a job that one sweep takes in. */
const BATCH = 1_000;

/** Number by which a process is known in the leases it holds. */
export const newWorkerNumber = (): number => randomInt(1, 2 ** 31 - 1);

/** Takes the lock that lives and dies with this session, on the connection that stays open. */
export async function announce(client: pg.Client, worker: number): Promise<void> {
  await client.query('SELECT pg_try_advisory_lock($1, $2)', [PRESENCE, worker]);
}

/** Number of processes that live and claim jobs: each keeps a lock until its session ends. */
export async function countLiveWorkers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(DISTINCT objid)::int AS count FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = ${PRESENCE}::oid
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Of whom a worker takes the next job of a kind. */
export interface ClaimRules {
  /** By plan: with twice the weight, an organization runs twice as many jobs beside others. */
  weights: Readonly<Record<string, number>>;
  /** Running jobs of one organization on all machines. */
  organizationLimit: number;
  /** Running jobs of one lane on all machines. */
  laneLimit: number;
}

/**
 * The next job of a kind, now held by the worker; `worker` is null for one that is not: it waits until this worker runs
 * nothing else (`isIdle`). Undefined when no job may start.
 */
export async function claimJob(
  db: Db,
  kind: string,
  { weights, organizationLimit, laneLimit }: ClaimRules,
  by: { worker: number; isIdle: boolean; passOver: readonly string[] },
): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    SELECT * FROM claim_job(${kind}, ${by.worker}, ${by.isIdle}, ${ALONE_AFTER}, ${JSON.stringify(weights)}::jsonb,
      ${organizationLimit}, ${laneLimit}, ${[...by.passOver]}::text[])`.execute(db);
  return rows[0];
}

/** One worker can hold two attempts at a job: the lost one may still be running. */
export const leaseKey = ({ id, attempt }: Fence): string => `${id} ${attempt}`;

const unnest = (leases: readonly Fence[]) =>
  sql`unnest(${leases.map(({ id }) => id)}::text[], ${leases.map(({ attempt }) => attempt)}::int[]) AS mine(id, attempt)`;

/** Reports that this worker is alive; returns the leases that are still its own, with the deaths of each job. */
export async function beat(
  db: Db,
  worker: number,
  leases: readonly Fence[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<Fence & { deaths: number }>`
    UPDATE jobs SET beat_at = clock_timestamp() FROM ${unnest(leases)}
    WHERE jobs.id = mine.id AND jobs.attempt = mine.attempt AND worker = ${worker}
    RETURNING jobs.id, jobs.attempt, deaths`.execute(db);
  return new Map(rows.map((row) => [leaseKey(row), row.deaths]));
}

/** Whether somebody else has the job now; else nobody is to work on it any more. */
export async function isTaken(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('jobs').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Failures of the job in a row; undefined when the worker no longer holds the lease. */
export async function failuresOf(db: Db, worker: number, fence: Fence): Promise<number | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select('failures')
    .where('id', '=', fence.id)
    .where('attempt', '=', fence.attempt)
    .where('worker', '=', worker)
    .executeTakeFirst();
  return row?.failures;
}

/** The job has ended, unless it was queued again meanwhile. */
export async function removeJob(db: Db, worker: number, fence: Fence): Promise<void> {
  await db
    .deleteFrom('jobs')
    .where('id', '=', fence.id)
    .where('attempt', '=', fence.attempt)
    .where('worker', '=', worker)
    .execute();
}

/** Hands a job back to the next free worker, no earlier than the delay; with the failures that it has now. */
export async function giveBack(
  db: Db,
  worker: number,
  fence: Fence,
  { failures, delayMs }: { failures?: number; delayMs?: number } = {},
): Promise<void> {
  const row = await db
    .updateTable('jobs')
    .set({
      worker: null,
      ...(failures === undefined ? {} : { failures }),
      ...(delayMs === undefined ? {} : { run_at: later(delayMs) }),
    })
    .where('id', '=', fence.id)
    .where('attempt', '=', fence.attempt)
    .where('worker', '=', worker)
    .returning('kind')
    .executeTakeFirst();
  if (row !== undefined) await sql`SELECT pg_notify(${CHANNEL}, ${`wake ${row.kind}`})`.execute(db);
}

/**
 * Hands back what workers hold that are gone, at once. The clock is the database's, the proof of death its own lock
 * table, so no worker has to judge another one's clock. A death counts for a job that ran alone; others are
 * only made to run alone. Returns the kinds of the jobs it freed; null if the session of the worker that asks has ended, after
 * which nobody can say who is gone.
 */
export async function recoverLost(db: Db, worker: number): Promise<string[] | null> {
  const { rows } = await sql<{ freed: string[]; isPresent: boolean }>`
    WITH present AS MATERIALIZED (
      SELECT l.objid FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.classid = ${PRESENCE}::oid
    ), me AS (
      SELECT EXISTS (SELECT FROM present WHERE objid = ${worker}::oid) AS is_present
    ), dead AS (
      SELECT worker, count(*) AS jobs FROM jobs w WHERE worker IS NOT NULL
      GROUP BY worker
      HAVING max(beat_at) < now() - make_interval(secs => ${LEASE_SECONDS})
        OR (max(beat_at) < now() - make_interval(secs => ${GONE_SECONDS})
          AND NOT EXISTS (SELECT FROM present WHERE objid = w.worker::oid))
    ), lost AS (
      SELECT j.id, CASE
        -- A lease that a live worker has let go of.
        WHEN dead.worker IS NULL THEN j.deaths
        WHEN dead.jobs = 1 THEN j.deaths + 1
        ELSE greatest(j.deaths, least(j.deaths + 1, ${ALONE_AFTER}))
      END AS deaths
      FROM jobs j LEFT JOIN dead ON dead.worker = j.worker
      WHERE j.worker IS NOT NULL AND (SELECT is_present FROM me)
        AND (dead.worker IS NOT NULL OR j.beat_at < now() - make_interval(secs => ${LEASE_SECONDS}))
      FOR UPDATE OF j SKIP LOCKED
    ), freed AS (
      UPDATE jobs SET worker = NULL, deaths = lost.deaths, run_at = clock_timestamp() FROM lost WHERE jobs.id = lost.id
      RETURNING jobs.kind
    ), notified AS MATERIALIZED (
      SELECT pg_notify(${CHANNEL}, 'wake ' || kind) FROM (SELECT DISTINCT kind FROM freed) kinds
    )
    SELECT (SELECT coalesce(array_agg(kind), '{}') FROM freed) AS freed, (SELECT is_present FROM me) AS "isPresent",
      (SELECT count(*) FROM notified) AS notified`.execute(db);
  const [row] = rows;
  return row?.isPresent === true ? row.freed : null;
}

/** Queues unfinished rows that have no job, such as those of an earlier version; returns their ids. */
export async function adoptOrphans(db: Db, { name, unfinished }: Kind): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO jobs (id, kind, organization_id, lane, attempt)
    SELECT id, ${name}, organization_id, lane, attempt FROM (${unfinished}) unfinished
    WHERE NOT EXISTS (SELECT FROM jobs WHERE jobs.id = unfinished.id)
    LIMIT ${BATCH}
    ON CONFLICT DO NOTHING RETURNING id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Forgets turns that no longer decide anything. */
export async function forgetTurns(db: Db): Promise<void> {
  await db.deleteFrom('job_turns').where('at', '<', sql<Date>`now() - interval '1 day'`).execute();
}
