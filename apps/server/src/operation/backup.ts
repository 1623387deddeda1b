import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { withDatabase } from '../admin.ts';
import { AdminError } from '../admin-error.ts';
import type { Config } from '../config.ts';
import { readRows, readSequences, type SequenceState } from '../platform/db/copy-rows.ts';
import { connectionSettings, openDatabase } from '../platform/db/database.ts';
import { keepFiles, keepsFiles } from '../platform/db/keep-files.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { removeUnusedUpload } from '../projects/service.ts';
import { openStoredFiles } from '../stored-files.ts';
import { VERSION } from '../version.ts';
import { type BackupManifest, type BackupWriter, createBackup } from './backup-archive.ts';
import { type LostObject, readObjects } from './copy-files.ts';
import { type NeededObjects, readNeeded } from './stored-objects.ts';

export interface BackupReport {
  path: string;
  bytes: number;
  /** Exports with a stored artifact, and how many distinct artifacts they have. */
  artifacts: number;
  uploads: number;
  rows: number;
  lost: LostObject[];
  /** The file with the secret that is not in the backup; null: it is in OFFPRINT_SECRET. */
  secretFile: string | null;
}

export interface Progress {
  say(text: string): void;
  /** Done of all, for a progress bar. */
  progress(done: number, all: number, text: string): void;
}

const CONTAINS =
  'All tables of the database, among them password hashes, encrypted credentials and email addresses; the artifacts of all completed exports; the archives of uploaded sources; the known SSH hosts. Not OFFPRINT_SECRET, without which keys, sessions and encrypted credentials cannot be used, and no other setting. Bundles are made of artifacts when it is restored.';

/** SSH host keys that the platform has seen, in the data folder. */
export const KNOWN_HOSTS = 'data/known_hosts';

/**
 * Backs up database and files while the platform runs: first a snapshot of the database, then the files that it names.
 * From before the snapshot to the end, nothing removes stored files.
 */
export async function backUp(config: Config, path: string, progress: Progress): Promise<BackupReport> {
  return withDatabase(config, async (url) => {
    const keeper = await connect(url);
    const stored = await openStoredFiles(config, UNUSED_LINKS);
    let writer: BackupWriter | null = null;
    try {
      // Another backup ends first.
      await keepFiles(keeper);
      writer = await createBackup(path);
      const { manifest, needed } = await writeDatabase(url, writer, progress);
      const lost: LostObject[] = [];
      let done = 0;
      const all = needed.artifacts.length + needed.uploads.length;
      for await (const { key, content } of readObjects(stored.blobs, needed, (one) => lost.push(one))) {
        await writer.add(`files/${key}`, content);
        if (/\/index\.json$|\.tar\.gz$/.test(key)) progress.progress(++done, all, 'files');
      }
      const hosts = join(config.dataDir, 'known_hosts');
      if (existsSync(hosts)) await writer.add(KNOWN_HOSTS, await readFile(hosts));
      if (!(await keepsFiles(keeper))) {
        throw new AdminError('The database connection that keeps files was lost. Start the backup again.', {
          fault: true,
        });
      }
      const bytes = await writer.finish({ ...manifest, lost });
      return {
        path,
        bytes,
        artifacts: needed.artifacts.length,
        uploads: needed.uploads.length,
        rows: Object.values(manifest.tables).reduce((sum, count) => sum + count, 0),
        lost,
        secretFile: config.secret === undefined ? join(config.dataDir, 'secret') : null,
      };
    } catch (error) {
      await writer?.discard();
      throw error;
    } finally {
      await keeper.end();
      // If it fails, `offprint doctor` reports what is left.
      await removeUnusedUploads(url, stored.blobs).catch(() => undefined);
      stored.close();
    }
  });
}

/** No link is signed here. */
export const UNUSED_LINKS = { secret: 'unused', publicUrl: () => '' };

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionSettings(url, 'backup'));
  client.on('error', () => {});
  await client.connect();
  return client;
}

type DatabasePart = Pick<
  BackupManifest,
  'format' | 'createdAt' | 'program' | 'contains' | 'migrations' | 'tables' | 'sequences'
>;

async function writeDatabase(
  url: string,
  writer: BackupWriter,
  progress: Progress,
): Promise<{ manifest: DatabasePart; needed: NeededObjects }> {
  progress.say('Reading the database');
  return withSnapshot(url, async ({ client, migrations, sequences }) => {
    const tables = new Map<string, number>();
    let part = 0;
    for await (const { table, rows } of readRows(client)) {
      if (!tables.has(table)) part = 0;
      tables.set(table, (tables.get(table) ?? 0) + rows.length);
      const name = `database/${table}/${String(++part).padStart(6, '0')}.json.gz`;
      await writer.add(name, gzipSync(`${rows.join('\n')}\n`, { level: 5 }));
    }
    const manifest: DatabasePart = {
      format: 1,
      createdAt: new Date().toISOString(),
      program: VERSION,
      contains: CONTAINS,
      migrations,
      tables: Object.fromEntries(tables),
      sequences,
    };
    return { manifest, needed: await readNeeded(client) };
  });
}

export interface Snapshot {
  client: pg.Client;
  migrations: BackupManifest['migrations'];
  sequences: SequenceState[];
}

/** Calls `run` in a snapshot of the database. Throws an AdminError for one that is ahead of this program. */
export async function withSnapshot<Value>(
  url: string,
  run: (snapshot: Snapshot) => Promise<Value>,
): Promise<Value> {
  const client = await connect(url);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const migrations = await readKnownMigrations(client);
    return await run({ client, migrations, sequences: await readSequences(client) });
  } finally {
    await client.end();
  }
}

async function readKnownMigrations(client: pg.Client): Promise<BackupManifest['migrations']> {
  const table = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`,
  );
  if (table.rows[0]?.exists !== true)
    throw new AdminError('The database contains no Offprint tables. Check the URL in DATABASE_URL.');
  const { rows } = await client.query<BackupManifest['migrations'][number]>(
    'SELECT number, name, sha256 FROM schema_migrations ORDER BY number',
  );
  const files = await readMigrations();
  const ahead = rows.find(({ number }) => number > files.length);
  if (ahead === undefined) return rows;
  throw new AdminError(
    `The database was migrated by a newer program (${ahead.name}). Run this command with that version.`,
  );
}

/** Archives that were replaced while the files were kept, or before by a process that died. */
async function removeUnusedUploads(
  url: string,
  blobs: Parameters<typeof removeUnusedUpload>[0]['blobs'],
): Promise<void> {
  const { db, close } = openDatabase(url, { role: 'backup', max: 1 });
  try {
    for await (const { key } of blobs.list('sources/')) {
      const [, organizationId, sha256] = /^sources\/([^/]+)\/([0-9a-f]{64})\.tar\.gz$/.exec(key) ?? [];
      if (organizationId !== undefined && sha256 !== undefined)
        await removeUnusedUpload({ db, blobs }, organizationId, sha256);
    }
  } finally {
    await close();
  }
}
