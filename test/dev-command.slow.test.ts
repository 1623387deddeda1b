/** `npm run dev` as contributors run it: one port for platform and dashboard, restarts, and a clean stop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from './support/free-port.ts';
import { readProcesses } from './support/processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

let dataDir: string;
let url: string;
let child: ChildProcess;
let output: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'offprint-dev-command-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  output = '';
  child = spawn(process.execPath, [join(root, 'scripts/dev.mjs')], {
    env: { ...process.env, OFFPRINT_DATA_DIR: dataDir, OFFPRINT_PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, to which a signal can be sent as a terminal does.
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

const printed = (pattern: RegExp) => expect.poll(() => output).toMatch(pattern);
const leftovers = () => readProcesses('environ').filter((text) => text.includes(dataDir)).length;
const databases = () => readProcesses('cmdline').filter((text) => text.includes(dataDir)).length;

test('serves dashboard and API on one port, restarts the platform when a source changes, and stops on SIGTERM', async () => {
  await printed(/Admin key {2}\S+\n\n.*Ctrl-C stops them/);
  const key = /Admin key {2}(\S+)/.exec(output)?.[1];
  const page = await fetch(`${url}/projects`, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('/@vite/client');
  const projects = () => fetch(`${url}/v1/projects`, { headers: { authorization: `Bearer ${key}` } });
  expect((await projects()).status).toBe(200);

  const now = new Date();
  utimesSync(join(root, 'apps/server/src/api.ts'), now, now);
  await printed(/Restarting the platform: apps\/server\/src\/api\.ts changed/);
  // The request waits until the platform is ready again.
  expect((await projects()).status).toBe(200);
  await printed(/Ready: http/);

  expect(leftovers()).toBeGreaterThan(0);
  expect(databases()).toBeGreaterThan(0);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(leftovers()).toBe(0);
  expect(databases()).toBe(0);
  expect(output).not.toContain('exited with');
});

test('Ctrl-C in a terminal stops every process', async () => {
  await printed(/Ctrl-C stops them/);
  process.kill(-child.pid!, 'SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(leftovers()).toBe(0);
  expect(databases()).toBe(0);
});
