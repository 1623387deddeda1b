/** A renderer as users run it: `main.ts renderer` in a process of its own, with nothing but its own folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { LINKED } from './processes.ts';

const MAIN = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url));
const START_MS = 240_000;

export interface TestRenderer {
  url: string;
  process: ChildProcess;
  /** Resolves while it runs a program. */
  isRunning(program: string): Promise<void>;
  /** Programs that have run, with their outcomes, from its log. */
  runs(): { program: string; outcome: string }[];
  log(): string;
  /** Sends a signal and waits for the end; returns the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a renderer on a port and waits until it is ready. */
export async function startTestRenderer(
  port: number,
  env: Record<string, string> = {},
): Promise<TestRenderer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'offprint-renderer-'));
  const url = `http://127.0.0.1:${port}`;
  const metricsPort = await freePort();
  let log = '';
  const child = spawn(process.execPath, [...LINKED, MAIN, 'renderer'], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      OFFPRINT_DATA_DIR: dataDir,
      OFFPRINT_RENDERER_PORT: String(port),
      OFFPRINT_METRICS_PORT: String(metricsPort),
      OFFPRINT_SHUTDOWN_SECONDS: '0',
      OFFPRINT_SANDBOX: 'preferred',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    return child.exitCode;
  };
  const until = Date.now() + START_MS;
  for (;;) {
    const status = await fetch(`${url}/readyz`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) break;
    if (child.exitCode !== null || Date.now() > until) {
      await end('SIGKILL');
      throw new Error(`the renderer did not start:\n${log}`);
    }
    await sleep(50);
  }
  return {
    url,
    process: child,
    log: () => log,
    end,
    async isRunning(program) {
      for (;;) {
        const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
        if (metrics.includes(`offprint_jobs_active{kind="${program}"} 1`)) return;
        await sleep(20);
      }
    },
    runs: () =>
      log
        .split('\n')
        .filter((line) => line.includes('"run ended"'))
        .map((line) => JSON.parse(line) as { program: string; outcome: string })
        .map(({ program, outcome }) => ({ program, outcome })),
  };
}
