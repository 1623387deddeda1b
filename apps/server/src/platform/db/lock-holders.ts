import pg from 'pg';
import { connectionSettings } from './database.ts';

/** A connection that has a lock for which another one waits. */
export interface Holder {
  pid: number;
  application: string;
  /** IP address of the client; null for a local socket, and for roles that may not see it. */
  address: string | null;
  state: string | null;
  /** Seconds since the start of its transaction; null outside a transaction. */
  seconds: number | null;
}

/**
 * Reports, every `everyMs` milliseconds until the stop, which connections a server process waits for. Needs another
 * connection, which it opens only then; one that cannot be opened is not reported.
 */
export function watchHolders(
  url: string,
  pid: number,
  everyMs: number,
  onHolders: (holders: Holder[]) => void,
): { stop(): void } {
  let isStopped = false;
  const timer = setInterval(() => {
    findHolders(url, pid).then(
      (holders) => {
        if (!isStopped && holders.length > 0) onHolders(holders);
      },
      () => {},
    );
  }, everyMs);
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

async function findHolders(url: string, pid: number): Promise<Holder[]> {
  const client = new pg.Client(connectionSettings(url, 'migrate'));
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<Holder>(
      `SELECT pid, application_name AS application, host(client_addr) AS address, state,
         extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds
       FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1)) ORDER BY pid LIMIT 5`,
      [pid],
    );
    return rows;
  } finally {
    await client.end();
  }
}

/** The holders in a sentence: `connection 812 (offprint-worker, 10.0.0.7, idle in transaction, 40 s)`. */
export function holderText(holders: readonly Holder[]): string {
  return holders
    .map(({ pid, application, address, state, seconds }) => {
      const known = [application, address, state, seconds === null ? null : `${seconds} s`];
      return `connection ${pid} (${known.filter((part) => part !== null && part !== '').join(', ')})`;
    })
    .join(', ');
}
