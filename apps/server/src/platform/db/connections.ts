import type { Kysely } from 'kysely';
import pg from 'pg';
import type { Logger } from '../log.ts';
import { StartError } from '../start-error.ts';
import { connectionSettings, type Database, type OpenDatabase, openDatabase } from './database.ts';
import { type Listener, openListener } from './listen.ts';
import { isPooled, keepsSessions } from './pooler.ts';

export interface DatabaseUrls {
  /** For queries; may be that of a pooler. */
  url: string;
  /** For what needs a session of its own: notifications, the lock that shows that a worker lives, migrations. */
  directUrl: string;
}

export interface ConnectionOptions extends DatabaseUrls {
  role: string;
  /** Maximum number of connections of the process. */
  max: number;
  /** Whether the process claims jobs, which then have connections that requests cannot take. */
  hasWorker: boolean;
  onError(error: Error): void;
  log: Logger;
}

/** Every connection of a process to the database. */
export interface Connections {
  db: Kysely<Database>;
  /** For claims and heartbeats of jobs. */
  jobs: Kysely<Database>;
  listener: Listener;
  /** Queries that wait for a connection. */
  waiting(): number;
  /** Open connections. */
  open(): number;
  close(): Promise<void>;
}

/** Connections for claims and heartbeats in a process that also serves requests. */
const JOB_CONNECTIONS = 2;
const SESSION_CONNECTIONS = 1;

/**
 * Opens the pools of a process, which have at most `max` connections together, and the one that keeps its session.
 * Throws a StartError if the database cannot give `max` connections, or a URL does not keep sessions.
 */
export async function openConnections(options: ConnectionOptions): Promise<Connections> {
  const { url, directUrl, role, max, hasWorker, onError, log } = options;
  const hasPooler = await requireSessions({ url, directUrl });
  await requireRoom(directUrl, hasPooler ? SESSION_CONNECTIONS : max, log);
  const jobsMax = hasWorker ? Math.min(JOB_CONNECTIONS, Math.floor(max / 4)) : 0;
  const pool = (part: string, size: number) =>
    openDatabase(url, { role: `${role}${part}`, max: size, isPooled: hasPooler, onError });
  const main = pool('', max - jobsMax - SESSION_CONNECTIONS);
  const jobs = jobsMax === 0 ? main : pool('-jobs', jobsMax);
  const listener = openListener(directUrl, { role, onError });
  const pools: OpenDatabase[] = [...new Set([main, jobs])];
  const sum = (of: (pool: pg.Pool) => number) => pools.reduce((total, { pool }) => total + of(pool), 0);
  return {
    db: main.db,
    jobs: jobs.db,
    listener,
    waiting: () => sum(({ waitingCount }) => waitingCount),
    open: () => sum(({ totalCount }) => totalCount) + SESSION_CONNECTIONS,
    async close() {
      await listener.close();
      await Promise.all(pools.map((each) => each.close()));
    },
  };
}

/** Whether queries go through a pooler that gives each transaction another session. */
async function requireSessions({ url, directUrl }: DatabaseUrls): Promise<boolean> {
  if ((await isPooled(directUrl)) && !(await keepsSessions(directUrl))) {
    throw new StartError(
      url === directUrl
        ? 'DATABASE_URL is the URL of a connection pooler with transaction pooling: through it, notifications do not arrive and the locks that show which workers live have no effect. Set OFFPRINT_DATABASE_DIRECT_URL to the URL of PostgreSQL itself, or use session pooling.'
        : 'OFFPRINT_DATABASE_DIRECT_URL is the URL of a connection pooler with transaction pooling. Set it to the URL of PostgreSQL itself.',
    );
  }
  return url !== directUrl && isPooled(url);
}

/** Compares what this process may use with what the database allows and others use. */
async function requireRoom(directUrl: string, wanted: number, log: Logger): Promise<void> {
  const client = new pg.Client(connectionSettings(directUrl, 'probe'));
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ allowed: number; used: number }>(
      `SELECT current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int
           - coalesce(current_setting('reserved_connections', true)::int, 0) AS allowed,
         (SELECT count(*)::int FROM pg_stat_activity
           WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS used`,
    );
    const { allowed, used } = rows[0] ?? { allowed: wanted, used: 0 };
    if (wanted > allowed) {
      throw new StartError(
        `OFFPRINT_DATABASE_CONNECTIONS is ${wanted}, but PostgreSQL allows ${allowed} connections to all its clients. Lower OFFPRINT_DATABASE_CONNECTIONS, or raise max_connections of PostgreSQL.`,
      );
    }
    if (used + wanted > allowed) {
      log.warn(
        { used, wanted, allowed },
        'PostgreSQL may run out of connections: lower OFFPRINT_DATABASE_CONNECTIONS, raise max_connections, or use a connection pooler',
      );
    }
  } finally {
    await client.end();
  }
}
