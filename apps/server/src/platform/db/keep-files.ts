import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';

/** Advisory lock between a backup and everything that removes stored files. */
const LOCK = 0x0ff9_f11e;

/**
 * Whether stored files may be removed in this transaction; a backup that starts then waits for its end. While a backup
 * runs, files stay that its snapshot of the database names: what is not removed now is left to the sweep of orphans.
 */
export async function mayRemoveFiles(tx: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{
    isFree: boolean;
  }>`SELECT pg_try_advisory_xact_lock_shared(${LOCK}) AS "isFree"`.execute(tx);
  return rows[0]?.isFree === true;
}

/** Keeps all stored files until the session ends; waits for removals that are in progress. */
export async function keepFiles(client: pg.Client): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
}

/** Whether the session still keeps the files. */
export async function keepsFiles(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid()
       AND mode = 'ExclusiveLock' AND objid = $1::oid) AS held`,
    [LOCK],
  );
  return rows[0]?.held === true;
}
