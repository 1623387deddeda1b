/**
 * Every secret that a test platform hands out or is given, and the search for them where none may be: in what the
 * platform writes to its log, its tables and its data folder. Runs when the platform of a test stops, so that every file
 * that starts one holds the promise for whatever it does.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { keyPattern } from '@offprint/contract';
import pg from 'pg';

/** Shorter texts, and such words, may stand anywhere by chance. */
const MIN_LENGTH = 10;

/** Fields of bodies that hold a secret, and settings of the environment that do. */
const SECRET_FIELD = /^(?:password|newPassword|currentPassword|token|secret|apiKey|privateKey|key)$/;
const SECRET_SETTING = /(?:SECRET|PASSWORD|_API_KEY|_TOKEN|SMTP_URL|SECRET_ACCESS_KEY)$/;

/** Files of the data folder that are read; what is larger is packed, and what is more is pages of exports. */
const MAX_BYTES = 64 * 1024;
const MAX_FILES = 3_000;

/** Kept as they are handed out; one process runs one test file. */
const secrets = new Set<string>();

/** Remembers secrets; texts that are too short to be found without mistake are left aside. */
export function noteSecrets(...texts: readonly string[]): void {
  for (const text of texts) if (text.length >= MIN_LENGTH) secrets.add(text);
}

/** Tables in which secrets are not an error of the platform. */
const excused = new Set<string>();

/** Excludes tables from the search: those with the output of a model that got secrets from the test itself. */
export function excuseTables(...names: readonly string[]): void {
  for (const name of names) excused.add(name);
}

/** Remembers the secrets among settings of the environment. */
export function noteEnvironment(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) if (SECRET_SETTING.test(name)) noteSecrets(value);
}

/** Records the secrets of a request: those that were sent, if accepted, and those in the response. */
export function noteCall(sent: unknown, response: { status: number; headers: Headers; text: string }): void {
  for (const cookie of response.headers.getSetCookie()) noteSecrets(/^[^=]+=([^;]*)/.exec(cookie)?.[1] ?? '');
  for (const key of response.text.match(new RegExp(keyPattern, 'g')) ?? []) noteSecrets(key);
  if (response.status >= 300) return;
  noteFields(sent);
  if (!response.headers.get('content-type')?.startsWith('application/json')) return;
  if (/"(?:password|token|secret|url|bundleUrl)"/.test(response.text)) noteFields(JSON.parse(response.text));
}

function noteFields(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string') noteFields(value);
    else if (SECRET_FIELD.test(name)) noteSecrets(value);
    else if (name === 'url' || name === 'bundleUrl') noteAddress(value);
  }
}

/** Links carry their secret in the fragment, or as signature in the query. */
function noteAddress(text: string): void {
  if (!URL.canParse(text)) return;
  const url = new URL(text);
  const parts = [...url.searchParams, ...new URLSearchParams(url.hash.slice(1))];
  for (const [name, value] of parts)
    if (/^(?:token|signature|sig|s|x-amz-(?:signature|security-token))$/i.test(name)) noteSecrets(value);
}

/** Places that contain a secret in plain text: `table.column`, a line of the log, a file. Empty without any. */
export async function findSecrets(places: {
  databaseUrl: string;
  dataDir: string;
  log: string;
  /** Whether a process was killed outright: its work folder stays until the sweep of another takes it away. */
  wasKilled?: boolean;
}): Promise<string[]> {
  const list = [...secrets];
  const found = new Set<string>();
  const look = (text: string, place: string): void => {
    for (const secret of list) if (text.includes(secret)) found.add(`${place}: ${nameOf(secret)}`);
  };
  places.log.split('\n').forEach((line, at) => {
    look(
      line,
      `log line ${at + 1} (${line.replaceAll(new RegExp(list.map(literal).join('|') || '$^', 'g'), '***').slice(0, 300)})`,
    );
  });
  await readTables(places.databaseUrl, look);
  await readFolder(places.dataDir, (text, place) => {
    if (places.wasKilled !== true || !/^file work\//.test(place)) look(text, place);
  });
  return [...found].sort();
}

/** Enough to know it by, and no more. */
const nameOf = (secret: string): string => `${secret.slice(0, 4)}… of ${secret.length} characters`;
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

async function readTables(url: string, look: (text: string, place: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'offprint-test' });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string; label: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name, tablename AS label FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    for (const { name, label } of tables) {
      if (excused.has(label)) continue;
      const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
      for (const row of rows)
        for (const [column, value] of Object.entries(row)) look(textOf(value), `${label}.${column}`);
    }
  } finally {
    await client.end();
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}

async function readFolder(folder: string, look: (text: string, place: string) => void): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let read = 0;
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    look(name, 'name of a file');
    if (!entry.isFile() || read >= MAX_FILES) continue;
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    if (size === 0 || size > MAX_BYTES) continue;
    read += 1;
    look(await readFile(path, 'latin1').catch(() => ''), `file ${name}`);
  }
}
