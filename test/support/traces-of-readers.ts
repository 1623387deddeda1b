/** Searches what a platform stores and writes for texts that identify a reader, in whatever form somebody kept them. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../apps/server/src/platform/db/database.ts';

/** Digests that need no key, so that anybody can find the text again by trying. */
const DIGESTS = ['md5', 'sha1', 'sha256'] as const;

/**
 * The forms in which a text can be part of another one, in lower case: plain, as hexadecimal digits, as Base64 at each of
 * the three positions, and as a digest.
 */
export function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((before) =>
    // The characters that depend on what is before and after the text are left out.
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(before === 0 ? 0 : before + 1, (text.length + before) % 3 === 0 ? undefined : -4),
  );
  const digests = DIGESTS.flatMap((name) => {
    const digest = createHash(name).update(text).digest();
    return [digest.toString('hex'), digest.toString('base64').replace(/=+$/, '')];
  });
  const plain = [text, encodeURIComponent(text), ...base64, ...digests];
  return [...new Set(plain.flatMap((form) => [form, Buffer.from(form).toString('hex')]))].map((form) =>
    form.toLowerCase(),
  );
}

export interface Places {
  db: Kysely<Database>;
  /** Logs by the name of the process. */
  logs: Readonly<Record<string, string>>;
  folders: readonly string[];
}

/** Places with one of the forms: `table.column`, a line of a log, a file. */
export async function findForms(forms: readonly string[], places: Places): Promise<string[]> {
  const found = await findInTables(forms, places.db);
  const look = (text: string, place: string) => {
    const lower = text.toLowerCase();
    for (const form of forms) if (lower.includes(form)) found.push(`${place}: ${form}`);
  };
  for (const [name, log] of Object.entries(places.logs))
    log.split('\n').forEach((line, at) => {
      look(line, `log of ${name}, line ${at + 1}`);
    });
  for (const folder of places.folders)
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      look(path, 'name of a file');
      // A process can delete a file meanwhile.
      if (entry.isFile()) look(await readFile(path, 'latin1').catch(() => ''), `file ${path}`);
    }
  return found;
}

/** Every column of every table, partition and materialized view, of whatever type, from the catalog. */
export async function listColumns(db: Kysely<Database>): Promise<{ table: string; column: string }[]> {
  const { rows } = await sql<{ table: string; column: string }>`
    SELECT format('%I.%I', nspname, relname) AS table, attname AS column
    FROM pg_attribute
    JOIN pg_class ON pg_class.oid = attrelid
    JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'm') AND attnum > 0 AND NOT attisdropped
      AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname NOT LIKE 'pg_toast%'
    ORDER BY 1, 2`.execute(db);
  return rows;
}

/** A column of any type is searched as text: bytes as hexadecimal digits, objects and arrays as they are written. */
async function findInTables(forms: readonly string[], db: Kysely<Database>): Promise<string[]> {
  const found: string[] = [];
  for (const { table, column } of await listColumns(db)) {
    const { rows } = await sql<{ form: string }>`
      SELECT form FROM unnest(${[...forms]}::text[]) form WHERE EXISTS (
        SELECT FROM ${sql.raw(table)} WHERE strpos(lower(${sql.ref(column)}::text), form) > 0)`.execute(db);
    for (const { form } of rows) found.push(`${table}.${column}: ${form}`);
  }
  return found;
}
