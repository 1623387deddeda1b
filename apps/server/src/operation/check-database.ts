import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '@offprint/contract/counted';
import { type Kysely, sql } from 'kysely';
import { databaseName, requireTables } from '../admin.ts';
import { type Config, readSecret } from '../config.ts';
import { countLosses } from '../exports/lost-artifact.ts';
import { readJobStates, stalledText } from '../job-state.ts';
import type { Database } from '../platform/db/database.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { readSecretChecks, secretCheckOf, WRONG_SECRET } from '../platform/db/secret-check.ts';
import { readStops } from '../platform/jobs/stops.ts';
import { VERSION } from '../version.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

const MIN_POSTGRES = 150_000;
/** Links end and leases run out by clocks: this much does no harm. */
const MAX_SKEW_SECONDS = 5;

type Db = Kysely<Database>;

/** Checks of the database. Throws an AdminError if the platform has never used it. */
export async function* checkDatabase(config: Config, db: Db): AsyncGenerator<Finding> {
  yield await checkServer(config, db);
  yield await checkClock(db);
  yield await checkDurability(db);
  yield await checkConnections(config, db);
  await requireTables(config, db);
  const schema = await checkSchema(db);
  yield schema;
  if (schema.status === 'error') return;
  yield await checkSecret(config, db);
  yield* checkQueue(db);
}

async function checkServer(config: Config, db: Db): Promise<Finding> {
  const { rows } = await sql<{ version: string; number: number }>`
    SELECT current_setting('server_version') AS version,
      current_setting('server_version_num')::int AS number`.execute(db);
  const { version = 'unknown', number = 0 } = rows[0] ?? {};
  if (number >= MIN_POSTGRES) return ok('database', `${databaseName(config)} is PostgreSQL ${version}.`);
  return failure(
    'database',
    `${databaseName(config)} is PostgreSQL ${version}.`,
    'Upgrade it to version 15 or newer.',
  );
}

async function checkClock(db: Db): Promise<Finding> {
  const before = Date.now();
  const { rows } = await sql<{ now: number }>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`.execute(db);
  const after = Date.now();
  return clockFinding('database', ((rows[0]?.now ?? before) - (before + after) / 2) / 1_000);
}

/** `seconds`: how far the other clock is ahead. */
export function clockFinding(other: string, seconds: number): Finding {
  const skew = Math.abs(seconds);
  if (skew <= MAX_SKEW_SECONDS) return ok('clock', `The clocks of this machine and the ${other} agree.`);
  return failure(
    'clock',
    `The clock of the ${other} is ${skew.toFixed(0)} s ${seconds > 0 ? 'ahead of' : 'behind'} the one of this machine.`,
    'Synchronize both with NTP: links, sessions and schedules depend on them.',
  );
}

const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

async function checkDurability(db: Db): Promise<Finding> {
  const { rows } = await sql<{ name: string; setting: string }>`
    SELECT name, setting FROM pg_settings WHERE name = ANY (${[...DURABLE]}::text[])`.execute(db);
  const off = rows.filter(({ setting }) => setting === 'off').map(({ name }) => name);
  if (off.length === 0) return ok('durability', `${DURABLE.join(', ')} are on.`);
  return failure(
    'durability',
    `${off.join(', ')} of the database is off: what was accepted can be lost when its machine fails.`,
    `Set ${off.map((name) => `${name} = on`).join(', ')} for the database and for the role of the platform.`,
  );
}

async function checkConnections(config: Config, db: Db): Promise<Finding> {
  const { rows } = await sql<{ allowed: number; used: number }>`
    SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) AS allowed,
      (SELECT count(*)::int FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS used`.execute(db);
  const { allowed = 0, used = 0 } = rows[0] ?? {};
  const wanted = config.databaseConnections;
  const message = `${used} of ${allowed} connections are in use; a process of the platform opens up to ${wanted}.`;
  if (used + wanted <= allowed) return ok('connections', message);
  return warning(
    'connections',
    message,
    'Lower OFFPRINT_DATABASE_CONNECTIONS, raise max_connections, or use a connection pooler.',
  );
}

async function checkSchema(db: Db): Promise<Finding> {
  const files = await readMigrations();
  const { rows } = await sql<{ number: number; name: string; sha256: string }>`
    SELECT number, name, sha256 FROM schema_migrations ORDER BY number`.execute(db);
  const changed = rows.find(({ number, sha256 }) => (files[number - 1]?.sha256 ?? sha256) !== sha256);
  const program = `Program ${VERSION}`;
  if (changed !== undefined) {
    return failure(
      'schema',
      `${program} has another version of the migration ${changed.name} than the database.`,
      'Use the version of the program that migrated the database, or a newer one.',
    );
  }
  if (rows.length > files.length) {
    return warning(
      'schema',
      `The database was migrated by a newer program than ${VERSION} (${rows.at(-1)?.name}).`,
      'Update this program.',
    );
  }
  if (rows.length < files.length) {
    return failure(
      'schema',
      `The database has ${rows.length} of the ${files.length} migrations of program ${VERSION}.`,
      'Run `offprint migrate`, then this command again.',
    );
  }
  return ok('schema', `${program} and the database have the same ${files.length} migrations.`);
}

async function checkSecret(config: Config, db: Db): Promise<Finding> {
  const file = join(config.dataDir, 'secret');
  const checks = await readSecretChecks(db);
  if (config.secret === undefined && !existsSync(file)) {
    if (checks.length === 0) return ok('secret', 'The first start of the platform creates the secret.');
    return failure(
      'secret',
      `OFFPRINT_SECRET is not set and ${file} does not exist.`,
      'Set the secret that the servers use. If it is lost, see "Lost secret" in the runbook.',
    );
  }
  const own = secretCheckOf(readSecret(config));
  if (checks.every((check) => check.equals(own)))
    return ok('secret', 'OFFPRINT_SECRET is the one of the database.');
  const [what, ...wayOut] = WRONG_SECRET.split('. ');
  return failure('secret', `${what}.`, wayOut.join('. '));
}

async function* checkQueue(db: Db): AsyncGenerator<Finding> {
  const states = await readJobStates(db);
  const queued = states.groups
    .filter(({ state }) => state === 'queued')
    .reduce((sum, { count }) => sum + count, 0);
  const stops = await readStops(db);
  const stalled = stalledText(states);
  if (stalled !== null)
    yield failure(
      'queue',
      `No worker is running for ${counted(queued, 'queued job')}.`,
      'Start a worker, or check why the workers stopped.',
    );
  for (const kind of stops.kinds) {
    yield warning(
      'queue',
      `The queue of the kind ${kind} is paused.`,
      `Run \`offprint admin queue resume ${kind}\`.`,
    );
  }
  if (stalled === null && stops.kinds.length === 0)
    yield ok('queue', `${counted(states.workers, 'live worker')}, ${counted(queued, 'queued job')}.`);
  const { restoring, lost } = await countLosses(db);
  if (lost > 0) {
    yield failure(
      'lost artifacts',
      `${counted(lost, 'lost artifact')} could not be rendered again.`,
      'Restore their files from a backup, or start new exports. `offprint admin job requeue <export id>` tries to render one again.',
    );
  } else if (restoring > 0) {
    yield warning(
      'lost artifacts',
      `Workers are rendering ${counted(restoring, 'lost artifact')} again.`,
      'Wait for the workers.',
    );
  } else yield ok('lost artifacts', 'No artifact is recorded as lost.');
}
