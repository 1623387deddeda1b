import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batchLookups } from './batch.ts';

function counted(rows: Record<string, number>) {
  const loads: string[][] = [];
  const find = batchLookups(async (names) => {
    loads.push(names);
    return new Map(names.flatMap((name) => (name in rows ? [[name, rows[name]!] as const] : [])));
  });
  return { loads, find };
}

test('what is asked for in one turn is one query, each row once, and each asker gets its own', async () => {
  const { loads, find } = counted({ a: 1, b: 2 });
  expect(await Promise.all([find('a'), find('b'), find('a'), find('c')])).toEqual([1, 2, 1, undefined]);
  expect(loads).toEqual([['a', 'b', 'c']]);
});

test('no lookup is served by a query that started before it', async () => {
  const rows = { a: 1 };
  const { loads, find } = counted(rows);
  const first = find('a');
  await turn();
  await turn();
  expect(loads).toHaveLength(1);
  rows.a = 2;
  expect(await find('a')).toBe(2);
  expect(await first).toBe(1);
});

test('a query that fails fails for all who wait for it, and for nobody after them', async () => {
  let isDown = true;
  const find = batchLookups(async (names) => {
    if (isDown) throw new Error('down');
    return new Map(names.map((name) => [name, name]));
  });
  const results = await Promise.allSettled([find('a'), find('b')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect(await find('a')).toBe('a');
});
