/**
 * Three processes install and sweep releases on one volume, without the delay that removed releases usually have, and
 * are killed at random moments. After each kill every release in its place must be complete: its table and each of its
 * files, by digest. In the end, a sweep must leave nothing that no release needs.
 *
 * The usual run kills 6 processes; OFFPRINT_TEST=full kills 200.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTable, verifyTable } from '../../apps/site/src/hosting/table.ts';
import { verifyContent } from '../../apps/site/src/hosting/verified-file.ts';
import { openVolume } from '../../apps/site/src/hosting/volume.ts';
import { makeBundle } from '../../apps/site/test/support/bundle.ts';
import { createRandom } from '../support/random.ts';
import { isFull } from '../support/size.ts';

const KILLS = isFull ? 200 : 6;
const PROCESSES = 3;
const WORKER = fileURLToPath(new URL('../support/hosting-volume-worker.ts', import.meta.url));

let root: string;
const children = new Set<ChildProcess>();
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-hosting-'));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

/** Why a release is not complete; null if it is, or if it was removed meanwhile. */
async function damageOf(folder: string): Promise<string | null> {
  const isThere = () => statSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (!(await verifyTable(folder, 'table'))) return isThere() ? 'no table' : null;
  try {
    const table = await openTable(folder, 'table');
    try {
      for await (const record of table.records())
        if (!(await verifyContent(folder, record.sha256, record))) return isThere() ? record.sha256 : null;
    } finally {
      await table.close();
    }
    return null;
  } catch (error) {
    return isThere() ? String(error) : null;
  }
}

/** Damage that stays: a sweep moves a release away for a moment, and back if another process wants it. */
async function lastingDamageOf(folder: string): Promise<string | null> {
  for (let tries = 1; ; tries++) {
    const damage = await damageOf(folder);
    if (damage === null || tries === 5) return damage;
    await sleep(20 * tries);
  }
}

test(`${KILLS} kills of ${PROCESSES} processes that install and sweep`, async () => {
  const seed = Number(process.env.OFFPRINT_TEST_SEED ?? Date.now() % 2 ** 31);
  const random = createRandom(seed);
  const volume = join(root, 'volume');
  const releases = join(volume, 'releases');
  const bundles: string[] = [];
  for (let version = 0; version < 6; version++) {
    const others: Record<string, Buffer> = {};
    // most files are those of other bundles too
    for (let file = 0; file < 60; file++)
      others[`shared-${file}.html`] = Buffer.from(
        `file ${file} ${file % 6 === version ? version : ''}`.repeat(50),
      );
    const bundle = await makeBundle(`v${version}`, { others });
    bundles.push(`${bundle.sha256}:${bundle.write(root)}`);
  }
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [WORKER, volume, ...bundles], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.add(child);
    await once(child.stdout, 'data');
    return child;
  };
  const damaged: string[] = [];
  let checked = 0;
  const running = await Promise.all(Array.from({ length: PROCESSES }, start));
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(random() * 300);
    const victim = running[kill % PROCESSES];
    if (victim === undefined) throw new Error('no process');
    const ended = once(victim, 'exit');
    // a process that ended by itself has failed
    expect([victim.exitCode, victim.signalCode], `seed ${seed}`).toEqual([null, null]);
    victim.kill('SIGKILL');
    await ended;
    children.delete(victim);
    for (const name of readdirSync(releases)) {
      const damage = await lastingDamageOf(join(releases, name));
      checked += 1;
      if (damage !== null) damaged.push(`${name}: ${damage}`);
    }
    running[kill % PROCESSES] = await start();
  }
  for (const child of running) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  expect(damaged, `seed ${seed}`).toEqual([]);
  expect(checked).toBeGreaterThan(0);

  const last = await openVolume(volume, { durable: false, graceMs: 0 });
  const [sha256 = '', path = ''] = bundles[0]?.split(':') ?? [];
  await last.install(path, { sha256, signal: new AbortController().signal });
  await last.sweep([sha256]);
  expect(readdirSync(releases)).toEqual([sha256]);
  const kept = readdirSync(join(volume, 'files'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.length > 2,
  );
  const needed = readdirSync(join(releases, sha256)).filter((name) => name !== 'table');
  expect(kept.map((name) => name.slice(3)).sort()).toEqual(needed.sort());
  expect(await damageOf(join(releases, sha256))).toBeNull();
  await last.close();
});
