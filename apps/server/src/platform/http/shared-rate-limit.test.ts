import { describe, expect, test } from 'vitest';
import { createSharedRateLimiter, type RateStore } from './shared-rate-limit.ts';

/** A store that processes share, with the rule of the table. */
function memoryStore(clock: () => number): RateStore & { calls: number; subjects: Set<string> } {
  const fullAt = new Map<string, number>();
  return {
    calls: 0,
    subjects: new Set(),
    async add(charges) {
      this.calls += 1;
      const time = clock();
      return charges.map(({ subject, costMs, ageMs }) => {
        const key = subject.toString('hex');
        this.subjects.add(key);
        const next = Math.max((fullAt.get(key) ?? 0) + costMs, time - ageMs + costMs);
        fullAt.set(key, next);
        return Math.max(0, next - time);
      });
    },
  };
}

function processes<Store extends RateStore>(
  count: number,
  perMinute: number,
  store: (clock: () => number) => Store,
) {
  const state = { time: 1_000_000 };
  const now = () => state.time;
  const shared = store(now);
  const limiters = Array.from({ length: count }, () =>
    createSharedRateLimiter({ name: 'key', perMinute, store: shared, now }),
  );
  return { state, shared, limiters };
}

describe('createSharedRateLimiter', () => {
  test.each([
    [1, 0],
    [2, 1],
    [5, 4],
    [10, 20],
  ])('lets one allowance pass through %i processes, and at most %i requests more', async (count, more) => {
    const { limiters } = processes(count, 600, memoryStore);
    let passed = 0;
    for (let i = 0; i < 2_000; i++) {
      if ((await limiters[i % count]!.take('a')) === 0) passed += 1;
    }
    expect(passed).toBeGreaterThanOrEqual(600);
    expect(passed).toBeLessThanOrEqual(600 + more);
  });

  test('lets no more than the rate pass in the long run, although processes learn of each other late', async () => {
    const { limiters, state } = processes(4, 60, memoryStore);
    let passed = 0;
    for (let i = 0; i < 12_000; i++) {
      state.time += 50;
      if ((await limiters[i % 4]!.take('a')) === 0) passed += 1;
    }
    // 600 s: one allowance and 600 refills.
    expect(passed).toBeGreaterThan(600);
    expect(passed).toBeLessThanOrEqual(664);
  });

  test('reads the store for few of the requests, and for none that it refuses', async () => {
    const { limiters, shared } = processes(2, 600, memoryStore);
    for (let i = 0; i < 540; i++) await limiters[i % 2]!.take('a');
    expect(shared.calls).toBeLessThan(90);
    for (let i = 0; i < 100; i++) await limiters[0]!.take('a');
    const atLimit = shared.calls;
    for (let i = 0; i < 1_000; i++) expect(await limiters[0]!.take('a')).toBeGreaterThan(0);
    expect(shared.calls).toBe(atLimit);
  });

  test('counts callers and names apart, and stores neither', async () => {
    const time = () => 1_000;
    const store = memoryStore(time);
    for (const name of ['key', 'address']) {
      const limiter = createSharedRateLimiter({ name, perMinute: 1, store, now: time });
      for (const caller of ['a', 'b']) expect(await limiter.take(caller)).toBe(0);
      expect(await limiter.take('a')).toBeGreaterThan(0);
    }
    expect(store.subjects.size).toBe(4);
    for (const subject of store.subjects) expect(subject).toMatch(/^[0-9a-f]{32}$/);
  });

  test('counts alone while the store fails, and stores that when it works again', async () => {
    let works = false;
    const { limiters, state } = processes(2, 60, (clock) => {
      const store = memoryStore(clock);
      return {
        add: async (charges) => {
          if (!works) throw new Error('the database is away');
          return store.add(charges);
        },
      };
    });
    for (const limiter of limiters) {
      for (let i = 0; i < 60; i++) expect(await limiter.take('a')).toBe(0);
      expect(await limiter.take('a')).toBeGreaterThan(0);
    }
    works = true;
    state.time += 6_000;
    for (let i = 0; i < 20; i++) await limiters[i % 2]!.take('a');
    // 120 requests were let pass, so that nothing is left for a minute more.
    state.time += 30_000;
    expect(await limiters[0]!.take('a')).toBeGreaterThan(0);
  });

  test('a store that does not respond delays one request, and refuses none', async () => {
    let asked = 0;
    const { limiters } = processes(1, 60, () => ({
      add: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    }));
    for (let i = 0; i < 60; i++) expect(await limiters[0]!.take('a')).toBe(0);
    expect(await limiters[0]!.take('a')).toBe(1);
    expect(asked).toBe(1);
  });

  test('the rest of the allowance includes what others have used', async () => {
    const { limiters } = processes(2, 100, memoryStore);
    for (let i = 0; i < 50; i++) await limiters[0]!.take('a');
    await limiters[1]!.take('a');
    await limiters[1]!.take('a');
    expect(limiters[1]!.standing('a').remaining).toBeLessThanOrEqual(55);
    expect(limiters[1]!.standing('a').remaining).toBeGreaterThanOrEqual(48);
  });
});
