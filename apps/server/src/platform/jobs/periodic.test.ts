import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../../test/support/postgres.ts';
import { type OpenDatabase, openDatabase } from '../db/database.ts';
import { createMetrics } from '../metrics.ts';
import { type PeriodicTask, startShared } from './periodic.ts';

let open: OpenDatabase;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  open = openDatabase(database.url, { role: 'test', max: 4 });
});
afterAll(async () => {
  await open.close();
  await drop();
});
beforeEach(() => open.db.deleteFrom('periodic_tasks').execute());

const log = pino({ level: 'silent' });
const start = (task: PeriodicTask, leaseSeconds = 60) =>
  startShared([task], {
    db: open.db,
    log,
    metrics: createMetrics(),
    times: { checkMs: 20, leaseSeconds, renewMs: 20 },
  });

test('of several processes, one runs a task, and none again before it is due', async () => {
  let runs = 0;
  let inParallel = 0;
  let most = 0;
  const task = {
    name: 'sweep',
    ms: 3_600_000,
    run: async () => {
      runs += 1;
      inParallel += 1;
      most = Math.max(most, inParallel);
      await sleep(100);
      inParallel -= 1;
    },
  };
  const processes = [start(task), start(task), start(task)];
  await expect.poll(() => runs).toBe(1);
  await sleep(400);
  expect([runs, most]).toEqual([1, 1]);
  await open.db
    .updateTable('periodic_tasks')
    .set({ due_at: new Date(0) })
    .execute();
  await expect.poll(() => runs).toBe(2);
  await Promise.all(processes.map((one) => one.stop()));
  expect(most).toBe(1);
});

test('a run that takes longer than the lease stays with its process', async () => {
  let runs = 0;
  const task = {
    name: 'long',
    ms: 3_600_000,
    run: async () => {
      runs += 1;
      await sleep(2_500);
    },
  };
  const processes = [start(task, 1), start(task, 1)];
  await sleep(2_000);
  expect(runs).toBe(1);
  await Promise.all(processes.map((one) => one.stop()));
});

test('a task of a process that died is taken over, and the one that lost it is aborted', async () => {
  await open.db
    .insertInto('periodic_tasks')
    .values({ name: 'sweep', holder: 'dead', due_at: new Date(Date.now() - 1_000) })
    .execute();
  let ended: string | null = null;
  const process = start({
    name: 'sweep',
    ms: 3_600_000,
    run: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          ended = 'aborted';
          resolve();
        });
      }),
  });
  const holder = async () =>
    (await open.db.selectFrom('periodic_tasks').selectAll().executeTakeFirst())?.holder;
  await expect.poll(holder).toMatch(/^proc_/);
  await open.db.updateTable('periodic_tasks').set({ holder: 'other' }).execute();
  await expect.poll(() => ended).toBe('aborted');
  await process.stop();
  // It is not released by the one that lost it.
  expect(await holder()).toBe('other');
});

test('what a stop interrupts is due at once for the others', async () => {
  const first = start({
    name: 'sweep',
    ms: 3_600_000,
    run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  });
  await expect.poll(() => open.db.selectFrom('periodic_tasks').selectAll().execute()).toHaveLength(1);
  await first.stop();
  let runs = 0;
  const second = start({
    name: 'sweep',
    ms: 3_600_000,
    run: async () => {
      runs += 1;
      throw new Error('a failure does not repeat it at once');
    },
  });
  await expect.poll(() => runs).toBe(1);
  await sleep(200);
  expect(runs).toBe(1);
  await second.stop();
});
