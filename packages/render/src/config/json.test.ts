import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceError, type Warning } from '../warning.ts';
import { findJsonError, parseJson } from './json.ts';
import { placeOf } from './place.ts';

describe('JSON with places', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.boolean(), (text, isIndented) => {
        const written = isIndented ? JSON.stringify(JSON.parse(text), null, 2) : text;
        const expected: unknown = JSON.parse(written, (key, value: unknown) =>
          key === '__proto__' ? undefined : value,
        );
        expect(JSON.stringify(parseJson(written, 'x.json'))).toBe(JSON.stringify(expected));
      }),
      { numRuns: 1000 },
    );
  });

  test('refuses what JSON.parse refuses, with a SourceError', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:0123-.eE tfn\\u\n/*\'a'), maxLength: 30 });
    fc.assert(
      fc.property(noise, (text) => {
        let isValid = true;
        try {
          JSON.parse(text);
        } catch {
          isValid = false;
        }
        if (isValid) parseJson(text, 'x.json');
        else expect(() => parseJson(text, 'x.json')).toThrow(SourceError);
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['', 1, 'empty'],
    ['{\n  "a": 1,\n}', 2, 'Trailing comma before "}". Remove the comma. (column 9)'],
    ['{\n  "a": [1,\n 2,]\n}', 3, 'Trailing comma'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 'Missing comma before "b". (column 3)'],
    ['["a" ""]', 1, 'Missing comma before a quote. (column 6)'],
    ['{ // note\n }', 1, 'does not allow comments'],
    ["{'a': 1}", 1, 'double quotes'],
    ['{a: 1}', 1, 'double quotes'],
    ['{"a" 1}', 1, 'Missing colon after the key "a"'],
    ['{\n"a": {\n"b": 1\n', 4, 'The file ends before "{" from line 2 is closed'],
    ['{"a": "x', 1, 'not closed'],
    ['{"a": "x\n"}', 1, 'line break'],
    ['{"a": "\\x"}', 1, 'escape'],
    ['{} {}', 1, 'after the end'],
    ['{"a": undefined}', 1, 'Unexpected "undefined"'],
  ])('names line, column and way out of %j', (text, line, message) => {
    const parse = () => parseJson(text, 'docs.json');
    expect(parse).toThrow(expect.objectContaining({ file: 'docs.json', line, code: 'invalid-json' }));
    expect(parse).toThrow(message);
  });

  test('keeps the line of every member', () => {
    const value = parseJson('{\n"a": [\n1,\n{ "b": 2,\n"c":\n3 }\n]\n}', 'x.json') as { a: unknown[] };
    expect(placeOf(value, 'a')).toEqual({ file: 'x.json', line: 2 });
    expect(placeOf(value.a, 0)?.line).toBe(3);
    expect(placeOf(value.a, 1)?.line).toBe(4);
    expect(placeOf(value.a[1], 'c')?.line).toBe(6);
    expect(placeOf(value.a[1])?.line).toBe(4);
    expect(placeOf({})).toBeNull();
  });

  test('of a repeated key the last one counts, with a warning at its line', () => {
    const warnings: Warning[] = [];
    const value = parseJson('{\n"a": 1,\n"b": 2,\n"a": [3]\n}', 'x.json', (warning) =>
      warnings.push(warning),
    );
    expect(value).toEqual({ a: [3], b: 2 });
    expect(placeOf(value, 'a')?.line).toBe(4);
    expect(warnings).toMatchObject([{ file: 'x.json', line: 4, code: 'config-duplicate-key' }]);
  });

  test('drops __proto__ and pollutes nothing', () => {
    const value = parseJson('{"__proto__": {"polluted": 1}, "constructor": 2, "a": 3}', 'x.json');
    expect(Object.keys(value as object)).toEqual(['constructor', 'a']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((value as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('nesting of any depth and five million characters take no stack and linear time', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(parseJson(deep, 'x.json')).toHaveLength(1);
    expect(() => parseJson('{"a":'.repeat(100_000), 'x.json')).toThrow(SourceError);
    const wide = JSON.stringify(
      Array.from({ length: 100_000 }, (_, index) => `guides/section/page-number-${index}-of-many`),
    );
    expect(parseJson(wide, 'x.json')).toHaveLength(100_000);
  });
});

test.each([
  ['{"a": "b', true],
  ['{"a": [1, ', true],
  ['{"a": tru', true],
  ['{"a"', true],
  ['{"a": -\n', true],
  ['{"a": x}', false],
  ['{"a": 1 "b": 2}', false],
  ['{"a": 1}}', false],
])('the first error of %j says whether the text ends early: %s', (text, endsEarly) => {
  expect(findJsonError(text)).toMatchObject({ line: 1, endsEarly });
});

test('JSON has no error', () => {
  expect(findJsonError('{"a": [1, true, null, "\\u00e9"]}')).toBeNull();
});
