import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts';
import { type OpenDatabase, openDatabase } from '../db/database.ts';
import { openListener } from '../db/listen.ts';
import { announce, newWorkerNumber, recordClaims, recoverLost } from './claims.ts';

let database: TestDatabase;
let open: OpenDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.url, { role: 'test', max: 2 });
});
afterAll(async () => {
  await open.close();
  await database.drop();
});

/**
 * Whether a claim is revoked whose worker sent a heartbeat the given number of seconds ago; no time passes
 * within a transaction.
 */
async function isTaken(worker: number, seconds: number): Promise<boolean> {
  const entry = '00000000-0000-4000-8000-000000000000';
  return open.db.transaction().execute(async (tx) => {
    await recordClaims(tx, worker, [{ entry, queue: 'test', delivery: 1 }]);
    const beat_at = new Date((await now(tx)).getTime() - seconds * 1000);
    await tx.updateTable('queue_claims').set({ beat_at }).execute();
    await recoverLost(tx, 'pgboss');
    const { numDeletedRows } = await tx.deleteFrom('queue_claims').executeTakeFirst();
    return numDeletedRows === 0n;
  });
}

const now = async (tx: OpenDatabase['db']): Promise<Date> =>
  (await tx.selectNoFrom((table) => table.fn<Date>('now').as('now')).executeTakeFirstOrThrow()).now;

test('a worker without a session is considered dead three seconds after its last beat', async () => {
  const worker = newWorkerNumber();
  expect(await isTaken(worker, 2.9)).toBe(false);
  expect(await isTaken(worker, 3.1)).toBe(true);
});

test('a worker with a session is considered dead fifteen seconds after its last beat', async () => {
  const worker = newWorkerNumber();
  let announced: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    announced = resolve;
  });
  const session = openListener(database.url, {
    role: 'test',
    onConnect: (client) => announce(client, worker).then(announced),
  });
  await ready;
  expect(await isTaken(worker, 3.1)).toBe(false);
  expect(await isTaken(worker, 14.9)).toBe(false);
  expect(await isTaken(worker, 15.1)).toBe(true);
  await session.close();
});
