import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** Months after the current one whose partitions exist. */
const MONTHS_AHEAD = 2;
/** Months before it: events wait on the volumes of site servers while the platform cannot be reached. */
const MONTHS_BACK = 1;
const LOCK = 'offprint analytics partitions';

/** The first day of a month, some months from now, in UTC. */
const monthOf = (now: Date, offset: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));

const nameOf = (month: Date): string =>
  `analytics_events_${month.toISOString().slice(0, 7).replace('-', '_')}`;

/** The span of times for which {@link createPartitions} makes partitions. */
export function storedSpan(now: Date): { from: Date; to: Date } {
  return { from: monthOf(now, -MONTHS_BACK), to: monthOf(now, MONTHS_AHEAD + 1) };
}

/** Makes the partitions of the months around `now` that do not exist. */
export async function createPartitions(db: Kysely<Database>, now: Date): Promise<string[]> {
  const created: string[] = [];
  for (let offset = -MONTHS_BACK; offset <= MONTHS_AHEAD; offset += 1) {
    const from = monthOf(now, offset);
    const name = nameOf(from);
    await db.transaction().execute(async (tx) => {
      // Two processes must not make the same table.
      await sql`SELECT pg_advisory_xact_lock(hashtext(${LOCK}))`.execute(tx);
      if ((await listPartitions(tx)).includes(name)) return;
      const to = monthOf(now, offset + 1);
      // Attached afterwards: the lock does not block writes to the other months.
      await sql`CREATE TABLE ${sql.table(name)} (LIKE analytics_events INCLUDING DEFAULTS)`.execute(tx);
      await sql`ALTER TABLE analytics_events ATTACH PARTITION ${sql.table(name)}
        FOR VALUES FROM (${sql.lit(from.toISOString())}) TO (${sql.lit(to.toISOString())})`.execute(tx);
      created.push(name);
    });
  }
  return created;
}

/** Drops the partitions of months that ended more than `days` days before `now`. */
export async function dropPartitions(db: Kysely<Database>, now: Date, days: number): Promise<string[]> {
  const keep = nameOf(new Date(now.getTime() - days * 86_400_000));
  const old = (await listPartitions(db)).filter((name) => name < keep);
  for (const name of old) await sql`DROP TABLE IF EXISTS ${sql.table(name)}`.execute(db);
  return old;
}

/** Names of the partitions, oldest first. */
export async function listPartitions(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT child.relname AS name FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = 'analytics_events'::regclass ORDER BY child.relname COLLATE "C"`.execute(db);
  return rows.map(({ name }) => name);
}
