import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts';
import { type Migration, migrate, readMigrations } from './migrate.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
});

afterEach(() => database.drop());

function migration(number: number, sql: string, oldestProgram = '0.1.0'): Migration {
  const name = `${String(number).padStart(4, '0')}_step.sql`;
  const sha256 = createHash('sha256').update(sql).digest('hex');
  return { number, name, sql, sha256, oldestProgram };
}

/** A proxy of the database that responds as a server that is starting, as long as `refuses` returns true. */
async function refusingProxy(
  url: string,
  refuses: () => boolean,
): Promise<{ url: string; close(): Promise<void> }> {
  const { host, port } = new pg.Client(url);
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up', '']
    .map((field) => `${field}\0`)
    .join('');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (!refuses()) {
      const upstream = createConnection(target);
      upstream.on('error', () => socket.destroy());
      socket.pipe(upstream).pipe(socket);
      return;
    }
    socket.once('data', () => {
      const size = Buffer.alloc(4);
      size.writeInt32BE(4 + fields.length);
      socket.end(Buffer.concat([Buffer.from('E'), size, Buffer.from(fields, 'latin1')]));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port: own } = server.address() as AddressInfo;
  const { user, database: name, password } = new pg.Client(url);
  const account = `${encodeURIComponent(user ?? '')}:${encodeURIComponent(String(password ?? ''))}`;
  return {
    url: `postgres://${account}@127.0.0.1:${own}/${name}`,
    close: () => new Promise((closed) => void server.close(() => closed())),
  };
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

test('applies every file once, and nothing the second time', async () => {
  const names = (await readMigrations()).map(({ name }) => name);
  expect(await migrate(database.url)).toEqual(names);
  expect(await migrate(database.url)).toEqual([]);
});

test('eight processes at once apply each file exactly once', async () => {
  const files = [migration(1, 'CREATE TABLE a (n int)'), migration(2, 'INSERT INTO a VALUES (1)')];
  const results = await Promise.all(
    Array.from({ length: 8 }, () => migrate(database.url, { migrations: files })),
  );
  expect(results.flat().sort()).toEqual(['0001_step.sql', '0002_step.sql']);
  expect(await query('SELECT n FROM a')).toEqual([{ n: 1 }]);
});

test('a server that does not accept connections yet is awaited, and not without end', async () => {
  const refusals = (count: number) => {
    let left = count;
    return refusingProxy(database.url, () => left-- > 0);
  };
  const said: string[] = [];
  const options = {
    migrations: [migration(1, 'CREATE TABLE a (n int)')],
    log: { info: (message: string) => void said.push(message) },
  };
  const starting = await refusals(3);
  expect(await migrate(starting.url, options)).toEqual(['0001_step.sql']);
  expect(said).toEqual(['the database does not accept connections yet; waiting for it']);
  await starting.close();
  const never = await refusals(Number.POSITIVE_INFINITY);
  const waits = { attemptMs: 400, totalMs: 500 };
  await expect(migrate(never.url, { ...options, waits })).rejects.toThrow(
    'the database system is starting up',
  );
  await never.close();
});

test('a file that fails leaves nothing behind and names itself; the corrected one applies', async () => {
  const broken = migration(1, 'CREATE TABLE a (n int); SELECT nonsense()');
  await expect(migrate(database.url, { migrations: [broken] })).rejects.toThrow(
    'Migration 0001_step.sql failed: function nonsense',
  );
  expect(await migrate(database.url, { migrations: [migration(1, 'CREATE TABLE a (n int)')] })).toEqual([
    '0001_step.sql',
  ]);
});

test('an applied file that was changed is refused', async () => {
  await migrate(database.url, { migrations: [migration(1, 'CREATE TABLE a (n int)')] });
  await expect(
    migrate(database.url, { migrations: [migration(1, 'CREATE TABLE a (n text)')] }),
  ).rejects.toThrow('0001_step.sql was changed after it was applied');
});

test('a lock that another connection holds is reported by its name while a migration waits for it', async () => {
  await migrate(database.url, { migrations: [migration(1, 'CREATE TABLE a (n int)')] });
  const holder = new pg.Client({ connectionString: database.url, application_name: 'forgotten-psql' });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE a');
  const said: string[] = [];
  const files = [migration(1, 'CREATE TABLE a (n int)'), migration(2, 'ALTER TABLE a ADD COLUMN m int')];
  const options = {
    migrations: files,
    log: { info: (message: string) => void said.push(message) },
    waits: { attemptMs: 400, totalMs: 3_600_000 },
  };
  const running = migrate(database.url, options);
  await expect.poll(() => said.length).toBeGreaterThan(0);
  expect(said[0]).toMatch(
    /^migration 0002_step\.sql waits for a lock of connection \d+ \(forgotten-psql, .*idle in transaction, \d+ s\)$/,
  );
  const gaveUp = migrate(database.url, { ...options, waits: { attemptMs: 100, totalMs: 0 } });
  await expect(gaveUp).rejects.toThrow('Migration 0002_step.sql did not get a lock within 0 s');
  await holder.query('COMMIT');
  expect(await running).toEqual(['0002_step.sql']);
  await holder.end();
});

test('a database that needs no migration is not locked', async () => {
  const files = [migration(1, 'CREATE TABLE a (n int)')];
  await migrate(database.url, { migrations: files });
  const holder = new pg.Client(database.url);
  await holder.connect();
  await holder.query(
    'BEGIN; SELECT pg_advisory_xact_lock(267981127); LOCK TABLE schema_migrations IN ROW EXCLUSIVE MODE',
  );
  expect(await migrate(database.url, { migrations: files })).toEqual([]);
  await holder.end();
});

test('a program that is too old for the database is refused with all three versions; one that is new enough reports it', async () => {
  const files = [migration(1, 'CREATE TABLE a (n int)'), migration(2, 'CREATE TABLE b (n int)', '0.2.0')];
  await migrate(database.url, { migrations: files, program: '0.3.1' });
  const start = (program: string, log: { info(message: string): void } = { info: () => {} }) =>
    migrate(database.url, { migrations: files.slice(0, 1), program, log });
  await expect(start('0.1.9')).rejects.toThrow(
    'migrated by version 0.3.1. Since 0002_step.sql, it needs at least version 0.2.0; this is version 0.1.9.',
  );
  const said: string[] = [];
  expect(await start('0.2.0', { info: (message: string) => void said.push(message) })).toEqual([]);
  expect(said).toEqual([
    'the database was migrated by version 0.3.1 (0002_step.sql); version 0.2.0 works with it',
  ]);
  expect(await start('0.10.0-beta.1')).toEqual([]);
});

test('a database of a program that recorded no versions is migrated further', async () => {
  const files = [migration(1, 'CREATE TABLE a (n int)'), migration(2, 'CREATE TABLE b (n int)')];
  await migrate(database.url, { migrations: files.slice(0, 1) });
  await query('ALTER TABLE schema_migrations DROP COLUMN program, DROP COLUMN oldest_program');
  expect(await migrate(database.url, { migrations: files, program: '0.2.0' })).toEqual(['0002_step.sql']);
});

test('released migrations never change: a changed one is refused by every database that has it', async () => {
  const path = new URL('./released-migrations.json', import.meta.url);
  const released: Record<string, string> = JSON.parse(await readFile(path, 'utf8'));
  const files = new Map((await readMigrations()).map(({ name, sha256 }) => [name, sha256]));
  expect(Object.keys(released).length).toBeGreaterThan(10);
  for (const [name, sha256] of Object.entries(released))
    expect([name, files.get(name)]).toEqual([name, sha256]);
});

test('an older program leaves a newer database alone', async () => {
  const files = [migration(1, 'CREATE TABLE a (n int)'), migration(2, 'CREATE TABLE b (n int)')];
  await migrate(database.url, { migrations: files });
  expect(await migrate(database.url, { migrations: files.slice(0, 1) })).toEqual([]);
});

test('a gap in the numbers or a stray file is refused by name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await writeFile(join(folder, '0001_a.sql'), '');
  await writeFile(join(folder, '0003_c.sql'), '');
  await expect(readMigrations(pathToFileURL(`${folder}/`))).rejects.toThrow(
    '0003_c.sql: the next migration must be named 0002_<what>.sql',
  );
  await rm(folder, { recursive: true });
});

test('keys keep their rights when scopes get areas, also for processes of the version before', async () => {
  const files = await readMigrations();
  const at = files.findIndex(({ name }) => name === '0009_key_scopes.sql');
  await migrate(database.url, { migrations: files.slice(0, at) });
  await query(`INSERT INTO organizations (id, name) VALUES ('org_1', 'Acme')`);
  const old = { key_r: '{read}', key_w: '{write}', key_rw: '{read,write}', key_none: '{}' };
  for (const [id, scopes] of Object.entries(old)) {
    await query(`INSERT INTO api_keys (id, organization_id, name, key_hmac, last4, scopes, created_by)
      VALUES ('${id}', 'org_1', 'k', '${id}', 'abcd', '${scopes}', 'ada')`);
  }
  await migrate(database.url, { migrations: files });
  const rows = await query('SELECT id, scopes, projects, created_by_key FROM api_keys ORDER BY id');
  for (const { id, scopes, projects, created_by_key: creator } of rows) {
    const access = id === 'key_r' ? 'read' : 'write';
    expect(scopes, String(id)).toEqual([
      ...['exports', 'agent', 'projects', 'organization'].map((area) => `${area}:${access}`),
      access,
      `analytics:${access}`,
      'discovery:read',
      ...(access === 'write' ? ['assistant:use'] : []),
    ]);
    expect([projects, creator]).toEqual([null, null]);
  }
});
