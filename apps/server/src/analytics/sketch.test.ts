import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { MAX_LISTED, openSketch } from './sketch.ts';

const visitor = (number: number): Buffer =>
  createHash('sha256').update(String(number)).digest().subarray(0, 8);

test('few visitors are counted exactly, however often and in whichever order they come', () => {
  const [one, two] = [openSketch(null), openSketch(null)];
  for (let number = 0; number < MAX_LISTED; number += 1) {
    one.add(visitor(number));
    one.add(visitor(number));
    two.add(visitor(MAX_LISTED - 1 - number));
  }
  expect(one.count()).toBe(MAX_LISTED);
  expect(one.bytes()).toEqual(two.bytes());
  const again = openSketch(one.bytes());
  again.add(visitor(3));
  expect(again.count()).toBe(MAX_LISTED);
});

test.each([1_500, 10_000, 200_000])(
  '%i visitors are estimated within 5%% in at most 4,097 bytes',
  (count) => {
    let sketch = openSketch(null);
    for (let number = 0; number < count; number += 1) {
      sketch.add(visitor(number));
      if (number % 700 === 0) sketch = openSketch(sketch.bytes());
    }
    expect(Math.abs(sketch.count() - count) / count).toBeLessThan(0.05);
    expect(sketch.bytes().length).toBeLessThanOrEqual(4_097);
    const before = sketch.count();
    for (let number = 0; number < count; number += 1) sketch.add(visitor(number));
    expect(sketch.count(), 'the same visitors again change nothing').toBe(before);
  },
);

test('bytes that are not a sketch are refused', () => {
  for (const bytes of [[], [2], [0, 1], [1, 1, 1]])
    expect(() => openSketch(Buffer.from(bytes))).toThrow(RangeError);
  expect(() => openSketch(null).add(Buffer.alloc(4))).toThrow(RangeError);
});
