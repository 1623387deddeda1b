import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../apps/server/src/platform/db/embedded/embedded.ts';
import { migrate, readMigrations } from '../../apps/server/src/platform/db/migrate.ts';

export interface TestDatabase {
  url: string;
  /** Ends what is still connected. */
  drop(): Promise<void>;
}

const TEMPLATE_LOCK = 7_411;

let server: Promise<EmbeddedPostgres> | undefined;
let template: Promise<string> | undefined;

/** A database of its own with every migration applied, on the one real server of this test run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = await serverUrl();
  template ??= migratedTemplate(url);
  return createDatabase(url, `TEMPLATE ${await template}`);
}

/** A database without any table, for tests of the migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase(await serverUrl(), '');
}

async function createDatabase(url: string, options: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await run(url, (client) => client.query(`CREATE DATABASE ${name} ${options}`));
  return {
    url: databaseUrl(url, name),
    drop: () =>
      run(url, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)).then(() => {}),
  };
}

async function serverUrl(): Promise<string> {
  server ??= start();
  return (await server).url;
}

/** Every test process joins the server of the run; it stops by itself when the last of them has ended. */
async function start(): Promise<EmbeddedPostgres> {
  const dataDir = inject('postgresDataDir') ?? (await mkdtemp(join(tmpdir(), 'offprint-test-')));
  return startEmbeddedPostgres({ dataDir, log: { info: () => {}, error: console.error } });
}

async function migratedTemplate(url: string): Promise<string> {
  const digest = createHash('sha256');
  for (const { sha256 } of await readMigrations()) digest.update(sha256);
  const name = `template_${digest.digest('hex').slice(0, 16)}`;
  await run(url, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount) return;
    const unfinished = `${name}_new`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished}`);
    await client.query(`CREATE DATABASE ${unfinished}`);
    await migrate(databaseUrl(url, unfinished));
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  });
  return name;
}

function databaseUrl(url: string, name: string): string {
  const result = new URL(url);
  result.pathname = `/${name}`;
  return result.href;
}

async function run<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: 'offprint-test' });
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
