import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts';
import { type OpenDatabase, openDatabase } from './database.ts';
import { isSecretOf } from './secret-check.ts';

let database: TestDatabase;
let open: OpenDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.url, { role: 'test', max: 4 });
});
afterAll(async () => {
  await open.close();
  await database.drop();
});

test('of processes that start at once with different secrets, those with one of them pass', async () => {
  const secrets = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? 'a' : 'b').repeat(40));
  const results = await Promise.all(secrets.map((secret) => isSecretOf(open.db, secret)));
  expect(results.filter((isRight) => isRight)).toHaveLength(4);
  for (const [at, secret] of secrets.entries()) expect(await isSecretOf(open.db, secret)).toBe(results[at]);
});

test('the stored value does not contain the secret', async () => {
  const { secret_check: stored } = await open.db
    .selectFrom('installation')
    .selectAll()
    .executeTakeFirstOrThrow();
  expect(stored).toHaveLength(32);
  expect(stored.toString('latin1')).not.toContain('aaaa');
});
