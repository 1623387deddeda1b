import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { makeFolder } from '@offprint/bundle/make-folder';
import type pg from 'pg';
import {
  databaseName,
  explainForOperators,
  hasEmbeddedDatabase,
  startQuietly,
  withDatabase,
} from '../admin.ts';
import { AdminError } from '../admin-error.ts';
import { type Config, readSecret } from '../config.ts';
import {
  bundleKey,
  checkIndex,
  type ReadChunk,
  readIndex,
  readStoredChunk,
  storeBundle,
} from '../exports/artifact.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import {
  findRows,
  type RowBatch,
  readRows,
  type SequenceState,
  writeRows,
  writeSequences,
} from '../platform/db/copy-rows.ts';
import { migrate, readMigrations } from '../platform/db/migrate.ts';
import { secretCheckOf } from '../platform/db/secret-check.ts';
import { openStoredFiles } from '../stored-files.ts';
import { VERSION } from '../version.ts';
import { connect, KNOWN_HOSTS, type Progress, UNUSED_LINKS, withSnapshot } from './backup.ts';
import { type BackupManifest, type BackupReader, collect, openBackup } from './backup-archive.ts';
import { readObjects } from './copy-files.ts';
import { type NeededObjects, readNeeded } from './stored-objects.ts';

export interface RestoreReport {
  database: string;
  rows: number;
  artifacts: number;
  /** Exports whose files the backup or the source did not have. */
  lost: number;
}

/** Text of one file of rows, to which a small one may inflate. */
const MAX_PART_BYTES = 1 << 30;
/** Larger files are not held in memory. */
const MAX_WHOLE_BYTES = 64_000_000;

/**
 * Restores a backup into an empty database and into the store of the configuration. The rows are committed last, after
 * every bundle was made of its artifact again and has its digest: a restoration that fails leaves an empty database.
 * Throws an AdminError for a damaged backup, a database with rows, another secret, or a backup of a newer program.
 */
export async function restore(config: Config, path: string, progress: Progress): Promise<RestoreReport> {
  progress.say(`Verifying ${path}`);
  const backup = await openBackup(path);
  await requireKnownSchema(backup.manifest.migrations);
  await requireSecret(config, await secretChecks(backup));
  const intoDatabase = async (url: string): Promise<RestoreReport> => {
    const stored = await openStoredFiles(config, UNUSED_LINKS);
    const { manifest } = backup;
    try {
      return await fill(config, url, manifest, async (client) => {
        const needed = await writeBackup(client, backup, stored.blobs, progress);
        await writeHosts(config, backup);
        return needed;
      });
    } finally {
      stored.close();
    }
  };
  return withDatabase(config, intoDatabase, { mayCreate: true });
}

/**
 * Copies the embedded database of the data folder into the empty database of DATABASE_URL, and the stored files into the
 * bucket if one is configured. Nothing of the data folder is changed. Throws an AdminError while the platform runs.
 */
export async function moveDatabase(config: Config, progress: Progress): Promise<RestoreReport> {
  if (config.databaseUrl === undefined) {
    throw new AdminError(
      'DATABASE_URL is not set. Set it to the URL of the PostgreSQL database to which the data moves.',
    );
  }
  if (!hasEmbeddedDatabase(config)) {
    throw new AdminError(
      `No embedded database in ${config.dataDir}. Set OFFPRINT_DATA_DIR to the data folder of the platform.`,
    );
  }
  const source = await startQuietly(config);
  try {
    if (source.adopted) {
      throw new AdminError(
        'The platform uses the embedded database. Stop it first: what it writes now would be missing in the other database.',
      );
    }
    return await withSnapshot(source.url, async (snapshot) => {
      const { client: from, migrations, sequences } = snapshot;
      await requireKnownSchema(migrations);
      const { rows } = await from.query<{ check: string }>(
        `SELECT encode(secret_check, 'hex') AS check FROM installation`,
      );
      await requireSecret(
        config,
        rows.map(({ check }) => Buffer.from(check, 'hex')),
      );
      const needed = await readNeeded(from);
      return await withDatabase(config, (url) =>
        fill(config, url, { migrations, sequences, tables: null }, async (client) => {
          progress.say('Copying the database');
          const counts = await writeRows(client, readRows(from));
          const lost = config.s3Bucket === undefined ? 0 : await copyToBucket(config, needed, progress);
          return { counts, artifacts: needed.artifacts.length, lost };
        }),
      );
    });
  } catch (error) {
    throw explainForOperators(error);
  } finally {
    await source.stop();
  }
}

