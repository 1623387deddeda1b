import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { open, readFile, realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Binaries } from './binaries.ts';
import type { Identity } from './identity.ts';
import { DATABASE, type Layout, urlOf } from './layout.ts';

/** A running PostgreSQL that this guard is responsible for. */
export interface Server {
  /** Resolves when the server is gone. */
  ended: Promise<void>;
  /** Ends sessions, writes everything out, exits ("fast" shutdown). */
  stop(): Promise<void>;
}

export interface ServerPlace {
  layout: Layout;
  run: string;
  password: string;
  binaries: Binaries;
  identity: Identity;
  /** Whether another guard is responsible for this data folder. */
  otherGuard(): Promise<boolean>;
  log(message: string): void;
}

const START_DEADLINE_MS = 300_000;
const ADOPTION_GRACE_MS = 3_000;
const FAST_SHUTDOWN_MS = 20_000;
const LOCK_FILE = /lock file "[^"]*postmaster\.pid" already exists/;
const LOCK_HOLDER = /\(PID (\d+)\)/;
const OLD_MEMORY = /pre-existing shared memory block/;

/**
 * Starts PostgreSQL and waits until it accepts connections, crash recovery included. Its own lock decides who
 * may have the folder; nothing here reads or removes postmaster.pid. Returns null when another guard turned
 * out to own the server; adopts a server that runs without a guard.
 */
export async function startServer(place: ServerPlace): Promise<Server | null> {
  const deadline = Date.now() + START_DEADLINE_MS;
  let recycledPid: string | undefined;
  while (Date.now() < deadline) {
    const attempt = await launch(place, deadline, recycledPid);
    if ('server' in attempt) return attempt.server;
    if (await place.otherGuard()) return null;
    if (LOCK_FILE.test(attempt.refusal)) {
      const held = await waitForHolder(place);
      if (held === 'guarded') return null;
      if (held) return held;
      recycledPid = await pidOfStranger(attempt.refusal);
    } else if (!OLD_MEMORY.test(attempt.refusal)) {
      throw new Error(`PostgreSQL did not start. The end of ${place.layout.serverLog}:\n${attempt.refusal}`);
    }
    await sleep(200);
  }
  throw new Error(
    `PostgreSQL did not start within ${START_DEADLINE_MS / 1000} s; see ${place.layout.serverLog}.`,
  );
}

async function launch(
  place: ServerPlace,
  deadline: number,
  recycledPid: string | undefined,
): Promise<{ server: Server } | { refusal: string }> {
  const { layout, binaries, identity } = place;
  const mark = randomUUID();
  const log = await open(layout.serverLog, 'a', 0o600);
  const logStart = (await log.stat()).size;
  const command = [...identity.prefix, binaries.postgres, ...serverArguments(place, mark)];
  const child = spawn(command[0]!, command.slice(1), {
    ...identity.user,
    // PostgreSQL takes a lock file's process for its own grandparent, not for a rival, under this name (its
    // shared memory is still checked); pg_ctl uses the same variable.
    env: { ...binaries.environment, ...(recycledPid ? { PG_GRANDPARENT_PID: recycledPid } : {}) },
    cwd: layout.data,
    stdio: ['ignore', log.fd, log.fd],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let gone = false;
  void exited.then(() => {
    gone = true;
  });
  await log.close();
  while (!gone && Date.now() < deadline) {
    if (await answers(place, `SHOW offprint.guard`, mark)) return { server: ownServer(child, exited) };
    await Promise.race([exited, sleep(25)]);
  }
  if (!gone) await ownServer(child, exited).stop();
  return { refusal: (await readFile(layout.serverLog)).subarray(logStart).toString('utf8').slice(-2_000) };
}

function serverArguments(place: ServerPlace, mark: string): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: place.run,
    unix_socket_permissions: '0700',
    port: 5432,
    max_connections: 100,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    log_timezone: 'UTC',
    timezone: 'UTC',
    log_line_prefix: '%m [%p] %a ',
    'offprint.guard': mark,
  };
  return [
    '-D',
    place.layout.data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

function ownServer(child: ChildProcess, exited: Promise<void>): Server {
  return {
    ended: exited,
    async stop() {
      child.kill('SIGINT');
      const stopped = await Promise.race([exited.then(() => true), sleep(FAST_SHUTDOWN_MS, false)]);
      // Immediate shutdown: the next start replays the log, nothing committed is lost.
      if (!stopped) child.kill('SIGQUIT');
      await exited;
    },
  };
}

/**
 * The owner of the lock file: a server with a guard, one without (adopted after a grace period), or a process
 * that does not respond.
 */
async function waitForHolder(place: ServerPlace): Promise<Server | 'guarded' | null> {
  const graceEnds = Date.now() + ADOPTION_GRACE_MS;
  let seen = false;
  while (Date.now() < graceEnds) {
    if (await place.otherGuard()) return 'guarded';
    seen = await answers(place, 'SHOW data_directory', await realpath(place.layout.data));
    if (!seen) return null;
    await sleep(200);
  }
  return adopt(place);
}

async function adopt(place: ServerPlace): Promise<Server> {
  place.log('taking over a PostgreSQL that runs without a guard process');
  const presence = connection(place);
  const ended = new Promise<void>((resolve) => presence.once('end', () => resolve()));
  presence.on('error', () => {});
  await presence.connect();
  const { binaries, identity, layout } = place;
  return {
    ended,
    async stop() {
      const command = [
        ...identity.prefix,
        binaries.pgCtl,
        'stop',
        '-D',
        layout.data,
        '-m',
        'fast',
        '-t',
        '20',
      ];
      const child = spawn(command[0]!, command.slice(1), {
        ...identity.user,
        env: binaries.environment,
        cwd: layout.data,
        stdio: 'ignore',
      });
      await new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.once('error', () => resolve());
      });
    },
  };
}

/**
 * The process a refusal names, if it is not PostgreSQL: after a crash its number was given to another
 * process, which is common in containers. Undefined if it may be a server that is about to respond or to end.
 */
async function pidOfStranger(refusal: string): Promise<string | undefined> {
  const pid = LOCK_HOLDER.exec(refusal)?.[1];
  if (!pid) return undefined;
  const ps = () => spawnSync('ps', ['-o', 'comm=', '-p', pid], { encoding: 'utf8' }).stdout ?? '';
  const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(ps)).trim();
  return name === '' || name.endsWith('postgres') ? undefined : pid;
}

function connection(place: ServerPlace, database = 'postgres'): pg.Client {
  return new pg.Client({
    connectionString: urlOf(place.run, place.password, database),
    application_name: 'offprint-guard',
    connectionTimeoutMillis: 2_000,
  });
}

async function answers(place: ServerPlace, question: string, expected: string): Promise<boolean> {
  const client = connection(place);
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Record<string, string>>(question);
    return Object.values(rows[0] ?? {})[0] === expected;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Creates the platform's database in a new cluster. */
export async function ensureDatabase(place: ServerPlace): Promise<void> {
  const client = connection(place);
  client.on('error', () => {});
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
