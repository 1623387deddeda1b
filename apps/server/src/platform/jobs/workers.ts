import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { PRESENCE } from './claims.ts';

/** Number of processes that live and claim jobs: each keeps a lock until its session ends. */
export async function countLiveWorkers(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(DISTINCT objid)::int AS count FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = ${PRESENCE}::oid
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(db);
  return rows[0]?.count ?? 0;
}
