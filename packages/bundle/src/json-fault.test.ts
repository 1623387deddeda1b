import { expect, test } from 'vitest';
import { jsonFault } from './json-fault.ts';

const limits = { values: 10, depth: 3, textUnits: 200 };

test('depth and values are counted outside of texts only', () => {
  expect(jsonFault('[[[1]]]', limits)).toBeNull();
  expect(jsonFault('[[[[1]]]]', limits)).toMatchObject({ code: 'manifest_invalid' });
  expect(jsonFault('[{"a":[0]},{"b":[0]},{"c":[0]}]', limits)).toBeNull();
  expect(jsonFault(`["${'[{,'.repeat(50)}","\\"[[[[,,,,,,,,,,"]`, limits)).toBeNull();
  expect(jsonFault('["\\\\",[[[0]]]]', limits)).toMatchObject({ code: 'manifest_invalid' });
  expect(jsonFault('[0,0,0,0,0,0,0,0,0]', limits)).toBeNull();
  expect(jsonFault('[0,0,0,0,0,0,0,0,0,0]', limits)).toMatchObject({ code: 'too_large' });
});

test('a text may be so long', () => {
  expect(jsonFault(`"${'a'.repeat(199)}"`, limits)).toBeNull();
  expect(jsonFault(`"${'a'.repeat(201)}"`, limits)).toMatchObject({ code: 'too_large' });
});

test('invalid JSON is left to the parser', () => {
  for (const text of ['', '"', '"\\', ']]]][', '"[[[[[[']) expect(jsonFault(text, limits)).toBeNull();
});
