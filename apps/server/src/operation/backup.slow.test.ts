/** Backups of a real database and a real store, restored into empty ones. */
import { createHash } from 'node:crypto';
import {
  appendFile,
  cp,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { AdminError } from '../admin-error.ts';
import { type Config, readConfig } from '../config.ts';
import { findLoss, vectorsKey } from '../exports/artifact.ts';
import { openTestExports, produceOne, type TestExports } from '../exports/job.fixture.ts';
import { removeOrphans } from '../exports/orphans.ts';
import { removeExport } from '../exports/retention.ts';
import { openDatabase } from '../platform/db/database.ts';
import { keepFiles } from '../platform/db/keep-files.ts';
import { isSecretOf } from '../platform/db/secret-check.ts';
import { openStoredFiles } from '../stored-files.ts';
import { backUp, connect, UNUSED_LINKS } from './backup.ts';
import { openBackup } from './backup-archive.ts';
import { restore } from './restore.ts';

const SECRET = 'the secret of an installation that is backed up';
const SITES = ['first site', 'second site', 'third site'];
const quiet = { say: () => {}, progress: () => {} };

let exports: TestExports;
let folder: string;
let config: Config;
let digests: string[];
const databases: TestDatabase[] = [];

const configOf = (databaseUrl: string, dataDir: string, env: Record<string, string> = {}): Config =>
  readConfig({ DATABASE_URL: databaseUrl, OFFPRINT_DATA_DIR: dataDir, OFFPRINT_SECRET: SECRET, ...env });

beforeAll(async () => {
  exports = await openTestExports();
  folder = await mkdtemp(join(tmpdir(), 'offprint-backup-'));
  config = configOf(exports.databaseUrl, dirname(exports.workDir));
  await isSecretOf(exports.database.db, SECRET);
  for (const site of SITES) await exports.run(await exports.start(), produceOne(site));
  await exports.start();
  const upload = Buffer.from('an uploaded archive');
  const sha256 = createHash('sha256').update(upload).digest('hex');
  await exports.blobs.put(`sources/${exports.organizationId}/${sha256}.tar.gz`, upload);
  await exports.database.db.updateTable('projects').set({ upload_sha256: sha256 }).execute();
  await writeFile(join(config.dataDir, 'known_hosts'), 'git.example.com ssh-ed25519 AAAA\n');
  digests = await bundlesOf(exports.databaseUrl);
  await storeVectors('vectors that are stored', true);
  await storeVectors('vectors that are missing', false);
});
afterAll(async () => {
  await exports.close();
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true });
});

async function bundlesOf(url: string): Promise<string[]> {
  const { db, close } = openDatabase(url, { role: 'test', max: 1 });
  const rows = await db
    .selectFrom('exports')
    .select('bundle_sha256')
    .where('status', '=', 'completed')
    .orderBy('bundle_sha256')
    .execute();
  await close();
  return rows.map(({ bundle_sha256: sha256 }) => sha256 ?? '');
}

/** Every row of a database as text, without what a restoration changes on purpose. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const { db, close } = openDatabase(url, { role: 'test', max: 1 });
  const tables = await sql<{ name: string }>`SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT relispartition
      AND relname NOT IN ('schema_migrations', 'visitor_keys', 'analytics_pending')`.execute(db);
  const content: Record<string, string[]> = {};
  for (const { name } of tables.rows) {
    const { rows } = await sql<{
      row: string;
    }>`SELECT to_json(t)::text AS row FROM ${sql.table(name)} t`.execute(db);
    content[name] = rows.map(({ row }) => row).sort();
  }
  await close();
  return content;
}

async function emptyTarget(): Promise<Config> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return configOf(database.url, await mkdtemp(join(folder, 'target-')));
}

/** Digests of the bundles in the store of an installation. */
async function storedBundles(of: Config): Promise<string[]> {
  const { blobs, close } = await openStoredFiles(of, UNUSED_LINKS);
  const found: string[] = [];
  for await (const { key } of blobs.list('bundles/')) {
    const digest = createHash('sha256');
    for await (const piece of (await blobs.get(key))!) digest.update(piece as Buffer);
    found.push(digest.digest('hex'));
    expect(key).toContain(found.at(-1));
  }
  close();
  return found.sort();
}

