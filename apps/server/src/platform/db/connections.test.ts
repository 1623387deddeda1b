import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts';
import { type ConnectionOptions, openConnections } from './connections.ts';
import { type OpenDatabase, openDatabase } from './database.ts';

let database: TestDatabase;
let observer: OpenDatabase;
let options: ConnectionOptions;

beforeAll(async () => {
  database = await createTestDatabase();
  observer = openDatabase(database.url, { role: 'observer', max: 1 });
  options = {
    url: database.url,
    directUrl: database.url,
    role: 'counted',
    max: 6,
    hasWorker: true,
    onError: () => {},
    log: pino({ level: 'silent' }),
  };
});
afterAll(async () => {
  await observer.close();
  await database.drop();
});

const countOpen = async () => {
  const { rows } = await observer.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'offprint-counted%'`,
  );
  return rows[0]?.count;
};

test.each([[4], [6], [12]])(
  'a process with a limit of %i opens that many connections and no more',
  async (max) => {
    const connections = await openConnections({ ...options, max });
    const release = Promise.withResolvers<void>();
    const hold = (db: typeof connections.db) =>
      db.transaction().execute(async (tx) => {
        await sql`SELECT 1`.execute(tx);
        await release.promise;
      });
    const held = Array.from({ length: 2 * max }, (_, at) =>
      hold(at % 2 === 0 ? connections.db : connections.jobs),
    );
    await expect.poll(countOpen).toBe(max);
    expect(connections.open()).toBe(max);
    await expect.poll(connections.waiting).toBe(2 * max - (max - 1));
    release.resolve();
    await Promise.all(held);
    await connections.close();
    await expect.poll(countOpen).toBe(0);
  },
);

test('requests that wait for a connection leave one to the jobs', async () => {
  const connections = await openConnections({ ...options, max: 4 });
  const release = Promise.withResolvers<void>();
  const held = Array.from({ length: 20 }, () => connections.db.transaction().execute(() => release.promise));
  const beat = await sql<{ one: number }>`SELECT 1 AS one`.execute(connections.jobs);
  expect(beat.rows).toEqual([{ one: 1 }]);
  release.resolve();
  await Promise.all(held);
  await connections.close();
});

test('a limit above that of PostgreSQL is refused with both numbers', async () => {
  await expect(openConnections({ ...options, max: 200 })).rejects.toThrow(
    /OFFPRINT_DATABASE_CONNECTIONS is 200, but PostgreSQL allows 97 connections/,
  );
});

test('a limit that the connections of others may leave no room for is a warning', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const connections = await openConnections({ ...options, max: 97, log });
  expect(lines.join('')).toContain('PostgreSQL may run out of connections');
  await connections.close();
});
