import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/support/postgres.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { ensureOperator } from './first-start.ts';
import { createLockOut, forgetOldFailures } from './lock-out.ts';

let open: OpenDatabase;
let drop: () => Promise<void>;
const key = Buffer.alloc(32, 7);

beforeAll(async () => {
  const made = await createTestDatabase();
  drop = made.drop;
  await migrate(made.url);
  open = openDatabase(made.url, { role: 'test', max: 8 });
});
afterAll(async () => {
  await open.close();
  await drop();
});

const lockOut = () => createLockOut(open.db, key);
const at = (account: string, address: string, isKnownPlace = false) => ({ account, address, isKnownPlace });

/** The seconds to wait, or 0 for an attempt that passed. */
async function attempt(account: string, address: string, isKnownPlace = false): Promise<number> {
  try {
    await lockOut().begin(at(account, address, isKnownPlace));
    return 0;
  } catch (error) {
    expect(error).toMatchObject({ code: 'too_many_sign_ins' });
    return Number((error as { headers: Record<string, string> }).headers['Retry-After']);
  }
}

/** Lets the waits of everything pass. */
async function waitIsOver(): Promise<void> {
  await open.db
    .updateTable('sign_in_failures')
    .set({ locked_until: sql<Date>`now() - interval '1 second'` })
    .where('locked_until', 'is not', null)
    .execute();
}

test('of twenty guesses at the same moment, from twenty places, five pass', async () => {
  const waits = await Promise.all(
    Array.from({ length: 20 }, (_, index) => attempt('parallel@example.com', `192.0.2.${index}`)),
  );
  expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
});

test('the wait doubles with each failure from 30 seconds to 15 minutes', async () => {
  for (let index = 0; index < 5; index += 1) {
    expect(await attempt('double@example.com', `198.51.100.${index}`)).toBe(0);
  }
  const waits: number[] = [];
  for (let index = 0; index < 7; index += 1) {
    waits.push(await attempt('double@example.com', `198.51.100.${10 + index}`));
    await waitIsOver();
    expect(await attempt('double@example.com', `198.51.100.${30 + index}`)).toBe(0);
  }
  // Less than was set by the time that has passed since.
  expect(waits.map((wait) => [30, 60, 120, 240, 480, 900].find((full) => wait <= full))).toEqual([
    30, 60, 120, 240, 480, 900, 900,
  ]);
});

test('a success forgets the failures of the account and takes its own from the address', async () => {
  for (let round = 0; round < 20; round += 1) {
    for (let failure = 0; failure < 2; failure += 1) {
      expect(await attempt('good@example.com', '203.0.113.1')).toBe(0);
    }
    const { succeeded } = await lockOut().begin(at('good@example.com', '203.0.113.1'));
    await succeeded();
  }
  // Twice twenty failures stay with the address, which takes fifty.
  for (let index = 0; index < 10; index += 1) {
    expect(await attempt(`other-${index}@example.com`, '203.0.113.1')).toBe(0);
  }
  expect(await attempt('fresh@example.com', '203.0.113.1')).toBeGreaterThan(0);
  expect(await attempt('fresh@example.com', '203.0.113.2')).toBe(0);
});

test('addresses of one /64 network are one', async () => {
  for (let index = 0; index < 50; index += 1) {
    expect(await attempt(`six-${index}@example.com`, `2001:db8:1:2::${index.toString(16)}`)).toBe(0);
  }
  expect(await attempt('six@example.com', '2001:db8:1:2:ffff::1')).toBeGreaterThan(0);
  expect(await attempt('six@example.com', '2001:db8:1:3::1')).toBe(0);
});

test('strangers do not lock the owner out of a place that is known', async () => {
  for (let index = 0; index < 6; index += 1) await attempt('owner@example.com', `192.0.2.${100 + index}`);
  expect(await attempt('owner@example.com', '192.0.2.200')).toBeGreaterThan(0);
  expect(await attempt('owner@example.com', '192.0.2.201', true)).toBe(0);
  // That place has five of its own.
  for (let index = 0; index < 4; index += 1) await attempt('owner@example.com', '192.0.2.201', true);
  expect(await attempt('owner@example.com', '192.0.2.201', true)).toBeGreaterThan(0);
});

test('neither addresses nor accounts can be read in the table, and old failures go', async () => {
  await attempt('digest@example.com', '192.0.2.250');
  const rows = await open.db.selectFrom('sign_in_failures').selectAll().execute();
  for (const { subject } of rows) expect(subject).toHaveLength(32);
  expect(JSON.stringify(rows)).not.toMatch(/example\.com|192\.0\.2/);
  await open.db
    .updateTable('sign_in_failures')
    .set({ last_at: sql<Date>`now() - interval '25 hours'` })
    .execute();
  await forgetOldFailures(open.db);
  expect(await open.db.selectFrom('sign_in_failures').selectAll().execute()).toEqual([]);
});

test('processes that start together for the first time make one operator, whose password one of them knows', async () => {
  const wanted = { email: 'Operator@Example.com', password: undefined };
  const made = await Promise.all([1, 2, 3].map(() => ensureOperator(open.db, wanted)));
  const [operator, ...rest] = made.filter((one) => one !== null);
  expect(rest).toEqual([]);
  expect(operator).toMatchObject({
    email: 'operator@example.com',
    madePassword: expect.stringMatching(/^(?:[a-z2-9]{4}-){3}[a-z2-9]{4}$/),
  });
  expect(await ensureOperator(open.db, wanted)).toBeNull();
  expect(await open.db.selectFrom('users').select(['email', 'is_operator']).execute()).toEqual([
    { email: 'operator@example.com', is_operator: true },
  ]);
});