async function copyToBucket(config: Config, needed: NeededObjects, progress: Progress): Promise<number> {
  const { s3Bucket: _, ...folderConfig } = config;
  const from = await openStoredFiles(folderConfig, UNUSED_LINKS);
  const to = await openStoredFiles(config, UNUSED_LINKS);
  let lost = 0;
  let done = 0;
  try {
    for await (const { key, content } of readObjects(from.blobs, needed, () => lost++)) {
      await to.blobs.put(key, content instanceof Uint8Array ? content : Readable.from(content.stream));
      if (/\/index\.json$|\.tar\.gz$/.test(key))
        progress.progress(++done, needed.artifacts.length + needed.uploads.length, 'files');
    }
    return lost;
  } finally {
    from.close();
    to.close();
  }
}

interface Filled {
  counts: ReadonlyMap<string, number>;
  artifacts: number;
  lost: number;
}

/** Brings an empty database to the schema of the rows, writes them in one transaction, and migrates it further. */
async function fill(
  config: Config,
  url: string,
  source: {
    migrations: BackupManifest['migrations'];
    sequences: readonly SequenceState[];
    tables: BackupManifest['tables'] | null;
  },
  write: (client: pg.Client) => Promise<Filled>,
): Promise<RestoreReport> {
  const client = await connect(url);
  try {
    await requireEmpty(config, client);
    const level = (await readMigrations()).slice(0, source.migrations.length);
    await migrate(url, { migrations: level, program: VERSION });
    await requireLevel(config, client, level.length);
    await client.query('BEGIN');
    const { counts, artifacts, lost } = await write(client);
    for (const [table, rows] of Object.entries(source.tables ?? {})) {
      const written = counts.get(table) ?? 0;
      if (written !== rows) throw new Error(`${written} rows of ${table} were written instead of ${rows}`);
    }
    await writeSequences(client, source.sequences);
    await forgetWorkers(client);
    await client.query('COMMIT');
    await migrate(url, { program: VERSION });
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return { database: databaseName(config), rows, artifacts, lost };
  } finally {
    await client.end();
  }
}

/** Throws an AdminError if this program does not have the migrations of the rows. */
async function requireKnownSchema(migrations: BackupManifest['migrations']): Promise<void> {
  const files = await readMigrations();
  for (const { number, name, sha256 } of migrations) {
    const known = files[number - 1];
    if (known?.sha256 === sha256) continue;
    throw new AdminError(
      known === undefined
        ? `The backup has a newer schema (${name}) than this program. Restore it with the version that wrote it, or a newer one.`
        : `The backup has another version of the migration ${name} than this program. Restore it with the version that wrote it.`,
    );
  }
}

/** Workers of the installation that the rows come from do not work for this one. */
async function forgetWorkers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ jobs: boolean; stops: boolean }>(
    `SELECT to_regclass('jobs') IS NOT NULL AS jobs, to_regclass('claim_stops') IS NOT NULL AS stops`,
  );
  if (rows[0]?.jobs === true) await client.query('UPDATE jobs SET worker = NULL WHERE worker IS NOT NULL');
  if (rows[0]?.stops === true) await client.query('DELETE FROM claim_stops WHERE worker IS NOT NULL');
}

async function requireEmpty(config: Config, client: pg.Client): Promise<void> {
  const table = await findRows(client);
  if (table === null) return;
  throw new AdminError(
    `${databaseName(config)} is not empty: the table ${table} has rows. Restore into an empty database, before the first start of the platform.`,
  );
}

async function requireLevel(config: Config, client: pg.Client, level: number): Promise<void> {
  const { rows } = await client.query<{ number: number }>(
    'SELECT coalesce(max(number), 0) AS number FROM schema_migrations',
  );
  if (rows[0]?.number === level) return;
  throw new AdminError(
    `${databaseName(config)} has no rows, but a newer schema than the backup. Drop it and create it again.`,
  );
}