/** Vectors of the first bundle, in the store or only in the database. */
async function storeVectors(text: string, isThere: boolean): Promise<void> {
  const { organizationId, projectId, blobs, database } = exports;
  const file = createHash('sha256').update(text).digest('hex');
  if (isThere) await blobs.put(vectorsKey(organizationId, digests[0]!, file), Buffer.from(text));
  await database.db
    .insertInto('bundle_vectors')
    .values({
      id: `vec_${file.slice(0, 8)}`,
      organization_id: organizationId,
      project_id: projectId,
      bundle_sha256: digests[0]!,
      space: text,
      state: 'stored',
      file_sha256: file,
    })
    .execute();
}

let names = 0;
const newName = (ending = ''): string => join(folder, `backup-${++names}${ending}`);

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe.each(['.tar', ''])('a backup named backup%s', (ending) => {
  test('restores every row and every bundle into an empty installation', async () => {
    const path = newName(ending);
    const report = await backUp(config, path, quiet);
    expect(report).toMatchObject({ artifacts: SITES.length, uploads: 1, lost: [] });
    expect((await stat(path)).isDirectory()).toBe(ending === '');
    expect((await stat(path)).mode & 0o077).toBe(0);

    const target = await emptyTarget();
    const restored = await restore(target, path, quiet);
    expect(restored).toMatchObject({ rows: report.rows, artifacts: SITES.length, lost: 0 });
    expect(await contentOf(target.databaseUrl!)).toEqual(await contentOf(exports.databaseUrl));
    expect(await storedBundles(target)).toEqual(digests);
    expect(await readFile(join(target.dataDir, 'known_hosts'), 'utf8')).toContain('git.example.com');
    const { blobs } = await openStoredFiles(target, UNUSED_LINKS);
    for (const bundle of digests) expect(await findLoss(blobs, exports.organizationId, bundle)).toBeNull();
    const vectors: string[] = [];
    for await (const { key, bytes } of blobs.list(
      `artifacts/${exports.organizationId}/${digests[0]}/vectors-`,
    ))
      vectors.push(`${key.length} ${bytes}`);
    expect(vectors).toEqual([expect.stringMatching(/ 23$/)]);

    // The next identity value is above those that were restored.
    const { db, close } = openDatabase(target.databaseUrl!, { role: 'test', max: 1 });
    const { id } = await db.selectFrom('exports').select('id').executeTakeFirstOrThrow();
    await db.insertInto('export_events').values({ export_id: id, attempt: 9, event: 'claimed' }).execute();
    await close();
    expect(await refusal(restore(target, path, quiet))).toMatchObject({
      message: expect.stringMatching(/is not empty: the table .* has rows/),
    });
  });

  test('contains neither the secret nor a file of the data folder that has one', async () => {
    const path = newName(ending);
    await writeFile(join(config.dataDir, 'admin-key'), 'offprint_key');
    await backUp(config, path, quiet);
    const { entries, manifest } = await openBackup(path);
    expect(manifest.contains).toMatch(/Not OFFPRINT_SECRET/);
    for await (const { path: name, content } of entries()) {
      const pieces: Buffer[] = [];
      for await (const piece of content) pieces.push(piece);
      const bytes = Buffer.concat(pieces);
      const text = (
        name.endsWith('.gz') && name.startsWith('database/') ? gunzipSync(bytes) : bytes
      ).toString();
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('offprint_key');
    }
  });
});

test('a backup never replaces a file', async () => {
  const path = newName('.tar');
  await writeFile(path, 'precious');
  expect(await refusal(backUp(config, path, quiet))).toBeInstanceOf(AdminError);
  expect(await readFile(path, 'utf8')).toBe('precious');
});

