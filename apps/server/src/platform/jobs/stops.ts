import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { CHANNEL } from './jobs.ts';
import { PRESENCE } from './leases.ts';

type Db = Kysely<Database>;

/** A process that claims jobs. */
export interface LiveWorker {
  worker: number;
  /** Its session, as PostgreSQL knows it. */
  application: string;
  /** IP address; null for a local socket, and for roles that may not see it. */
  address: string | null;
  since: Date | null;
  /** Jobs that it works on. */
  jobs: number;
  /** It claims nothing new. */
  isDrained: boolean;
}

/** Kinds of jobs and workers that claim nothing. */
export async function readStops(db: Db): Promise<{ kinds: string[]; workers: number[] }> {
  const rows = await db.selectFrom('claim_stops').select(['kind', 'worker']).execute();
  return {
    kinds: rows.flatMap(({ kind }) => kind ?? []).sort(),
    workers: rows.flatMap(({ worker }) => worker ?? []),
  };
}

/** No job of the kind is claimed until it is resumed; those that run continue. */
export async function pauseKind(db: Db, kind: string): Promise<void> {
  await db
    .insertInto('claim_stops')
    .values({ kind })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Jobs of the kind are claimed again, at once. False if it was not paused. */
export async function resumeKind(db: Db, kind: string): Promise<boolean> {
  const row = await db
    .deleteFrom('claim_stops')
    .where('kind', '=', kind)
    .returning('kind')
    .executeTakeFirst();
  await sql`SELECT pg_notify(${CHANNEL}, ${`wake ${kind}`})`.execute(db);
  return row !== undefined;
}

/** Processes that live and claim jobs: each keeps a lock until its session ends. */
export async function listWorkers(db: Db): Promise<LiveWorker[]> {
  const { rows } = await sql<LiveWorker>`
    SELECT l.objid::int AS worker, coalesce(a.application_name, '') AS application, host(a.client_addr) AS address,
      a.backend_start AS since, (SELECT count(*)::int FROM jobs WHERE jobs.worker = l.objid::int) AS jobs,
      EXISTS (SELECT FROM claim_stops s WHERE s.worker = l.objid::int) AS "isDrained"
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = ${PRESENCE}::oid
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY a.backend_start, l.objid`.execute(db);
  return rows;
}

/** The worker claims nothing new; what it works on continues. Stops of workers that are gone are forgotten. */
export async function drainWorker(db: Db, worker: number): Promise<void> {
  await db
    .insertInto('claim_stops')
    .values({ worker })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const live = (await listWorkers(db)).map((each) => each.worker);
  await db
    .deleteFrom('claim_stops')
    .where('worker', 'is not', null)
    .where('worker', 'not in', [...live, worker])
    .execute();
}

/** The worker claims jobs again. False if it was not drained. */
export async function undrainWorker(db: Db, worker: number): Promise<boolean> {
  const row = await db
    .deleteFrom('claim_stops')
    .where('worker', '=', worker)
    .returning('worker')
    .executeTakeFirst();
  return row !== undefined;
}
