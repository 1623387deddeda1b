import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts';
import { type OpenDatabase, openDatabase } from './database.ts';
import { withKeepAlive } from './keep-alive.ts';

let postgres: TestDatabase;
let database: OpenDatabase;

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = openDatabase(postgres.url, { role: 'test', max: 4 });
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

test('a transaction is heard of again and again while it waits, and its work is done in it', async () => {
  const { db } = database;
  const heard = new Set<string>();
  const result = await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
    const { pid } = rows[0]!;
    const work = async () => {
      while (heard.size < 4) {
        const found = await sql<{ at: string }>`
          SELECT state_change::text AS at FROM pg_stat_activity WHERE pid = ${pid}`.execute(db);
        heard.add(found.rows[0]!.at);
        await sleep(5);
      }
      return 'done';
    };
    const value = await withKeepAlive(tx, work, 20);
    await sql`SELECT 1`.execute(tx);
    return value;
  });
  expect(result).toBe('done');
});

test('what the work throws is thrown', async () => {
  const fails = database.db.transaction().execute((tx) =>
    withKeepAlive(tx, async () => {
      throw new Error('the store broke');
    }),
  );
  await expect(fails).rejects.toThrow('the store broke');
});

test('work whose transaction has lost its connection is asked to stop, since its locks are gone', async () => {
  const lost = database.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
    const work = async (signal: AbortSignal) => {
      await sql`SELECT pg_terminate_backend(${rows[0]!.pid})`.execute(database.db);
      while (!signal.aborted) await sleep(5);
      signal.throwIfAborted();
    };
    await expect(withKeepAlive(tx, work, 20)).rejects.toThrow(/transaction lost its connection/);
  });
  // Nor can it be committed.
  await expect(lost).rejects.toThrow(/connection/i);
});
