import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts';
import { type OpenDatabase, openDatabase } from './database.ts';
import { type Listener, openListener } from './listen.ts';

const DAYS_MS = 10 * 86_400_000;
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
  for (let attempt = 0; attempt < 2400 && !heard; attempt++) {
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
  // each but the second would wait for days
  const waiting = listener.wait('export', 'mine', DAYS_MS);
  let over = false;
  void waiting.then(() => {
    over = true;
  });
  const other = new Promise<void>((resolve) =>
    listener.listen('export', (payload) => void (payload === 'other' && resolve())),
  );
  await notify('other');
  await other;
  expect(over).toBe(false);
  await notify('mine');
  await waiting;

  await listener.wait('export', 'never', 50);

  const controller = new AbortController();
  const aborted = listener.wait('export', 'never', DAYS_MS, controller.signal);
  controller.abort();
  await aborted;
  await listener.wait('export', 'never', DAYS_MS, AbortSignal.abort());
});
