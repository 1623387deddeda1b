import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts';
import { isDatabaseRestart } from '../outage.ts';
import { json, type OpenDatabase, openDatabase } from './database.ts';

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

test('an error of a connection that broke or cannot be made is one of the database', async () => {
  const own = openDatabase(database.url, { role: 'test', max: 1 });
  const clients: pg.PoolClient[] = [];
  own.pool.on('connect', (client) => void clients.push(client));
  const errorOf = (query: Promise<unknown>): Promise<unknown> =>
    query.then(
      () => null,
      (error) => error,
    );
  await sql`SELECT 1`.execute(own.db);
  const broken = errorOf(sql`SELECT pg_sleep(60)`.execute(own.db));
  const reset = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
  const running = sql`SELECT FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'`;
  while ((await running.execute(open.db)).rows.length === 0) await sleep(20);
  const { connection } = Object(clients[0]);
  connection.stream.destroy(reset);
  expect(await broken).toMatchObject({ code: 'EPIPE' });
  expect(isDatabaseRestart(await broken)).toBe(true);
  // the next query has another connection
  expect(isDatabaseRestart(await errorOf(sql`SELECT nothing`.execute(own.db)))).toBe(false);
  await own.close();
  const absent = openDatabase('postgresql://user@127.0.0.1:1/none', { role: 'test', max: 1 });
  expect(isDatabaseRestart(await errorOf(sql`SELECT 1`.execute(absent.db)))).toBe(true);
  await absent.close();
});

interface Column {
  type: string;
  nullable: boolean;
  hasDefault: boolean;
}

/** What a declared type says about its column. The first word decides, then the type inside the brackets. */
function declaredColumn(declaration: string): Column {
  const [, wrapper, inner = ''] = /^'?(\w+)(?:<\s*([\w[\]]+))?/.exec(declaration)!;
  const types: Record<string, string> = {
    string: 'text',
    number: 'number',
    boolean: 'bool',
    Buffer: 'bytea',
    'string[]': '_text',
  };
  let type = types[declaration] ?? types[inner] ?? 'text';
  if (/Json$/.test(wrapper!)) type = 'jsonb';
  if (/Timestamp$/.test(wrapper!)) type = 'timestamptz';
  return {
    type,
    nullable: /^(Optional|Nullable)/.test(wrapper!),
    // a column that an insertion must name has none
    hasDefault:
      /^(Generated|Timestamp)/.test(wrapper!) ||
      (wrapper === 'ColumnType' && /undefined|never, never/.test(declaration)),
  };
}

