import { expect, test } from 'vitest';
import { tableOf } from './table.ts';

const CSV = 'text/csv; charset=utf-8';
const TSV = 'text/tab-separated-values';

test('objects are lines below the names of their members', () => {
  const rows = [
    { id: 1, name: 'a, "b"' },
    { id: JSON.rawJSON('9223372036854775807'), tags: ['x', 'y'], name: null },
  ];
  expect(tableOf(rows, CSV)).toBe('id,name,tags\n1,"a, ""b""",\n9223372036854775807,,"[""x"",""y""]"');
  expect(tableOf({ id: 1, text: 'a\tb\nc' }, TSV)).toBe('id\ttext\n1\ta b c');
});

test('lists are lines without names', () => {
  expect(
    tableOf(
      [
        [1, 'a'],
        ['b', true],
      ],
      TSV,
    ),
  ).toBe('1\ta\nb\ttrue');
  expect(tableOf(['a', 'b'], CSV)).toBe('a\nb');
});

test('leaves texts and other content types as they are', () => {
  expect(tableOf('id,name', CSV)).toBeNull();
  expect(tableOf([{ id: 1 }], 'application/json')).toBeNull();
  expect(tableOf(null, CSV)).toBeNull();
});
