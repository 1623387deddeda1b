/** The simulation of the queue claims in the order of the database. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrganization } from '../apps/server/src/organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../apps/server/src/platform/db/database.ts';
import { claimJob } from '../apps/server/src/platform/jobs/leases.ts';
import { createQueue, ordersOfHour, simulate } from '../bench/scaling/model.ts';
import { createTestDatabase } from './support/postgres.ts';
import { createRandom } from './support/random.ts';

let open: OpenDatabase;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  open = openDatabase(database.url, { role: 'test', max: 2 });
});
afterAll(async () => {
  await open.close();
  await drop();
});

const WEIGHTS = { free: 1, pro: 2, enterprise: 4 } as const;

test.each([1, 2, 3])('claims the same jobs in the same order as the database (seed %i)', async (seed) => {
  const random = createRandom(seed);
  const { db } = open;
  await db.deleteFrom('jobs').execute();
  await db.deleteFrom('job_turns').execute();
  const plans = ['free', 'pro', 'enterprise', 'enterprise'] as const;
  const organizations: { id: string; weight: number }[] = [];
  for (const plan of plans) {
    const { id } = await createOrganization(db, { name: plan, plan });
    organizations.push({ id, weight: WEIGHTS[plan] });
  }
  const organizationLimit = 6;
  const model = createQueue(organizationLimit);
  const running: { id: string; organization: string }[] = [];
  let queued = 0;
  let claimed = 0;
  for (let step = 0; step < 400; step += 1) {
    const choice = random();
    if (choice < 0.45) {
      const { id: organization, weight } = organizations[Math.floor(random() ** 2 * organizations.length)]!;
      const id = `job_${String(queued++).padStart(4, '0')}`;
      await db
        .insertInto('jobs')
        .values({
          id,
          kind: 'test',
          organization_id: organization,
          queued_at: new Date(Date.now() - 1e6 + queued),
        })
        .execute();
      model.add({ id, organization, weight, at: queued });
    } else if (choice < 0.75 || running.length === 0) {
      const real = await claimJob(
        db,
        'test',
        { weights: WEIGHTS, organizationLimit, laneLimit: 1_000 },
        { worker: 1, isIdle: true, passOver: [] },
      );
      const simulated = model.claim();
      expect([step, real?.id]).toEqual([step, simulated?.id]);
      if (simulated === undefined) continue;
      claimed += 1;
      running.push(simulated);
    } else {
      const [ended] = running.splice(Math.floor(random() * running.length), 1);
      if (ended === undefined) continue;
      await db.deleteFrom('jobs').where('id', '=', ended.id).execute();
      model.end(ended.organization);
    }
  }
  expect(claimed).toBeGreaterThan(60);
});

const MODEL = {
  workers: 1,
  concurrency: 2,
  seconds: 10,
  capacity: 2,
  storedBytes: 0,
  storeBytesPerSecond: 1,
  claimSeconds: 0,
  organizationLimit: 100,
  isShared: false,
};
const at = (times: number[]) =>
  times.map((time, number) => ({ id: `se_${number}`, organization: 'a', weight: 1, at: time }));
const ends = (orders: ReturnType<typeof at>, model: Partial<typeof MODEL> = {}) =>
  simulate(orders, { ...MODEL, ...model }).outcomes.map(({ endedAt }) => Math.round(endedAt * 1_000) / 1_000);

test('exports share the cores of their worker, the store and the claims', () => {
  expect(ends(at([0, 0, 0]))).toEqual([10, 10, 20]);
  // One core for two exports.
  expect(ends(at([0, 0]), { capacity: 1 })).toEqual([20, 20]);
  // The second comes when the first is half done: 5 s left of the first take 10 s.
  expect(ends(at([0, 5]), { capacity: 1 })).toEqual([15, 20]);
  // 10 s of rendering, then 100 bytes at 10 a second for both.
  expect(ends(at([0, 0]), { storedBytes: 100, storeBytesPerSecond: 10 })).toEqual([30, 30]);
  expect(ends(at([0, 0]), { claimSeconds: 3 })).toEqual([10, 13]);
  expect(ends(at([0, 0]), { organizationLimit: 1 })).toEqual([10, 20]);
  expect(ends(at([0, 0]), { isShared: true })).toEqual([10, 20]);
  expect(ends(at([0, 0, 0, 0]), { workers: 2 })).toEqual([10, 10, 10, 10]);
});

test('every export of an hour ends once, and arrivals have the wanted rate', () => {
  const orders = ordersOfHour(2_000, 50, createRandom(7));
  expect(orders.at(-1)?.at).toBeGreaterThan(3_300);
  expect(orders.at(-1)?.at).toBeLessThan(3_900);
  const { outcomes, slotShare } = simulate(orders, { ...MODEL, workers: 4, concurrency: 4, capacity: 4 });
  expect(new Set(outcomes.map(({ id }) => id)).size).toBe(2_000);
  for (const one of outcomes) {
    expect(one.claimedAt).toBeGreaterThanOrEqual(one.queuedAt);
    expect(one.endedAt - one.claimedAt).toBeGreaterThan(9.999);
  }
  // 20,000 s of work on 16 slots.
  expect(slotShare).toBeGreaterThan(0.3);
  expect(slotShare).toBeLessThan(0.4);
});
