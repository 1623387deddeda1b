import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts';
import { type OpenDatabase, openDatabase } from './database.ts';
import { type Listener, openListener } from './listen.ts';

let database: TestDatabase;
let open: OpenDatabase;
let listener: Listener;

beforeAll(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.url, { role: 'test', max: 2 });
  listener = openListener(database.url, { role: 'test' });
});

afterAll(async () => {
  await listener.close();
  await open.close();
  await database.drop();
});

const notify = (payload: string) => open.pool.query("SELECT pg_notify('export', $1)", [payload]);

async function heardSoon(payload: string): Promise<boolean> {
  let heard = false;
  const stop = listener.listen('export', (value) => {
    heard ||= value === payload;
  });
  for (let attempt = 0; attempt < 100 && !heard; attempt++) {
    await notify(payload);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  stop();
  return heard;
}

test('hears a notification, and hears again after its connection was cut', async () => {
  expect(await heardSoon('one')).toBe(true);
  await open.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'offprint-test-listen'",
  );
  expect(await heardSoon('two')).toBe(true);
});

test('wait ends at the right payload, at its time limit and at an abort', async () => {
  await heardSoon('ready');
  const started = performance.now();
  const waiting = listener.wait('export', 'mine', 10_000);
  await notify('other');
  await notify('mine');
  await waiting;
  expect(performance.now() - started).toBeLessThan(2_000);

  await listener.wait('export', 'never', 50);

  const controller = new AbortController();
  const aborted = listener.wait('export', 'never', 10_000, controller.signal);
  controller.abort();
  await aborted;
  await listener.wait('export', 'never', 10_000, AbortSignal.abort());
  expect(performance.now() - started).toBeLessThan(4_000);
});
