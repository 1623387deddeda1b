/** Nothing that a killed test run or `npm run dev` started stays behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from './support/free-port.ts';
import { readProcesses } from './support/processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Named by the environment of every process that belongs to the run. */
let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-killed-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const leftovers = () =>
  ['environ', 'cmdline'].flatMap(readProcesses).filter((text) => text.includes(folder)).length;

/** Starts a command and resolves with it once `count` processes name the folder. */
async function start(command: string, args: readonly string[], count: number) {
  const env = {
    ...process.env,
    TMPDIR: folder,
    OFFPRINT_DATA_DIR: join(folder, 'data'),
    OFFPRINT_PORT: `${await freePort()}`,
  };
  child = spawn(command, args, { cwd: root, env, stdio: 'ignore' });
  await expect.poll(leftovers).toBeGreaterThanOrEqual(count);
  return child;
}

test('a test run that is killed takes its test processes, platforms and database along', async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // The run, its test process, the platform, the guard of the database and its processes.
  const run = await start(process.execPath, [vitest, 'run', 'test/acceptance/usage.slow.test.ts'], 6);
  run.kill('SIGKILL');
  await expect.poll(leftovers).toBe(0);
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s to npm alone stops everything that npm run dev started',
  async (signal) => {
    const npm = await start('npm', ['run', 'dev', '--silent'], 8);
    npm.kill(signal);
    await expect.poll(leftovers).toBe(0);
  },
);
