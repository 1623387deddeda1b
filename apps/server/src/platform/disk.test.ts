import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchDisk } from './disk.ts';

test('reports the free space of the file system that a folder will be on', async () => {
  const there = await watchDisk(tmpdir(), 1).freeBytes();
  expect(there).toBeGreaterThan(0);
  const missing = await watchDisk(join(tmpdir(), 'not', 'there'), 1).freeBytes();
  expect(missing).toBeGreaterThan(0);
});

test('there is room down to the minimum, and always without one', async () => {
  expect(await watchDisk(tmpdir(), 1).hasRoom()).toBe(true);
  expect(await watchDisk(tmpdir(), 2 ** 60).hasRoom()).toBe(false);
  expect(await watchDisk(tmpdir(), 0).hasRoom()).toBe(true);
});
