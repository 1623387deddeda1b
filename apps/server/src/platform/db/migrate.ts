import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { assetPath } from '@offprint/render/assets';
import pg from 'pg';
import { connectionSettings } from './database.ts';
import { type Holder, holderText, watchHolders } from './lock-holders.ts';

/** Files of one folder, in order; each is applied once, in a transaction of its own. */
const FOLDER = pathToFileURL(`${assetPath('apps/server/src/platform/db/migrations')}/`);
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const LOCK = 0x0ff9_1147;

/** A statement that waits for a lock on a table makes every later query of that table wait too. */
const LOCK_TIMEOUT_MS = 5_000;
const WAITS = { attemptMs: LOCK_TIMEOUT_MS, totalMs: 300_000 };
const LOCK_NOT_AVAILABLE = '55P03';
const CANNOT_CONNECT_NOW = '57P03';
const CONNECT_PAUSE_MS = 200;

const FIRST_VERSION = '0.1.0';
const LAST_WITHOUT_VERSION = 11;

export interface Migration {
  number: number;
  name: string;
  sql: string;
  sha256: string;
  /** Oldest program that works with the database after it; files name it in their first line. */
  oldestProgram: string;
}

export interface MigrateOptions {
  /** Default: those that come with this program. */
  migrations?: Migration[];
  /** Version of the program, such as `0.2.0`. Default: it works with every database that is ahead. */
  program?: string;
  /** Receives a sentence when a lock or the start of the server is awaited. */
  log?: { info(message: string): void };
  /** Milliseconds for which one attempt waits for a lock, and all attempts of one migration or connection. */
  waits?: { attemptMs: number; totalMs: number };
}

/** The database could not be migrated; the message names the reason and the way out. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/**
 * Brings the database to the state of this program and returns the names of the files it applied. Safe to run
 * at any time, from several processes at once, and through a connection pooler. Throws a MigrationError when an
 * applied file was changed since, a file fails, a lock is held for too long, or the database is ahead of this program
 * and no longer works with it. One that is ahead and works with it is left alone: during a rolling upgrade old processes
 * still start.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const files = options.migrations ?? (await readMigrations());
  const { program } = options;
  const client = await connect(url, options);
  try {
    const fresh: string[] = [];
    for (;;) {
      const known = await readApplied(client);
      requireCompatible(files, known, options);
      const next = nextMigration(files, known);
      if (next === undefined) return fresh;
      const applied = await withLockRetries(next.name, options, (attemptMs) =>
        applyNext({
          url,
          client,
          files,
          program,
          attemptMs,
          onHolders: (holders) => report(next.name, holders),
        }),
      );
      if (applied !== null) fresh.push(applied);
    }
  } finally {
    await client.end();
  }

  function report(name: string, holders: Holder[]): void {
    options.log?.info(`migration ${name} waits for a lock of ${holderText(holders)}`);
  }
}

/** A server that starts or recovers from a crash accepts connections soon; any other failure is thrown at once. */
async function connect(url: string, { log, waits = WAITS }: MigrateOptions): Promise<pg.Client> {
  const end = performance.now() + waits.totalMs;
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client(connectionSettings(url, 'migrate'));
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!hasCode(error, CANNOT_CONNECT_NOW) || performance.now() > end) throw error;
      if (attempt === 1) log?.info('the database does not accept connections yet; waiting for it');
      await sleep(CONNECT_PAUSE_MS);
    }
  }
}

interface AppliedMigration {
  number: number;
  name: string;
  sha256: string;
  /** Null for those applied before versions were recorded. */
  program: string | null;
  oldest_program: string | null;
}
type Applied = Map<number, AppliedMigration>;

/** Compares what is in the database and not in this program. */
function requireCompatible(files: readonly Migration[], applied: Applied, options: MigrateOptions): void {
  const ahead = [...applied.values()].filter(({ number }) => number > files.length);
  const { program } = options;
  if (ahead.length === 0 || program === undefined) return;
  const last = ahead.at(-1);
  const from = last?.program == null ? 'a newer program' : `version ${last.program}`;
  const blocking = ahead.find(({ oldest_program: oldest }) => oldest !== null && isOlder(program, oldest));
  if (blocking === undefined) {
    options.log?.info(
      `the database was migrated by ${from} (${last?.name}); version ${program} works with it`,
    );
    return;
  }
  throw new MigrationError(
    `The database was migrated by ${from}. Since ${blocking.name}, it needs at least version ${blocking.oldest_program}; this is version ${program}. Start version ${blocking.oldest_program} or newer, or restore the backup from before the upgrade.`,
  );
}

