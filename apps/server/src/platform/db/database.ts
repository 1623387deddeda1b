import { CompiledQuery, type DatabaseConnection, type Driver, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from './schema.ts';

export type * from './schema.ts';

export interface DatabaseOptions {
  /** Shown as `offprint-<role>` in pg_stat_activity. */
  role: string;
  /** Connections of the pool at most. */
  max: number;
  /**
   * Whether the URL is that of a pooler that gives each transaction another session; default false. Limits are then
   * set per transaction, because those of a session would reach somebody else's.
   */
  isPooled?: boolean;
  /** Called for a connection that broke while idle; the pool replaces it by itself. */
  onError?: (error: Error) => void;
}

export interface OpenDatabase {
  db: Kysely<Database>;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** Milliseconds. */
export const SESSION_LIMITS = { statement_timeout: 15_000, idle_in_transaction_session_timeout: 30_000 };
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens a pool on a PostgreSQL URL (`postgresql://user:password@host:port/database`, or a socket folder as
 * `?host=/folder`). Connects lazily: use `SELECT 1` to learn whether the server is there. bigint is read as a
 * number and a value past 2^53 is an error; timestamptz is read as a Date.
 */
export function openDatabase(url: string, options: DatabaseOptions): OpenDatabase {
  const { role, max, isPooled = false } = options;
  const pool = new pg.Pool({
    ...connectionSettings(url, role),
    max,
    // Poolers refuse the same limits as parameters of a new connection.
    ...(isPooled ? {} : { onConnect: (client: pg.ClientBase) => client.query(limitsSql('SESSION')) }),
  });
  // Without a listener, a server that stops (57P01) ends the process.
  pool.on('error', (error) => options.onError?.(error));
  // Nor does the pool listen to a connection in use: one that breaks between two queries of a transaction
  // reports it by an event too. The next query on it fails with the same error, which is where it is dealt
  // with.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const dialect = new PostgresDialect({ pool });
  const db = new Kysely<Database>({
    dialect: {
      createDriver: () => markBroken(guardTransactions(dialect.createDriver(), isPooled)),
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (kysely) => dialect.createIntrospector(kysely),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
  });
  return { db, pool, close: () => db.destroy() };
}

function limitsSql(scope: 'SESSION' | 'LOCAL'): string {
  return Object.entries(SESSION_LIMITS)
    .map(([name, ms]) => `SET ${scope} ${name} = ${ms}`)
    .join('; ');
}

/**
 * Reports the error that ended a transaction even if the connection is broken and cannot roll back: only the first one
 * says whether to try again.
 */
function guardTransactions(driver: Driver, isPooled: boolean): Driver {
  const begin = driver.beginTransaction.bind(driver);
  const rollback = driver.rollbackTransaction.bind(driver);
  driver.rollbackTransaction = (connection) => rollback(connection).catch(() => undefined);
  if (isPooled) {
    driver.beginTransaction = async (connection, settings) => {
      await begin(connection, settings);
      await connection.executeQuery(CompiledQuery.raw(limitsSql('LOCAL')));
    };
  }
  return driver;
}

/**
 * Marks the errors of connections that cannot be made or that broke as those of the database (`isDatabaseRestart`): the
 * system reports them with the codes that connections to any other service have.
 */
function markBroken(driver: Driver): Driver {
  const acquire = driver.acquireConnection.bind(driver);
  const marked = new WeakSet<DatabaseConnection>();
  const mark = (error: unknown): never => {
    if (error instanceof Error && 'syscall' in error) Object.assign(error, { isDatabase: true });
    throw error;
  };
  driver.acquireConnection = async (options) => {
    const connection = await acquire(options).catch(mark);
    if (marked.has(connection)) return connection;
    marked.add(connection);
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = <R>(...task: Parameters<typeof execute>) => execute<R>(...task).catch(mark);
    return connection;
  };
  return driver;
}

/** Settings of one connection, the same for the pool and the listener. Poolers accept all of them. */
export function connectionSettings(url: string, role: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: `offprint-${role}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
  };
}

/**
 * JSON text for a jsonb column. PostgreSQL refuses NUL and unpaired surrogates, and an untrusted file can
 * contain both: they become U+FFFD.
 */
export function json(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'string' ? plainText(item) : item));
}

/** A string that a text column takes: NUL and unpaired surrogates become U+FFFD. */
export function plainText(value: string): string {
  return value.replaceAll('\0', '\uFFFD').toWellFormed();
}

const parseDefault = pg.types.getTypeParser;

function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === pg.types.builtins.INT8 && format !== 'binary') return parseBigint;
  return format === 'binary' ? parseDefault(oid, 'binary') : parseDefault(oid, 'text');
}

function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is larger than 2^53`);
  return value;
}
