import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import type { Database } from '../platform/db/database.ts';
import { ensureOperator } from './first-start.ts';

let database: TestDatabase;
let db: Kysely<Database>;
let acquired = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  pool.on('acquire', () => {
    acquired += 1;
  });
  db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

// A transaction that waits for a hash on a busy machine is ended by the database, and the first start fails.
test('the password is checked and hashed before a transaction starts', async () => {
  const wanted = { email: 'operator@example.com', password: 'password1234' };
  await expect(ensureOperator(db, wanted)).rejects.toThrow(/password/);
  // Only the question whether there is an account.
  expect(acquired).toBe(1);
});

test('of processes that start together, one creates the first account', async () => {
  const wanted = { email: 'operator@example.com', password: 'a long password of a test' };
  const made = await Promise.all([1, 2, 3].map(() => ensureOperator(db, wanted)));
  expect(made.filter((one) => one !== null)).toHaveLength(1);
  expect(await ensureOperator(db, wanted)).toBeNull();
});