describe('restore refuses and changes nothing', () => {
  let archive: string;
  let directory: string;
  beforeAll(async () => {
    archive = newName('.tar');
    directory = newName();
    await backUp(config, archive, quiet);
    await backUp(config, directory, quiet);
  });

  async function expectRefused(path: string, reason: RegExp, target?: Config): Promise<void> {
    const into = target ?? (await emptyTarget());
    const error = await refusal(restore(into, path, quiet));
    expect(error).toBeInstanceOf(AdminError);
    expect((error as AdminError).message).toMatch(reason);
    const { db, close } = openDatabase(into.databaseUrl!, { role: 'test', max: 1 });
    const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`.execute(db);
    await close();
    expect(rows).toEqual([{ count: 0 }]);
    expect(await readdir(into.dataDir)).toEqual([]);
  }

  /** A copy of the archive, changed. */
  async function changed(change: (path: string, bytes: number) => Promise<void>): Promise<string> {
    const path = newName('.tar');
    await cp(archive, path);
    await change(path, (await stat(path)).size);
    return path;
  }

  test.each([0.1, 0.5, 0.9, 0.999])('an archive that ends after %f of its bytes', async (share) => {
    const path = await changed((file, bytes) => truncate(file, Math.floor(bytes * share)));
    await expectRefused(path, /incomplete or damaged/);
  });

  test.each([0.05, 0.3, 0.6, 0.95])('an archive with another byte at %f of its length', async (share) => {
    const path = await changed(async (name, bytes) => {
      const file = await open(name, 'r+');
      const at = Math.floor(bytes * share);
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, at);
      // In a name, a content or the zeros between them.
      await file.write(Buffer.from([byte[0]! ^ 1]), 0, 1, at);
      await file.close();
    });
    const error = await refusal(restore(await emptyTarget(), path, quiet));
    // Zeros between two files are not part of the backup.
    if (error !== null) expect((error as Error).message).toMatch(/incomplete or damaged/);
  });

  test('bytes after the end of an archive', async () => {
    const path = await changed((file) => appendFile(file, 'more'));
    await expectRefused(path, /incomplete or damaged/);
  });

  test.each<[string, RegExp, (folder: string) => Promise<unknown>]>([
    ['without its list', /it has no backup\.json/, (path) => rm(join(path, 'backup.json'))],
    ['with a file too many', /is not in its list/, (path) => writeFile(join(path, 'files', 'more'), 'x')],
    [
      'without the rows of a table',
      /is missing/,
      (path) => rm(join(path, 'database', 'exports'), { recursive: true }),
    ],
    ['with a cut file', /bytes instead of/, async (path) => truncate(await firstChunk(path), 3)],
    ['with another byte in a file', /has another digest/, async (path) => flip(await firstChunk(path))],
    ['with another list', /has another digest/, (path) => flip(join(path, 'backup.json'))],
  ])('a folder %s', async (_name, reason, change) => {
    const path = newName();
    await cp(directory, path, { recursive: true });
    await change(path);
    await expectRefused(path, reason);
  });

  async function firstChunk(path: string): Promise<string> {
    const names = await readdir(join(path, 'files', 'artifacts'), { recursive: true });
    return join(
      path,
      'files',
      'artifacts',
      names.find((name) => /\/[0-9a-f]{64}$/.test(`/${name}`) && name.split('/').length === 3)!,
    );
  }

  async function flip(path: string): Promise<void> {
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(path, bytes);
  }

  test('a backup of a newer schema', async () => {
    const path = newName();
    await cp(directory, path, { recursive: true });
    const manifest = JSON.parse(await readFile(join(path, 'backup.json'), 'utf8')) as {
      migrations: object[];
    };
    manifest.migrations.push({
      number: manifest.migrations.length + 1,
      name: '9999_next.sql',
      sha256: 'a'.repeat(64),
    });
    const text = JSON.stringify(manifest);
    await writeFile(join(path, 'backup.json'), text);
    await writeFile(join(path, 'backup.json.sha256'), createHash('sha256').update(text).digest('hex'));
    await expectRefused(path, /newer schema \(9999_next\.sql\)/);
  });

  test('another secret, and a missing one', async () => {
    const target = await emptyTarget();
    const other = configOf(target.databaseUrl!, target.dataDir, { OFFPRINT_SECRET: 'x'.repeat(40) });
    await expectRefused(archive, /OFFPRINT_SECRET is not the secret/, other);
    const { secret: _, ...without } = target;
    await expectRefused(archive, /The secret is missing/, without);
  });

  test('a name that does not exist', async () => {
    await expectRefused(newName('.tar'), /not found/);
  });
});

test('a restoration that fails leaves an empty database, into which the next one restores', async () => {
  const path = newName('.tar');
  await backUp(config, path, quiet);
  const target = await emptyTarget();
  // The store cannot be written.
  await writeFile(join(target.dataDir, 'blobs'), 'a file instead of a folder');
  expect(await refusal(restore(target, path, quiet))).not.toBeNull();
  await rm(join(target.dataDir, 'blobs'));
  await restore(target, path, quiet);
  expect(await storedBundles(target)).toEqual(digests);
});

test('a backup of a database of an earlier version is restored and migrated', async () => {
  // Of a table that the earlier version does not have.
  await exports.database.db.deleteFrom('bundle_vectors').execute();
  const path = newName();
  // A column of a later version.
  await exports.database.db.updateTable('exports').set({ page_access: null }).execute();
  await backUp(config, path, quiet);
  const level = 13;
  const manifest = JSON.parse(await readFile(join(path, 'backup.json'), 'utf8')) as {
    migrations: object[];
    tables: Record<string, number>;
    sequences: { table: string }[];
  };
  manifest.migrations.length = level;
  // A table of a later version.
  manifest.sequences = manifest.sequences.filter(({ table }) => table !== 'analytics_batches');
  const text = JSON.stringify(manifest);
  await writeFile(join(path, 'backup.json'), text);
  await writeFile(join(path, 'backup.json.sha256'), createHash('sha256').update(text).digest('hex'));
  const target = await emptyTarget();
  await restore(target, path, quiet);
  expect(await contentOf(target.databaseUrl!)).toEqual(await contentOf(exports.databaseUrl));
});

test('files that a backup needs stay while it runs, and the sweep removes them afterwards', async () => {
  const { database, blobs, organizationId } = exports;
  const id = await exports.start();
  await exports.run(id, produceOne('deleted during the backup'));
  const bundle = (await bundlesOf(exports.databaseUrl)).find((sha256) => !digests.includes(sha256))!;
  const keeper = await connect(exports.databaseUrl);
  await keepFiles(keeper);
  const sweep = (now: () => Date) =>
    removeOrphans({
      db: database.db,
      blobs,
      log: pino({ level: 'silent' }),
      now,
      signal: new AbortController().signal,
    });
  const inTwoDays = () => new Date(Date.now() + 2 * 86_400_000);
  expect(await removeExport(database.db, blobs, organizationId, id)).toEqual({ isDeleted: true });
  expect(await sweep(inTwoDays)).toBe(0);
  expect(await findLoss(blobs, organizationId, bundle)).toBeNull();
  await keeper.end();
  await expect.poll(() => sweep(inTwoDays)).toBe(1);
  expect(await findLoss(blobs, organizationId, bundle)).toMatch(/is missing/);
});

test('what is lost already is reported, and a whole bundle is taken instead of a lost artifact', async () => {
  const { blobs, organizationId } = exports;
  const [first, second] = digests;
  await blobs.delete(`artifacts/${organizationId}/${first}/index.json`);
  await blobs.delete(`artifacts/${organizationId}/${second}/index.json`);
  await blobs.delete(`bundles/${organizationId}/${second}.tar.gz`);
  const path = newName('.tar');
  const report = await backUp(config, path, quiet);
  expect(report.lost).toEqual([
    { organizationId, bundle: second, reason: expect.stringContaining('is missing') },
  ]);
  const target = await emptyTarget();
  expect(await restore(target, path, quiet)).toMatchObject({ lost: 1 });
  expect(await storedBundles(target)).toEqual(digests.filter((sha256) => sha256 !== second));
});
