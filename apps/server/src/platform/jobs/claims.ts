import { randomInt } from 'node:crypto';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type pg from 'pg';
import type { Database } from '../db/database.ts';

/** A queue entry in the hands of a worker. */
export interface Claim {
  entry: string;
  queue: string;
  delivery: number;
}

/** Notifications on it: `wake <queue>` and `cancel <entry>`. */
export const CHANNEL = 'offprint_queue';

export const PRESENCE = 0x0ff9;
/** A worker whose session has ended is considered dead after this long without a heartbeat. */
export const GONE_SECONDS = 3;
/** Any worker is: paused, cut off, or its machine lost power. */
export const LEASE_SECONDS = 15;
/** An entry that keeps killing its worker is requeued no faster than this after some deliveries. */
const SLOW_AFTER_DELIVERIES = 5;
const SLOW_SECONDS = 10;

export const newWorkerNumber = (): number => randomInt(1, 2 ** 31 - 1);

/** Takes the lock that lives and dies with this session, on the connection that stays open. */
export async function announce(client: pg.Client, worker: number): Promise<void> {
  await client.query('SELECT pg_try_advisory_lock($1, $2)', [PRESENCE, worker]);
}

export async function recordClaims(
  tx: Transaction<Database>,
  worker: number,
  claims: Claim[],
): Promise<void> {
  await tx
    .insertInto('queue_claims')
    .values(claims.map((claim) => ({ ...claim, worker })))
    .onConflict((conflict) =>
      conflict.column('entry').doUpdateSet({
        delivery: sql`excluded.delivery`,
        worker: sql`excluded.worker`,
        beat_at: sql`excluded.beat_at`,
      }),
    )
    .execute();
}

/** Ends a claim; false when it was lost before. */
export async function removeClaim(db: Kysely<Database>, worker: number, claim: Claim): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('queue_claims')
    .where('entry', '=', claim.entry)
    .where('worker', '=', worker)
    .where('delivery', '=', claim.delivery)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** One worker can hold two deliveries of an entry: the lost one may still be running. */
export const claimKey = ({ entry, delivery }: Pick<Claim, 'entry' | 'delivery'>): string =>
  `${entry} ${delivery}`;

/** Says that this worker is alive; returns the keys of the claims that are still its own. */
export async function beat(
  db: Kysely<Database>,
  schema: string,
  worker: number,
  claims: Claim[],
): Promise<Set<string>> {
  const entries = claims.map(({ entry }) => entry);
  const { rows } = await sql<Pick<Claim, 'entry' | 'delivery'>>`
    UPDATE queue_claims c SET beat_at = clock_timestamp()
    FROM ${sql.id(schema, 'job')} j
    WHERE c.worker = ${worker} AND c.entry = ANY(${entries}::uuid[])
      AND j.name = c.queue AND j.id = c.entry AND j.state = 'active' AND j.retry_count + 1 = c.delivery
    RETURNING c.entry, c.delivery`.execute(db);
  return new Set(rows.map(claimKey));
}

export async function isCancelled(db: Kysely<Database>, schema: string, claim: Claim): Promise<boolean> {
  const { rows } = await sql<{ state: string }>`
    SELECT state::text FROM ${sql.id(schema, 'job')}
    WHERE name = ${claim.queue} AND id = ${claim.entry}`.execute(db);
  return rows[0]?.state === 'cancelled';
}

/** Hands entries back so that another worker takes them now; their number of retries stays what it was. */
export async function giveBack(
  db: Kysely<Database>,
  schema: string,
  worker: number,
  entries: string[],
): Promise<void> {
  await requeue(
    db,
    schema,
    sql`DELETE FROM queue_claims WHERE worker = ${worker} AND entry = ANY(${entries}::uuid[])`,
    sql`0`,
  );
}

/**
 * Hands back what workers hold that are gone. The clock is the database's, the proof of death its own lock
 * table, so no worker has to judge another one's clock. Returns how many entries it freed.
 */
export async function recoverLost(db: Kysely<Database>, schema: string): Promise<number> {
  return requeue(
    db,
    schema,
    sql`DELETE FROM queue_claims c
      WHERE c.beat_at < now() - make_interval(secs => ${LEASE_SECONDS})
        OR (c.beat_at < now() - make_interval(secs => ${GONE_SECONDS}) AND NOT EXISTS (
          SELECT FROM pg_locks l
          WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND l.classid = ${PRESENCE}::oid AND l.objid = c.worker::oid))`,
    sql`CASE WHEN j.retry_count < ${SLOW_AFTER_DELIVERIES} THEN 0 ELSE ${SLOW_SECONDS} END`,
  );
}

/** The next claim counts up `retry_count`, which fences the former one off; the limit moves along with it. */
async function requeue(
  db: Kysely<Database>,
  schema: string,
  removal: RawBuilder<unknown>,
  delaySeconds: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ freed: number }>`
    WITH freed AS (${removal} RETURNING entry, queue, delivery),
    back AS (
      UPDATE ${sql.id(schema, 'job')} j
      SET state = 'retry', retry_limit = j.retry_limit + 1,
        start_after = now() + make_interval(secs => ${delaySeconds})
      FROM freed f
      WHERE j.name = f.queue AND j.id = f.entry AND j.state = 'active' AND j.retry_count + 1 = f.delivery
      RETURNING j.name
    ),
    notified AS MATERIALIZED (
      SELECT pg_notify(${CHANNEL}, 'wake ' || name) FROM (SELECT DISTINCT name FROM back) names
    )
    SELECT (SELECT count(*) FROM back)::int AS freed, (SELECT count(*) FROM notified) AS notified`.execute(
    db,
  );
  return rows[0]?.freed ?? 0;
}
