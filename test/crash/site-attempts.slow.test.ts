/** A bundle that kills the site server each time that it is taken: the last good release is served, not the loop. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DeploymentStatus } from '../../apps/site/src/deployment/status.ts';
import { makeBundle } from '../../apps/site/test/support/bundle.ts';

const PROGRAM = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));
const KILL_POINT = new URL('../support/kill-point.ts', import.meta.url).href;
/** A longer wait counts as a hang. */
const PATIENCE_MS = 60_000;

let root: string;
const running = new Set<ReturnType<typeof spawn>>();
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-attempts-'));
});
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(root, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}) {
  const volume = join(root, 'volume');
  const child = spawn(process.execPath, ['--import', KILL_POINT, PROGRAM], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      OFFPRINT_SITE_DIR: volume,
      OFFPRINT_SITE_PORT: '0',
      OFFPRINT_SITE_MANAGEMENT_PORT: '0',
      OFFPRINT_SITE_INTERVAL: '1',
      OFFPRINT_SITE_BUNDLE: join(root, 'wanted.tar.gz'),
      KILL_VOLUME: volume,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'exit').then(() => running.delete(child));
  const ask = async (call: string): Promise<Response | null> => {
    const port = /"managementPort":(\d+)/.exec(log)?.[1];
    return port === undefined ? null : fetch(`http://127.0.0.1:${port}/${call}`).catch(() => null);
  };
  const wait = async (isWanted: (status: DeploymentStatus) => boolean): Promise<DeploymentStatus> => {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(20)) {
      const answer = await ask('release');
      const status = answer === null ? null : ((await answer.json()) as DeploymentStatus);
      if (status !== null && isWanted(status)) return status;
    }
    throw new Error(`nothing happens:\n${log}`);
  };
  return { child, ended, ask, wait, log: () => log };
}

test('a bundle over which it was killed three times is left alone; others are taken', async () => {
  const [one, two, three] = await Promise.all(['1', '2', '3'].map((version) => makeBundle(version)));
  one?.write(root, 'wanted.tar.gz');
  const calm = start();
  await calm.wait(({ release, step }) => release?.version === '1' && step === null);
  calm.child.kill('SIGTERM');
  await calm.ended;

  two?.write(root, 'wanted.tar.gz');
  for (let time = 1; time <= 3; time++) {
    const victim = start({ KILL_PHASE: 'unpack', KILL_COUNT: '2' });
    await Promise.race([victim.ended, sleep(PATIENCE_MS, undefined, { ref: false })]);
    expect([time, victim.child.signalCode], victim.log()).toEqual([time, 'SIGKILL']);
    expect(existsSync(join(root, 'volume', 'attempt'))).toBe(true);
  }

  // the wait counts from the last attempt: however slow the kills were, it has just started
  const now = new Date();
  utimesSync(join(root, 'volume', 'attempt'), now, now);
  const wary = start();
  const { release, fault } = await wary.wait((status) => status.fault !== null);
  expect([release?.version, fault?.code]).toEqual(['1', 'attempts_unfinished']);
  const ready = await wary.ask('readyz');
  expect([ready?.status, await ready?.text()]).toEqual([200, expect.stringContaining('attempts_unfinished')]);
  expect(wary.log()).toContain('was killed 3 times');
  three?.write(root, 'wanted.tar.gz');
  await wary.wait(
    (status) => status.release?.version === '3' && status.fault === null && status.step === null,
  );
  expect(existsSync(join(root, 'volume', 'attempt'))).toBe(false);
  wary.child.kill('SIGTERM');
  await wary.ended;
}, 240_000);
