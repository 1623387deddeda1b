import { expect, test } from 'vitest';
import { limitsFor, limitsForDescription } from './child-check.ts';

test('a check has CPU time and elapsed time for each file, so that no size of docs makes it fail', () => {
  const limits = { cpuMs: 120_000, wallMs: 600_000, memoryMb: 1024 };
  expect(limitsFor(0, limits)).toEqual(limits);
  // 25,000 pages need more than 120 s on a slow machine.
  expect(limitsFor(25_000, limits)).toEqual({ cpuMs: 870_000, wallMs: 4_350_000, memoryMb: 1024 });
});

test('an API description has CPU time and elapsed time for its length', () => {
  const limits = { cpuMs: 20_000, wallMs: 100_000, memoryMb: 512 };
  expect(limitsForDescription(0, limits)).toEqual(limits);
  expect(limitsForDescription(13_000_000, limits)).toEqual({
    cpuMs: 85_000,
    wallMs: 425_000,
    memoryMb: 512,
  });
});
