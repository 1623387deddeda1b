import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

/** Well below what the database lets a transaction be silent for. */
const AWAKE_MS = 5_000;

/**
 * Does work elsewhere that the transaction waits for, such as in a store with tens of thousands of objects, and keeps the
 * database from ending a transaction that seems forgotten. The work must not use the transaction.
 */
export async function whileAwake<Value>(
  tx: Kysely<Database>,
  work: () => Promise<Value>,
  everyMs = AWAKE_MS,
): Promise<Value> {
  let asking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A connection that broke is told by what comes next.
    asking = asking.then(() => sql`SELECT 1`.execute(tx)).catch(() => undefined);
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await asking;
  }
}