/** By semantic versioning, without a difference between a release and its previews. */
function isOlder(version: string, than: string): boolean {
  const parts = (text: string) => text.split('-')[0]!.split('.').map(Number);
  const [left, right] = [parts(version), parts(than)];
  for (const [at, part] of left.entries()) {
    if (part !== right[at]) return part < (right[at] ?? 0);
  }
  return false;
}

async function readApplied(client: pg.Client): Promise<Applied> {
  const table = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`,
  );
  if (table.rows[0]?.exists !== true) return new Map();
  // Columns of later programs are missing in databases of earlier ones.
  const { rows } = await client.query<AppliedMigration>(
    `SELECT number, name, sha256, to_jsonb(m) ->> 'program' AS program,
       to_jsonb(m) ->> 'oldest_program' AS oldest_program
     FROM schema_migrations m ORDER BY number`,
  );
  return new Map(rows.map((row) => [row.number, row]));
}

function nextMigration(files: readonly Migration[], applied: Applied): Migration | undefined {
  for (const file of files) {
    const known = applied.get(file.number);
    if (known !== undefined && known.sha256 !== file.sha256) {
      throw new MigrationError(
        `Migration ${file.name} was changed after it was applied to this database (as ${known.name}). ` +
          'Restore the file and put the change into a new migration.',
      );
    }
  }
  return files.find(({ number }) => !applied.has(number));
}

interface Attempt {
  url: string;
  client: pg.Client;
  files: readonly Migration[];
  program: string | undefined;
  attemptMs: number;
  onHolders(holders: Holder[]): void;
}

/**
 * Applies the first file that is missing under a lock that ends with the transaction, so that no pooled connection keeps
 * it. Returns its name; null if another process has applied it meanwhile.
 */
async function applyNext({
  url,
  client,
  files,
  program,
  attemptMs,
  onHolders,
}: Attempt): Promise<string | null> {
  let name: string | null = null;
  let watch: { stop(): void } | null = null;
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${attemptMs}; SET LOCAL statement_timeout = 0`);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    watch = watchHolders(url, rows[0]?.pid ?? 0, attemptMs / 2, onHolders);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
        number integer PRIMARY KEY,
        name text NOT NULL,
        sha256 text NOT NULL,
        applied_at timestamptz(3) NOT NULL DEFAULT now()
      );
      ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS program text,
        ADD COLUMN IF NOT EXISTS oldest_program text`,
    );
    const file = nextMigration(files, await readApplied(client));
    if (file !== undefined) {
      name = file.name;
      await client.query(file.sql);
      await client.query(
        `INSERT INTO schema_migrations (number, name, sha256, program, oldest_program)
         VALUES ($1, $2, $3, $4, $5)`,
        [file.number, file.name, file.sha256, program ?? null, file.oldestProgram],
      );
    }
    await client.query('COMMIT');
    return name;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    if (error instanceof MigrationError || name === null || isLockTimeout(error)) throw error;
    throw new MigrationError(
      `Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  } finally {
    watch?.stop();
  }
}

/** Repeats an attempt that did not get a lock in time, until all of them have waited too long. */
async function withLockRetries<Value>(
  name: string,
  { waits = WAITS }: MigrateOptions,
  attempt: (attemptMs: number) => Promise<Value>,
): Promise<Value> {
  const end = performance.now() + waits.totalMs;
  for (;;) {
    try {
      return await attempt(waits.attemptMs);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (performance.now() < end) continue;
      throw new MigrationError(
        `Migration ${name} did not get a lock within ${waits.totalMs / 1_000} s; the log names the connection that has it. Wait for it to end, or end it with pg_terminate_backend, and start again.`,
        { cause: error },
      );
    }
  }
}

const isLockTimeout = (error: unknown): boolean => hasCode(error, LOCK_NOT_AVAILABLE);

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The migrations that come with this program. Throws on a name out of the pattern or a gap in the numbers. */
export async function readMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const number = Number(FILE_NAME.exec(name)?.[1]);
      if (number !== index + 1) {
        throw new Error(
          `${name}: the next migration must be named ${String(index + 1).padStart(4, '0')}_<what>.sql`,
        );
      }
      const sql = await readFile(new URL(name, folder), 'utf8');
      const sha256 = createHash('sha256').update(sql).digest('hex');
      return { number, name, sql, sha256, oldestProgram: oldestProgramOf(name, number, sql) };
    }),
  );
}

/** The version that the first line names. The first files were written when there was only one version. */
function oldestProgramOf(name: string, number: number, sql: string): string {
  const oldest = /^-- oldest program: (\d+\.\d+\.\d+)\n/.exec(sql)?.[1];
  if (oldest !== undefined) return oldest;
  if (number <= LAST_WITHOUT_VERSION) return FIRST_VERSION;
  throw new Error(
    `${name}: the first line must be \`-- oldest program: x.y.z\`, the oldest version that works with the database after this migration`,
  );
}
