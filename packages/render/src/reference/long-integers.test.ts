import { describe, expect, test } from 'vitest';
import { isObject } from '../config/json.ts';
import { exampleOf } from './example.ts';
import { parseDescription } from './parse.ts';
import { createResolver } from './resolver.ts';
import { openSchemas } from './schema.ts';

const MAX = '9223372036854775807';
const json = `{"a": {"type": "integer", "maximum": ${MAX}, "minimum": -${MAX}, "default": ${MAX},
  "enum": [${MAX}, 1], "x": ${MAX}}, "b": 9007199254740991, "c": "text ${MAX}", "d": {"example": ${MAX}}}`;
const yaml = `a: {type: integer, maximum: ${MAX}, minimum: -${MAX}, default: ${MAX}, enum: [${MAX}, 1], x: ${MAX}}
b: 9007199254740991
c: text ${MAX}
d: {example: ${MAX}}
`;
const aliased = `${yaml}e: &e {maximum: ${MAX}}\nf: *e\n`;

/** An exact integer as a value that can be compared. */
const EXACT = { exact: MAX };

const read = (text: string, file: string): unknown => {
  const parsed = parseDescription(text, file);
  return 'document' in parsed ? plain(parsed.document) : parsed.fault;
};

const plain = (value: unknown): unknown => {
  if (JSON.isRawJSON(value)) return { exact: JSON.stringify(value) };
  if (Array.isArray(value)) return value.map(plain);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
    : value;
};

describe('integers above 2^53', () => {
  const expected = {
    a: {
      ...{ type: 'integer', maximum: MAX, minimum: `-${MAX}`, default: MAX, enum: [MAX, 1] },
      x: Number(MAX),
    },
    b: 9007199254740991,
    c: `text ${MAX}`,
    d: { example: EXACT },
  };

  test('of limits and values of schemas keep their digits in JSON and YAML', () => {
    expect(read(json, 'api.json')).toEqual(expected);
    expect(read(yaml, 'api.yaml')).toEqual(expected);
    const shared = { maximum: MAX };
    expect(read(aliased, 'api.yaml')).toEqual({ ...expected, e: shared, f: shared });
  });

  test('with too many digits are numbers', () => {
    expect(read(`{"maximum": ${'9'.repeat(500)}}`, 'api.json')).toEqual({
      maximum: Number.POSITIVE_INFINITY,
    });
  });

  test('leave other integers of YAML as they are', () => {
    expect(read(`[0o17, 0x1F, 007, -12, +3, 1_000, ${MAX}]`, 'api.yaml')).toEqual([
      ...[15, 31, 7, -12, 3, '1_000', Number(MAX)],
    ]);
  });

  test('of examples and other data keep their digits, and names of properties are not keywords', () => {
    const text = `{
      "content": {"example": {"id": ${MAX}, "list": [${MAX}, 1], "maximum": ${MAX}}},
      "examples": {"one": {"value": {"id": ${MAX}}}},
      "properties": {"example": {"type": "integer", "maximum": ${MAX}, "x": ${MAX}}},
      "items": {"enum": [${MAX}], "x": ${MAX}}}`;
    expect(read(text, 'api.json')).toEqual({
      content: { example: { id: EXACT, list: [EXACT, 1], maximum: EXACT } },
      examples: { one: { value: { id: EXACT } } },
      properties: { example: { type: 'integer', maximum: MAX, x: Number(MAX) } },
      items: { enum: [EXACT], x: Number(MAX) },
    });
  });

  test('are in examples with all digits', () => {
    const schemas = openSchemas(createResolver({ read: () => null, missing: () => {} }));
    const made = (schema: object): string =>
      JSON.stringify(
        exampleOf({ value: schema, file: 'api.json', name: null }, schemas, {
          ...{ direction: 'request', isComplete: true },
        }),
      );
    expect(made({ type: 'object', properties: { id: { type: 'integer', example: MAX } } })).toBe(
      `{"id":${MAX}}`,
    );
    expect(made({ type: 'integer', enum: [MAX, 1] })).toBe(MAX);
    expect(made({ type: 'string', example: MAX })).toBe(`"${MAX}"`);
    expect(made({ type: 'string', example: JSON.rawJSON(MAX) })).toBe(`"${MAX}"`);
    expect(made({ example: JSON.rawJSON(MAX) })).toBe(MAX);
    expect(made({ type: 'object', example: { id: JSON.rawJSON(MAX) } })).toBe(`{"id":${MAX}}`);
  });
});
