import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

/** Well below what the database lets a transaction be silent for. */
const AWAKE_MS = 5_000;

/**
 * Does work elsewhere that the transaction waits for, such as in a store with tens of thousands of objects, and
 * keeps the database from ending a transaction that seems forgotten. The work must not use the transaction. `signal`
 * aborts when the connection is lost, and with it what the transaction had locked.
 */
export async function withKeepAlive<Value>(
  tx: Kysely<Database>,
  work: (signal: AbortSignal) => Promise<Value>,
  everyMs = AWAKE_MS,
): Promise<Value> {
  const lost = new AbortController();
  let asking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    asking = asking
      .then(() => sql`SELECT 1`.execute(tx))
      .catch((cause: unknown) => lost.abort(new Error('the transaction lost its connection', { cause })));
  }, everyMs);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
    await asking;
  }
}
