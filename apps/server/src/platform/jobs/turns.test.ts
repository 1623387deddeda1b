import { expect, test } from 'vitest';
import { nextOwner } from './turns.ts';

const slots = (
  total: number,
  held: Record<string, number>,
  { turns = {}, isShared = false }: { turns?: Record<string, number>; isShared?: boolean } = {},
) => ({
  total,
  held: new Map(Object.entries(held)),
  turns: new Map(Object.entries(turns)),
  isShared,
});

test('the owner with the fewest active entries is next, of equal ones the one without a turn for the longest time', () => {
  const waiting = [
    { owner: 'a', active: 2 },
    { owner: 'b', active: 1 },
    { owner: 'c', active: 1 },
  ];
  expect(nextOwner(waiting, slots(4, { a: 2 }))).toBe('b');
  expect(nextOwner(waiting, slots(4, { a: 2 }, { turns: { b: 7, c: 6 } }))).toBe('c');
  expect(nextOwner([], slots(4, {}))).toBeNull();
});

test('an owner takes every slot of its own worker but not the last one of a shared one', () => {
  const waiting = [{ owner: 'a', active: 3 }];
  expect(nextOwner(waiting, slots(4, { a: 3 }))).toBe('a');
  expect(nextOwner(waiting, slots(4, { a: 3 }, { isShared: true }))).toBeNull();
  expect(nextOwner([...waiting, { owner: 'b', active: 9 }], slots(4, { a: 3 }, { isShared: true }))).toBe(
    'b',
  );
});

test('a shared worker with one slot gives it to the next owner', () => {
  expect(nextOwner([{ owner: 'a', active: 0 }], slots(1, {}, { isShared: true }))).toBe('a');
});
