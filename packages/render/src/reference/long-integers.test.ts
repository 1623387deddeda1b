import { describe, expect, test } from 'vitest';
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

const read = (text: string, file: string): unknown => {
  const parsed = parseDescription(text, file);
  return 'document' in parsed ? structuredClone(parsed.document) : parsed.fault;
};

describe('integers above 2^53', () => {
  const expected = {
    a: {
      ...{ type: 'integer', maximum: MAX, minimum: `-${MAX}`, default: MAX, enum: [MAX, 1] },
      x: Number(MAX),
    },
    b: 9007199254740991,
    c: `text ${MAX}`,
    d: { example: Number(MAX) },
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
  });
});
