import { prepareVectors } from '@offprint/search';
import { expect, test } from 'vitest';
import { createVectorCache } from './vector-cache.ts';

/** Vectors of this number of sections: 26 bytes for each. */
const vectorsOf = (count: number) =>
  prepareVectors({
    space: 's',
    dimensions: 6,
    directories: [],
    count,
    digests: new Uint8Array(16 * count),
    values: new Int8Array(6 * count),
  });

test('vectors used last stay in memory, within the limit', async () => {
  const cache = createVectorCache(260);
  const loaded: string[] = [];
  const get = (key: string, count = 4) =>
    cache.get(key, async () => {
      loaded.push(key);
      return vectorsOf(count);
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
  expect(loaded).toEqual(['a', 'b', 'c', 'b']);
  expect(cache.size()).toBeLessThanOrEqual(260);
  // One that is larger than all is kept alone.
  await get('large', 100);
  expect(cache.size()).toBe(2_600);
});

test('those who ask at the same time share one load, and a failed one is repeated', async () => {
  const cache = createVectorCache(1_000);
  let loads = 0;
  const load = async () => {
    loads++;
    if (loads === 1) throw new Error('The store is away.');
    return loads === 2 ? null : vectorsOf(1);
  };
  const refused = await Promise.allSettled([cache.get('a', load), cache.get('a', load)]);
  expect([loads, ...refused.map(({ status }) => status)]).toEqual([1, 'rejected', 'rejected']);
  expect(await cache.get('a', load)).toBeNull();
  expect(await cache.get('a', load)).not.toBeNull();
  expect(await cache.get('a', load)).not.toBeNull();
  expect(loads).toBe(3);
});
