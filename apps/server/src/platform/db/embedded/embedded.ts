import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@offprint/bundle/make-folder';
import { findPrograms } from './binaries.ts';
import { guardSocket, layoutOf, openRunFolder } from './layout.ts';
import { type Greeting, type LaunchReport, LEAVE } from './protocol.ts';

export interface EmbeddedPostgres {
  /** Address of the platform's database; it stays the same when the server is started again. */
  url: string;
  /** Whether another process had started the server. */
  adopted: boolean;
  /** Lets go of the server. It stops when no other process uses it; resolves when it has. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Data folder of the platform; the database lives in `<dataDir>/postgres`. Made when missing. */
  dataDir: string;
  log: { info(message: string): void; error(message: string): void };
}

const DEADLINE_MS = 360_000;
const RETRY_MS = 1_000;

/**
 * Starts the embedded PostgreSQL of a data folder, or joins the one that already runs there. It needs no root,
 * keeps no port open and stops by itself within two seconds when the last process that uses it is killed.
 * Throws an Error with the reason and the way out when it cannot run here.
 */
export async function startEmbeddedPostgres({ dataDir, log }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { root, guardLog } = layoutOf(dataDir);
  await makeFolder(root, 0o700);
  let stopped = false;
  let link = await join();

  /** The connection whose end signals the guard that this process is gone. */
  async function join(): Promise<{ socket: Socket; url: string; adopted: boolean }> {
    const deadline = Date.now() + DEADLINE_MS;
    let launch: Launch | null = null;
    while (Date.now() < deadline) {
      const attached = await attach(guardSocket(await openRunFolder(root)));
      launch?.release();
      if (attached) return { ...attached, adopted: launch?.report.state !== 'serving' };
      launch = await launchGuard(dataDir, await findPrograms(dataDir, log), guardLog);
      if (launch.report.state === 'failed') throw new Error(launch.report.reason);
    }
    throw new Error(`Cannot reach the guard process of the embedded PostgreSQL; see ${guardLog}.`);
  }

  async function rejoin(): Promise<void> {
    while (!stopped) {
      log.error('the guard process of the embedded PostgreSQL ended: starting another one');
      try {
        link = await join();
        if (stopped) link.socket.destroy();
        else watch();
        return;
      } catch (error) {
        log.error(`embedded PostgreSQL: ${error instanceof Error ? error.message : String(error)}`);
        await sleep(RETRY_MS);
      }
    }
  }

  function watch(): void {
    link.socket.once('close', () => {
      if (!stopped) void rejoin();
    });
  }

  watch();
  log.info(link.adopted ? 'joined the running embedded PostgreSQL' : 'embedded PostgreSQL is running');
  return {
    url: link.url,
    adopted: link.adopted,
    async stop() {
      if (stopped) return;
      stopped = true;
      const { socket } = link;
      if (socket.destroyed) return;
      socket.ref();
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.write(`${LEAVE}\n`);
      });
    },
  };
}

/** Null when nobody listens. The connection does not keep this process alive. */
function attach(socketPath: string): Promise<{ socket: Socket; url: string } | null> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    let greeting = '';
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.on('data', (text: string) => {
      greeting += text;
      if (!greeting.includes('\n')) return;
      socket.removeAllListeners('data').resume().unref();
      const { url } = JSON.parse(greeting) as Greeting;
      resolve({ socket, url });
    });
    socket.once('close', () => resolve(null));
  });
}

interface Launch {
  report: LaunchReport;
  /** From here on only the connections count. */
  release(): void;
}

/** Runs the guard in a session of its own; it outlives this process only to shut PostgreSQL down. */
async function launchGuard(dataDir: string, programs: string, guardLog: string): Promise<Launch> {
  const program = fileURLToPath(new URL(`./guard${extname(import.meta.filename)}`, import.meta.url));
  const log = await open(guardLog, 'a', 0o600);
  const child = spawn(process.execPath, [program], {
    detached: true,
    env: {},
    cwd: layoutOf(dataDir).root,
    stdio: ['pipe', 'pipe', log.fd],
  }) as ChildProcessByStdio<Writable, Readable, null>;
  await log.close();
  const report = new Promise<LaunchReport>((resolve) => {
    child.once('error', (error) =>
      resolve({ state: 'failed', reason: `The guard did not start: ${error.message}` }),
    );
    child.once('close', (code, signal) => {
      resolve({ state: 'failed', reason: `The guard process ended (${signal ?? code}); see ${guardLog}.` });
    });
    createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line) as LaunchReport));
  });
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify({ dataDir, programs })}\n`);
  const answer = await report;
  child.stdout.destroy();
  child.unref();
  return { report: answer, release: () => child.stdin.destroy() };
}
