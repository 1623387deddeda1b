import pg from 'pg';

/** Text of rows that is read or written at a time. */
const BATCH_CHARACTERS = 8_000_000;
const MAX_BATCH_ROWS = 5_000;

/** Migrations are recorded by the program that applies them. */
const NOT_COPIED = 'schema_migrations';

/** Rows of a table as JSON texts, each without a line break. */
export interface RowBatch {
  table: string;
  rows: string[];
}

/** The next value of an identity column. */
export interface SequenceState {
  table: string;
  column: string;
  last: string;
  isCalled: boolean;
}

/**
 * Tables whose rows stay where they are: keys of visitors must end with their day, and what is to be added to counts
 * refers to individual events, which are in partitions and stay as well.
 */
const LEFT_BEHIND = ['analytics_pending', 'visitor_keys'];

/** Names of the tables with rows of the platform, sorted. */
export async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND NOT relispartition AND relname <> ALL ($1)
     ORDER BY relname COLLATE "C"`,
    [[NOT_COPIED, ...LEFT_BEHIND]],
  );
  return rows.map(({ name }) => name);
}

/** First table that has a row; null if all are empty. */
export async function findRows(client: pg.Client): Promise<string | null> {
  for (const table of await listTables(client)) {
    const { rows } = await client.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM ${pg.escapeIdentifier(table)}) AS found`,
    );
    if (rows[0]?.found === true) return table;
  }
  return null;
}

/**
 * Every row of every table, in one snapshot: the client must be in a transaction of the isolation level REPEATABLE READ.
 * Values are in the notation of JSON, which does not depend on the version of PostgreSQL.
 */
export async function* readRows(client: pg.Client): AsyncGenerator<RowBatch> {
  await client.query(
    `SET LOCAL statement_timeout = 0; SET LOCAL timezone = 'UTC'; SET LOCAL bytea_output = 'hex';
     SET LOCAL extra_float_digits = 1`,
  );
  for (const table of await listTables(client)) {
    await client.query(
      `DECLARE rows NO SCROLL CURSOR FOR SELECT to_json(t)::text AS row FROM ${pg.escapeIdentifier(table)} t`,
    );
    // Rows can have megabytes: the first batch shows how many.
    for (let count = 10; ; ) {
      const { rows } = await client.query<{ row: string }>(`FETCH ${count} FROM rows`);
      if (rows.length === 0) break;
      yield { table, rows: rows.map(({ row }) => row) };
      const characters = rows.reduce((sum, { row }) => sum + row.length, 1);
      const fitting = Math.floor((rows.length * BATCH_CHARACTERS) / characters);
      count = Math.max(1, Math.min(MAX_BATCH_ROWS, 10 * rows.length, fitting));
    }
    await client.query('CLOSE rows');
  }
}

/** States of the sequences of identity columns. */
export async function readSequences(client: pg.Client): Promise<SequenceState[]> {
  const { rows: columns } = await client.query<{ table: string; column: string; sequence: string }>(
    `SELECT c.relname AS table, a.attname AS column,
       pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''
     ORDER BY c.relname, a.attname`,
  );
  const states: SequenceState[] = [];
  for (const { table, column, sequence } of columns) {
    const { rows } = await client.query<{ last: string; isCalled: boolean }>(
      `SELECT last_value::text AS last, is_called AS "isCalled" FROM ${sequence}`,
    );
    const [state] = rows;
    if (state !== undefined) states.push({ table, column, ...state });
  }
  return states;
}

/**
 * Fills empty tables with rows in any order of tables, in the transaction of the client: foreign keys are dropped and
 * added again at the end, which checks them. Returns the number of rows of each table.
 */
export async function writeRows(
  client: pg.Client,
  batches: AsyncIterable<RowBatch>,
): Promise<Map<string, number>> {
  await client.query('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0');
  const known = new Set(await listTables(client));
  const keys = await dropForeignKeys(client);
  const columns = new Map<string, string>();
  const counts = new Map<string, number>();
  for await (const { table, rows } of batches) {
    if (!known.has(table)) throw new Error(`The database has no table ${JSON.stringify(table)}`);
    const list = columns.get(table) ?? (await columnsOf(client, table));
    columns.set(table, list);
    const name = pg.escapeIdentifier(table);
    await client.query(
      `INSERT INTO ${name} (${list}) OVERRIDING SYSTEM VALUE
       SELECT ${list} FROM json_populate_recordset(NULL::${name}, $1::json)`,
      [`[${rows.join(',')}]`],
    );
    counts.set(table, (counts.get(table) ?? 0) + rows.length);
  }
  for (const statement of keys) await client.query(statement);
  return counts;
}

export async function writeSequences(client: pg.Client, states: readonly SequenceState[]): Promise<void> {
  for (const { table, column, last, isCalled } of states) {
    await client.query(`SELECT setval(pg_get_serial_sequence(quote_ident($1), $2), $3::bigint, $4)`, [
      table,
      column,
      last,
      isCalled,
    ]);
  }
}

/** Drops every foreign key; returns the statements that add them again. */
async function dropForeignKeys(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; add: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
     FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
     ORDER BY conname`,
  );
  for (const { drop } of rows) await client.query(drop);
  return rows.map(({ add }) => add);
}

async function columnsOf(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [pg.escapeIdentifier(table)],
  );
  return rows.map(({ name }) => pg.escapeIdentifier(name)).join(', ');
}
