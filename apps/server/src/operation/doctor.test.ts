/** What `offprint doctor` finds: nothing where all is well, and each defect by name. */
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from '../../../../test/support/postgres.ts';
import { type Config, readConfig } from '../config.ts';
import { openTestExports, produceOne, type TestExports } from '../exports/job.fixture.ts';
import { isSecretOf } from '../platform/db/secret-check.ts';
import { pauseKind, resumeKind } from '../platform/jobs/stops.ts';
import { clockFinding } from './check-database.ts';
import { type DoctorOptions, type DoctorReport, examine } from './doctor.ts';

const SECRET = 'the secret of an installation that is examined';
const OLD = new Date(Date.now() - 3 * 86_400_000);

let exports: TestExports;
let config: Config;
let safe: string;

const configOf = (env: Record<string, string> = {}): Config =>
  readConfig({
    DATABASE_URL: exports.databaseUrl,
    OFFPRINT_DATA_DIR: dirname(exports.workDir),
    OFFPRINT_SECRET: SECRET,
    OFFPRINT_MIN_FREE_MB: '1',
    ...env,
  });

beforeAll(async () => {
  exports = await openTestExports();
  config = configOf();
  await isSecretOf(exports.database.db, SECRET);
  for (const site of ['one', 'two']) await exports.run(await exports.start(), produceOne(site));
  const upload = Buffer.from('an uploaded archive');
  const sha256 = createHash('sha256').update(upload).digest('hex');
  await exports.blobs.put(`sources/${exports.organizationId}/${sha256}.tar.gz`, upload);
  await exports.database.db.updateTable('projects').set({ upload_sha256: sha256 }).execute();
  safe = await mkdtemp(join(tmpdir(), 'offprint-doctor-'));
  await cp(join(config.dataDir, 'blobs'), safe, { recursive: true });
});
afterAll(async () => {
  await exports.close();
  await rm(safe, { recursive: true });
});
beforeEach(async () => {
  await rm(join(config.dataDir, 'blobs'), { recursive: true, force: true });
  await cp(safe, join(config.dataDir, 'blobs'), { recursive: true });
  await exports.database.db.deleteFrom('lost_artifacts').execute();
  await exports.database.db.deleteFrom('jobs').execute();
});

const run = (options: Partial<DoctorOptions> = {}, of: Config = config): Promise<DoctorReport> =>
  examine(of, { read: false, repair: false, ...options }, () => undefined);

const problemsOf = ({ findings }: DoctorReport): string[] =>
  findings
    .filter(({ status }) => status !== 'ok')
    .map(({ check, status, message }) => `${status} ${check}: ${message}`);

/** Path of the first stored file that matches. */
async function stored(part: RegExp): Promise<string> {
  const names = await readdir(join(config.dataDir, 'blobs'), { recursive: true });
  return join(config.dataDir, 'blobs', names.sort().find((name) => part.test(name))!);
}

const CHUNK = /^artifacts\/[^/]+\/[0-9a-f]{64}\/[0-9a-f]{64}$/;

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(path, bytes);
}