/** Throws an AdminError if the secret of the configuration is not the one of the rows. */
async function requireSecret(config: Config, checks: readonly Buffer[]): Promise<void> {
  const secretFile = join(config.dataDir, 'secret');
  if (config.secret === undefined && !existsSync(secretFile)) {
    throw new AdminError(
      `The secret is missing: OFFPRINT_SECRET is not set, and ${secretFile} does not exist. Set the secret of the installation that was backed up, or copy its file there.`,
    );
  }
  const own = secretCheckOf(readSecret(config));
  if (checks.every((check) => check.equals(own))) return;
  throw new AdminError(
    'OFFPRINT_SECRET is not the secret of the installation that was backed up. With another one, no API key works and stored credentials cannot be read. Set that secret, or copy the file `secret` of its data folder.',
  );
}

async function secretChecks(backup: BackupReader): Promise<Buffer[]> {
  const checks: Buffer[] = [];
  for await (const { path, content } of backup.entries()) {
    if (!path.startsWith('database/installation/')) continue;
    for (const row of rowsOf(await collect(content))) {
      const { secret_check: check } = JSON.parse(row) as { secret_check: string };
      checks.push(Buffer.from(check.replace(/^\\x/, ''), 'hex'));
    }
  }
  return checks;
}

const rowsOf = (part: Buffer): string[] =>
  gunzipSync(part, { maxOutputLength: MAX_PART_BYTES })
    .toString()
    .split('\n')
    .filter((row) => row !== '');

/** Writes rows and objects of a backup in its order, then makes every bundle. */
async function writeBackup(
  client: pg.Client,
  backup: BackupReader,
  blobs: BlobStore,
  progress: Progress,
): Promise<Filled> {
  const { manifest } = backup;
  const digests = new Map(manifest.files.map(({ path, sha256 }) => [path, sha256]));
  progress.say('Writing the database');
  const counts = await writeRows(client, readParts(backup, digests));
  const needed = await readNeeded(client);
  const all = manifest.files.filter(({ path }) => path.startsWith('files/')).length;
  let done = 0;
  for await (const { path, bytes, content } of backup.entries()) {
    if (!path.startsWith('files/')) continue;
    const pieces = verified(path, content, digests);
    const isSmall = bytes <= MAX_WHOLE_BYTES;
    await blobs.put(path.slice('files/'.length), isSmall ? await collect(pieces) : Readable.from(pieces));
    progress.progress(++done, all, 'files');
  }
  const lost = new Set(manifest.lost.map(({ bundle }) => bundle));
  let packed = 0;
  for (const { organizationId, bundle, bytes } of needed.artifacts) {
    const isThere = (await blobs.stat(bundleKey(organizationId, bundle)))?.bytes === bytes;
    if (!lost.has(bundle) && !isThere) await makeBundle(blobs, organizationId, bundle);
    progress.progress(++packed, needed.artifacts.length, 'bundles');
  }
  return { counts, artifacts: needed.artifacts.length, lost: lost.size };
}

/** Makes a bundle of its artifact. Throws if it does not get the digest of its name. */
async function makeBundle(blobs: BlobStore, organizationId: string, bundle: string): Promise<void> {
  const index = await readIndex(blobs, organizationId, bundle);
  const readChunk: ReadChunk = (chunk) => readStoredChunk(blobs, organizationId, bundle, chunk);
  await checkIndex(index, readChunk);
  await storeBundle(blobs, organizationId, index, readChunk, { mayBeDamaged: true });
}

async function* readParts(
  backup: BackupReader,
  digests: ReadonlyMap<string, string>,
): AsyncGenerator<RowBatch> {
  for await (const { path, content } of backup.entries()) {
    const table = /^database\/([^/]+)\//.exec(path)?.[1];
    // In an archive, the files follow.
    if (table === undefined) continue;
    yield { table, rows: rowsOf(await collect(verified(path, content, digests))) };
  }
}

/** The content, whose digest is checked at its end: the backup may have changed since it was verified. */
async function* verified(
  path: string,
  content: AsyncIterable<Buffer>,
  digests: ReadonlyMap<string, string>,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  for await (const piece of content) {
    digest.update(piece);
    yield piece;
  }
  if (digest.digest('hex') !== digests.get(path)) {
    throw new AdminError(`${path} of the backup changed while it was restored. Nothing was restored.`);
  }
}

async function writeHosts({ dataDir }: Config, backup: BackupReader): Promise<void> {
  const file = join(dataDir, 'known_hosts');
  if (existsSync(file)) return;
  for await (const { path, content } of backup.entries()) {
    if (path !== KNOWN_HOSTS) continue;
    await makeFolder(dataDir, 0o700);
    await writeFile(file, await collect(content), { mode: 0o600 });
  }
}
