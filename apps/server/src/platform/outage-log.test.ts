import { expect, test } from 'vitest';
import { BlobStoreError } from './blob/error.ts';
import type { BlobStore } from './blob/store.ts';
import { createMetrics } from './metrics.ts';
import { createOutageLog, watchStore } from './outage-log.ts';

const nothing = async () => {
  throw new Error('not used');
};
const broken: BlobStore = {
  put: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
  copy: nothing,
  get: () => Promise.reject(new RangeError('outside')),
  stat: () => Promise.reject(new BlobStoreError('unreachable', 'store.internal does not respond')),
  delete: nothing,
  // biome-ignore lint/correctness/useYield: it fails before the first object
  async *list() {
    throw new BlobStoreError('busy', 'store.internal is overloaded');
  },
  signUrl: nothing,
  removeUnfinished: nothing,
  check: async () => {},
};

test('errors of the store are counted by reason, and reported for a while, each once', async () => {
  let time = 0;
  const metrics = createMetrics();
  const log = createOutageLog(metrics, () => time);
  const store = watchStore(broken, log, metrics);
  await expect(store.put('a', Buffer.alloc(0))).rejects.toThrow('full');
  await expect(store.put('a', Buffer.alloc(0))).rejects.toThrow('full');
  await expect(store.stat('a')).rejects.toThrow('does not respond');
  await expect(store.get('a', { start: 1, end: 2 })).rejects.toThrow('outside');
  await expect(store.list('')[Symbol.asyncIterator]().next()).rejects.toThrow('overloaded');
  const text = await metrics.registry.metrics();
  expect(text).toContain('offprint_store_errors_total{reason="ENOSPC"} 2');
  expect(text).toContain('offprint_store_errors_total{reason="unreachable"} 1');
  expect(text).toContain('offprint_store_errors_total{reason="busy"} 1');
  expect(text).not.toContain('RangeError');
  expect(log.recent().map(({ code }) => code)).toEqual(['storage_full', 'storage_unavailable']);
  time += 3_600_000;
  expect(log.recent()).toEqual([]);
});