test.each([false, true])('an installation that is well has no finding (read: %s)', async (read) => {
  const report = await run({ read });
  expect(problemsOf(report)).toEqual([]);
  expect(report.status).toBe('ok');
  expect([...new Set(report.findings.map(({ check }) => check))]).toEqual([
    'program',
    'settings',
    'disk',
    'store',
    'database',
    'clock',
    'durability',
    'connections',
    'schema',
    'secret',
    'queue',
    'lost artifacts',
    'files',
  ]);
  expect(report.findings.find(({ check }) => check === 'files')?.message).toMatch(
    /^The store contains 2 artifacts and 1 upload \(/,
  );
  // The object that was stored to try the store is gone.
  expect(await readdir(join(config.dataDir, 'blobs'))).not.toContain('doctor');
});

describe('finds', () => {
  test.each<[string, RegExp, (path: string) => Promise<unknown>, RegExp, boolean]>([
    [
      'a deleted chunk',
      CHUNK,
      (path) => rm(path),
      /^error files: The artifact of docs\.example\.com \(se_.*\) is lost: the chunk .* is missing/,
      false,
    ],
    [
      'a cut chunk',
      CHUNK,
      (path) => writeFile(path, 'cut'),
      /is lost: the chunk .* has 3 bytes instead of/,
      false,
    ],
    [
      'a deleted index',
      /index\.json$/,
      (path) => rm(path),
      /is lost: artifacts\/.*index\.json is missing/,
      false,
    ],
    [
      'a damaged index',
      /index\.json$/,
      (path) => writeFile(path, '{}'),
      /is lost: artifacts\/.*index\.json is damaged/,
      false,
    ],
    [
      'a whole artifact that is missing',
      /^artifacts\/[^/]+\/[0-9a-f]{64}$/,
      (path) => rm(path, { recursive: true }),
      /is lost: all of it is missing/,
      false,
    ],
    ['another byte in a chunk', CHUNK, flip, /is lost: artifacts\/.* is damaged/, true],
    [
      'a cut bundle',
      /^bundles\/.*gz$/,
      (path) => writeFile(path, 'cut'),
      /^error files: The stored bundle .* is damaged/,
      false,
    ],
    [
      'another byte in a bundle',
      /^bundles\/.*gz$/,
      flip,
      /^error files: The stored bundle .* is damaged/,
      true,
    ],
    [
      'a missing upload',
      /^sources\/.*gz$/,
      (path) => rm(path),
      /^error files: The uploaded archive .* is missing/,
      false,
    ],
    [
      'another byte in an upload',
      /^sources\/.*gz$/,
      flip,
      /^error files: The uploaded archive .* is damaged/,
      true,
    ],
  ])('%s', async (_name, part, damage, message, read) => {
    await damage(await stored(part));
    const report = await run({ read });
    expect(problemsOf(report)).toEqual([expect.stringMatching(message)]);
    expect(report.status).toBe('error');
    // Nothing is changed without being asked.
    expect(await exports.database.db.selectFrom('lost_artifacts').selectAll().execute()).toEqual([]);
  });

  test('files that belong to no row after a day, and not before', async () => {
    const name = 'a'.repeat(64);
    const orphans = [
      `artifacts/${exports.organizationId}/${name}/${name}`,
      `bundles/${exports.organizationId}/${name}.tar.gz`,
      `sources/${exports.organizationId}/${name}.tar.gz`,
    ];
    for (const key of orphans) await exports.blobs.put(key, Buffer.from('left'));
    expect(problemsOf(await run())).toEqual([]);
    for (const key of orphans) await utimes(join(config.dataDir, 'blobs', key), OLD, OLD);
    const report = await run();
    expect(report.status).toBe('warning');
    expect(problemsOf(report)).toHaveLength(3);
    expect(problemsOf(report).every((line) => /^warning files: .* belongs to no/.test(line))).toBe(true);
    await run({ repair: true });
    expect(problemsOf(await run())).toHaveLength(2);
  });

  test('another secret, and a missing one', async () => {
    const other = await run({}, configOf({ OFFPRINT_SECRET: 'x'.repeat(40) }));
    expect(problemsOf(other)).toEqual([
      expect.stringMatching(/^error secret: OFFPRINT_SECRET is not the secret/),
    ]);
    const { secret: _, ...without } = config;
    expect(problemsOf(await run({}, without))).toEqual([
      expect.stringMatching(/^error secret: .* is not set/),
    ]);
  });

  test('a database that loses what it has confirmed', async () => {
    const { db } = exports.database;
    await sql`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`.execute(
      db,
    );
    expect(problemsOf(await run())).toEqual([expect.stringMatching(/^error durability: synchronous_commit/)]);
    await sql`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET synchronous_commit', current_database()); END $$`.execute(
      db,
    );
  });

  test('a limit of connections that the database cannot give', async () => {
    const of = configOf({ OFFPRINT_DATABASE_CONNECTIONS: '200' });
    expect(problemsOf(await run({}, of))).toEqual([expect.stringMatching(/^warning connections: /)]);
  });

  test('jobs without a worker, and a paused queue', async () => {
    const id = await exports.start();
    await pauseKind(exports.database.db, 'export');
    expect(problemsOf(await run())).toEqual([
      expect.stringMatching(/^error queue: No worker is running for 1 queued job/),
      'warning queue: The queue of the kind export is paused.',
    ]);
    await resumeKind(exports.database.db, 'export');
    await exports.database.db.deleteFrom('exports').where('id', '=', id).execute();
  });

  test('too little space', async () => {
    const of = configOf({ OFFPRINT_MIN_FREE_MB: '10000000' });
    expect(problemsOf(await run({}, of))).toEqual([expect.stringMatching(/^error disk: /)]);
  });

  test('a clock that is ahead or behind', () => {
    expect(clockFinding('database', 4).status).toBe('ok');
    expect(clockFinding('database', 61)).toMatchObject({
      status: 'error',
      message: expect.stringContaining('61 s ahead of'),
    });
    expect(clockFinding('store', -3_600).message).toContain('3600 s behind');
  });

  test('a database that does not respond, one without tables, and one of another version', async () => {
    const away = await run({}, configOf({ DATABASE_URL: 'postgresql://offprint@127.0.0.1:1/offprint' }));
    expect(problemsOf(away)).toEqual([expect.stringMatching(/^error database: Cannot use the database/)]);
    const empty = await createEmptyDatabase();
    const none = await run({}, configOf({ DATABASE_URL: empty.url }));
    expect(problemsOf(none)).toEqual([expect.stringMatching(/contains no Offprint tables/)]);
    await empty.drop();
    const { db } = exports.database;
    await sql`INSERT INTO schema_migrations (number, name, sha256) VALUES (99, '0099_next.sql', 'x')`.execute(
      db,
    );
    expect(problemsOf(await run())).toEqual([
      expect.stringMatching(/^warning schema: The database was migrated by a newer program/),
    ]);
    await sql`DELETE FROM schema_migrations WHERE number = 99`.execute(db);
  });

  test('a store that cannot be written', async () => {
    await rm(join(config.dataDir, 'blobs'), { recursive: true });
    await writeFile(join(config.dataDir, 'blobs'), 'a file');
    expect(problemsOf(await run())).toEqual([
      expect.stringMatching(/^error store: The store cannot be used/),
    ]);
  });
});

test('repairs what it can: a lost artifact is queued, a damaged bundle deleted, a restored artifact checked', async () => {
  const { db } = exports.database;
  const chunk = await stored(CHUNK);
  const content = await readFile(chunk);
  await rm(chunk);
  await flip(await stored(/^bundles\/.*gz$/));
  await run({ read: true, repair: true });
  expect(await db.selectFrom('lost_artifacts').select('state').execute()).toEqual([{ state: 'queued' }]);
  await writeFile(chunk, content);
  await db.updateTable('lost_artifacts').set({ state: 'lost' }).execute();
  await db.deleteFrom('jobs').execute();
  const report = await run({ read: true, repair: true });
  expect(problemsOf(report)).toEqual([
    expect.stringMatching(/^error lost artifacts: 1 lost artifact could/),
    expect.stringMatching(/^warning files: .* is recorded as lost, but stored/),
  ]);
  expect(await db.selectFrom('jobs').select('kind').execute()).toEqual([{ kind: 'artifact' }]);
});
