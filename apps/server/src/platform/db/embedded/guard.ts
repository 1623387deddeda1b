/**
 * The guard process: owns the embedded PostgreSQL of one data folder. Every platform process holds a
 * connection to it; when the last one is gone, however it went, PostgreSQL is shut down cleanly.
 *
 * Standard input: one line of JSON, `{dataDir, programs}`; while it stays open, the process that launched the guard counts
 * as a client. Standard output: one line, a LaunchReport. It runs in a session of its own, so that Ctrl-C in a
 * terminal reaches the platform only.
 */
import { once } from 'node:events';
import { rename, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { makeFolder } from '@offprint/bundle/make-folder';
import { findBinaries } from './binaries.ts';
import { ensureCluster, readPassword } from './cluster.ts';
import { chooseIdentity, giveTree, requireAccess } from './identity.ts';
import { DATABASE, guardSocket, layoutOf, openRunFolder, urlOf } from './layout.ts';
import { type Greeting, type LaunchReport, LEAVE } from './protocol.ts';
import { ensureDatabase, type Server, type ServerPlace, startServer } from './server.ts';

const LINGER_MS = 500;
const TERMINATED_MS = 60_000;
const LOG_MAX_BYTES = 10_000_000;

function log(message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${message}\n`);
}

function report(message: LaunchReport): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function prepare(dataDir: string, programs: string): Promise<ServerPlace> {
  const layout = layoutOf(dataDir);
  await makeFolder(layout.root, 0o700);
  const run = await openRunFolder(layout.root);
  const identity = await chooseIdentity();
  const binaries = await findBinaries(programs, layout.libraries);
  await giveTree(layout.root, identity);
  await giveTree(run, identity);
  requireAccess(identity, binaries.postgres, layout.root);
  await ensureCluster(layout, binaries, identity);
  const size = await stat(layout.serverLog).then(
    (info) => info.size,
    () => 0,
  );
  if (size > LOG_MAX_BYTES) await rename(layout.serverLog, `${layout.serverLog}.1`);
  const password = await readPassword(layout);
  return { layout, run, password, binaries, identity, otherGuard: () => listens(guardSocket(run)), log };
}

function listens(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.end(LEAVE);
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Serves until the last client is gone, then stops PostgreSQL. Restarts it when it dies before that. */
async function guard(place: ServerPlace, first: Server, launcher: Promise<void>): Promise<void> {
  const url = urlOf(place.run, place.password, DATABASE);
  const clients = new Set<Socket>();
  const leaving = new Set<Socket>();
  let server = first;
  let restart: Promise<Server | null> = Promise.resolve(first);
  let launcherIsThere = true;
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;

  const listener = createServer((socket) => {
    clearTimeout(timer);
    clients.add(socket);
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.on('data', (line: string) => {
      if (line.includes(LEAVE)) leave(socket);
    });
    socket.on('close', () => {
      if (clients.delete(socket)) stopWhenEmpty(LINGER_MS);
    });
    socket.write(`${JSON.stringify({ url } satisfies Greeting)}\n`);
  });

  function leave(socket: Socket): void {
    clients.delete(socket);
    // The last one waits until PostgreSQL is down; the others may go now.
    if (clients.size > 0) socket.end();
    else leaving.add(socket);
    stopWhenEmpty(0);
  }

  function stopWhenEmpty(afterMs: number): void {
    if (clients.size > 0 || launcherIsThere) return;
    clearTimeout(timer);
    timer = setTimeout(() => void stop('no platform process is running any more'), afterMs);
  }

  async function stop(reason: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log(`stopping PostgreSQL: ${reason}`);
    listener.close();
    await ((await restart.catch(() => null)) ?? server).stop();
    log('PostgreSQL has stopped');
    for (const socket of [...clients, ...leaving]) socket.destroy();
    process.exit(0);
  }

  async function keepRunning(): Promise<void> {
    for (;;) {
      await server.ended;
      if (stopping) return;
      log('PostgreSQL ended unexpectedly: restarting it');
      restart = startServer(place);
      const next = await restart;
      if (!next) throw new Error('another guard process took over');
      server = next;
    }
  }

  // A service manager sends SIGTERM to every process at once: the platform still needs its database to stop
  // in order.
  process.on('SIGTERM', () => {
    setTimeout(() => void stop('terminated'), clients.size > 0 ? TERMINATED_MS : 0);
  });

  await rm(guardSocket(place.run), { force: true });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(guardSocket(place.run), resolve);
  });
  report({ state: 'serving' });
  void launcher.then(() => {
    launcherIsThere = false;
    stopWhenEmpty(LINGER_MS);
  });
  await keepRunning();
}

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.stdout.on('error', () => {});
  try {
    const input = createInterface(process.stdin);
    const launcher = new Promise<void>((resolve) => input.once('close', () => resolve()));
    const [line] = (await once(input, 'line')) as [string];
    const { dataDir, programs } = JSON.parse(line) as { dataDir: string; programs: string };
    const place = await prepare(dataDir, programs);
    const server = await startServer(place);
    if (!server) {
      report({ state: 'other-guard' });
      process.exit(0);
    }
    await ensureDatabase(place);
    await guard(place, server, launcher);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log(reason);
    report({ state: 'failed', reason });
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 100);
  }
}

await main();
