import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { assetPath } from '@offprint/render/assets';
import pg from 'pg';
import { connectionSettings } from './database.ts';

/** Files of one folder, in order; each is applied once, in a transaction of its own. */
const FOLDER = pathToFileURL(`${assetPath('apps/server/src/platform/db/migrations')}/`);
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const LOCK = 0x0ff9_1147;

export interface Migration {
  number: number;
  name: string;
  sql: string;
  sha256: string;
}

/**
 * Brings the database to the state of this program and returns the names of the files it applied. Safe to run
 * at any time and from several processes at once. Throws when an applied file was changed since. A database
 * that is ahead of this program is left alone: during a rolling upgrade old processes still start.
 */
export async function migrate(url: string, migrations?: Migration[]): Promise<string[]> {
  const files = migrations ?? (await readMigrations());
  const client = new pg.Client({ ...connectionSettings(url, 'migrate'), statement_timeout: 0 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
        number integer PRIMARY KEY,
        name text NOT NULL,
        sha256 text NOT NULL,
        applied_at timestamptz(3) NOT NULL DEFAULT now()
      )`,
    );
    const { rows } = await client.query<Pick<Migration, 'number' | 'name' | 'sha256'>>(
      'SELECT number, name, sha256 FROM schema_migrations',
    );
    const applied = new Map(rows.map((row) => [row.number, row]));
    const fresh: string[] = [];
    for (const file of files) {
      const known = applied.get(file.number);
      if (!known) {
        await apply(client, file);
        fresh.push(file.name);
      } else if (known.sha256 !== file.sha256) {
        throw new Error(
          `Migration ${file.name} was changed after it was applied to this database (as ${known.name}). ` +
            'Restore the file and put the change into a new migration.',
        );
      }
    }
    return fresh;
  } finally {
    await client.end();
  }
}

async function apply(client: pg.Client, { number, name, sql, sha256 }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    await client.query('INSERT INTO schema_migrations (number, name, sha256) VALUES ($1, $2, $3)', [
      number,
      name,
      sha256,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
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
      return { number, name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}