async function declaredTables(): Promise<Record<string, Record<string, Column>>> {
  const folder = new URL('./', import.meta.url);
  const files = (await readdir(folder)).filter((name) => /^schema(?:-[a-z-]+)?\.ts$/.test(name));
  const sources = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
  const source = sources.join('\n');
  const tables = new Map<string, Record<string, Column>>();
  for (const [, name, body] of source.matchAll(/export interface (\w+Table) \{\n([\s\S]*?)\n\}/g)) {
    const columns = body!.matchAll(/^ {2}(\w+): ([^;]+);/gm);
    tables.set(
      name!,
      Object.fromEntries([...columns].map(([, column, type]) => [column!, declaredColumn(type!)])),
    );
  }
  const lists = source.matchAll(/export interface (?:Database|\w+Tables)\b[^{]*\{\n([\s\S]*?)\n\}/g);
  const names = [...lists].flatMap(([, list]) => [...list!.matchAll(/^ {2}(\w+): (\w+);/gm)]);
  return Object.fromEntries(names.map(([, table, name]) => [table!, tables.get(name!)!]));
}

test('the declared tables, columns, types, nulls and defaults are those of the migrated database', async () => {
  const { rows } = await open.pool.query<{ table: string; column: string } & Column>(
    `SELECT table_name AS table, column_name AS column, is_nullable = 'YES' AS nullable,
       column_default IS NOT NULL OR is_identity = 'YES' AS "hasDefault",
       CASE WHEN udt_name IN ('int2', 'int4', 'int8', 'float4', 'float8') THEN 'number'
            WHEN udt_name IN ('uuid', 'date', 'interval') THEN 'text' ELSE udt_name::text END AS type
     FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name <> 'schema_migrations'`,
  );
  const actual: Record<string, Record<string, Column>> = {};
  for (const { table, column, ...rest } of rows) actual[table] = { ...actual[table], [column]: rest };
  expect(await declaredTables()).toEqual(actual);
});

test('a row is returned with the declared types: Date, number, boolean, arrays, Buffer', async () => {
  const { db } = open;
  await db.insertInto('organizations').values({ id: 'org_1', name: 'Acme' }).execute();
  await db
    .insertInto('exports')
    .values({
      id: 'se_1',
      organization_id: 'org_1',
      domain: 'a.test',
      groups: json(['staff']),
      artifact_bytes: 2 ** 40,
    })
    .execute();
  await db.insertInto('export_events').values({ export_id: 'se_1', attempt: 0, event: 'queued' }).execute();
  await db
    .insertInto('api_keys')
    .values({
      id: 'key_1',
      organization_id: 'org_1',
      name: 'ci',
      key_hmac: Buffer.from([0, 255]),
      last4: 'abcd',
      scopes: ['read', 'write'],
      created_by: 'test',
    })
    .execute();
  const row = await db.selectFrom('exports').selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({ status: 'queued', attempt: 0, progress: 0, groups: ['staff'], paths: null });
  expect(row.artifact_bytes).toBe(2 ** 40);
  expect(row.created_at).toBeInstanceOf(Date);
  expect(row.include_unlisted).toBe(true);
  const event = await db.selectFrom('export_events').selectAll().executeTakeFirstOrThrow();
  expect(event.id).toBe(1);
  const key = await db.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow();
  expect([...key.key_hmac]).toEqual([0, 255]);
  expect(key.scopes).toEqual(['read', 'write']);
  expect(key.allowed_cidrs).toEqual([]);
});

test('a bigint that a number cannot hold is an error, never a rounded value', async () => {
  await expect(open.pool.query('SELECT 9007199254740993::bigint')).rejects.toThrow('larger than 2^53');
});

test('json() makes text that jsonb takes from any string', async () => {
  const hostile = { message: 'nul \0, half \ud800 pair', nested: ['\udc00'] };
  const { rows } = await open.pool.query('SELECT $1::jsonb AS value', [json(hostile)]);
  expect(rows[0].value).toEqual({ message: 'nul \uFFFD, half \uFFFD pair', nested: ['\uFFFD'] });
});

test('a server that ends the connection does not end the process, and the pool keeps working', async () => {
  const errors: Error[] = [];
  const other = openDatabase(database.url, {
    role: 'victim',
    max: 1,
    onError: (error) => errors.push(error),
  });
  await other.pool.query('SELECT 1');
  await open.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'offprint-victim'",
  );
  await expect.poll(() => errors.length).toBe(1);
  expect((await other.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await other.close();
});

test('sessions carry their name and their limits', async () => {
  const { rows } = await open.pool.query(
    `SELECT current_setting('application_name') AS name, current_setting('statement_timeout') AS statement,
            current_setting('idle_in_transaction_session_timeout') AS idle`,
  );
  expect(rows[0]).toEqual({ name: 'offprint-test', statement: '15s', idle: '30s' });
});

test('a transaction that loses its connection reports what ended it, not the rollback that could not run', async () => {
  const { db, pool, close } = openDatabase(database.url, { role: 'test', max: 1 });
  const work = db
    .transaction()
    .execute((tx) => sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(tx));
  await expect(work).rejects.toMatchObject({ code: '57P01' });
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await close();
});

test('a connection that breaks in use, between two queries, ends no process', async () => {
  const { pool, close } = openDatabase(database.url, { role: 'test', max: 1 });
  const client = await pool.connect();
  // What a socket does whose other end is gone, when the next query is written to it.
  expect(() => client.emit('error', new Error('write EPIPE'))).not.toThrow();
  client.release(true);
  await close();
});
