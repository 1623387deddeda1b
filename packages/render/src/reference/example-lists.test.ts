import { describe, expect, test } from 'vitest';
import { exampleOf } from './example.ts';
import { exampleValues } from './request/build.js';
import { requestForm } from './request/form.ts';
import { createResolver } from './resolver.ts';
import { openSchemas } from './schema.ts';

const open = () => openSchemas(createResolver({ read: () => null, missing: () => {} }));
const at = (value: unknown) => ({ value, file: 'api.json', name: null });
const sample = (schema: unknown): unknown =>
  structuredClone(exampleOf(at(schema), open(), { direction: 'request', isComplete: true }));

const list = (items: unknown, more: object = {}) => ({ type: 'array', items, ...more });
const three = { minItems: 3, uniqueItems: true };

describe('items of a list with uniqueItems differ', () => {
  test.each([
    [{ type: 'string' }, ['<string>', '<string2>', '<string3>']],
    [{ enum: ['a', 'b', 'c'] }, ['a', 'b', 'c']],
    [{ type: 'integer', minimum: 0, maximum: 2 }, [1, 2, 0]],
    [{ type: 'number', multipleOf: 0.5 }, [1.5, 2, 1]],
    [{ type: 'string', maxLength: 1 }, ['x', '2', '3']],
    [{ type: 'string', pattern: '^[a-z]{2}$' }, ['st', 'tr', 'ri']],
    [{ type: 'string', format: 'date' }, ['2026-01-15', '2026-01-12', '2026-01-13']],
    [{ type: 'string', format: 'email' }, ['user@example.com', 'user2@example.com', 'user3@example.com']],
    [{ type: 'object', properties: { id: { type: 'integer' } } }, [{ id: 1 }, { id: 2 }, { id: 0 }]],
    [list({ type: 'integer' }), [[1], [2], [0]]],
    // Two values are all.
    [{ type: 'boolean' }, [true, false]],
    [{ const: 'a' }, ['a']],
  ])('%j', (items, expected) => {
    expect(sample(list(items, three))).toEqual(expected);
  });

  test('and stay few and short', () => {
    let deep: object = list({ type: 'string' }, { minItems: 20, uniqueItems: true });
    for (let depth = 0; depth < 7; depth++) deep = list(deep, { minItems: 20, uniqueItems: true });
    expect(JSON.stringify(sample(deep)).length).toBeLessThan(10_000);
  });
});

describe('a list has an item for contains', () => {
  test('that matches items too', () => {
    const items = { type: 'object', properties: { kind: { type: 'string' }, id: { type: 'integer' } } };
    const contains = { properties: { kind: { const: 'owner' } } };
    expect(sample(list(items, { contains }))).toEqual([{ kind: 'owner', id: 1 }]);
    expect(sample(list(items, { contains, minItems: 2 }))).toEqual([
      { kind: 'owner', id: 1 },
      { kind: '<string>', id: 1 },
    ]);
  });

  test('as often as minContains says', () => {
    expect(sample({ type: 'array', contains: { type: 'integer' }, minContains: 2 })).toEqual([1, 1]);
    expect(sample({ type: 'array', contains: { type: 'integer' }, minContains: 0 })).toEqual([]);
  });
});

test('samples of requests have these lists', () => {
  const schema = list({ enum: ['a', 'b'] }, { minItems: 2, uniqueItems: true });
  const parameter = (name: string, isRequired: boolean) => ({
    ...{ name, in: 'query' as const, isRequired, deprecated: false, description: null, style: 'form' },
    ...{ explode: true, allowReserved: false, allowsEmpty: false, contentType: null },
    ...{ examples: [], remoteExamples: [] },
    schema: at(list({ type: 'integer' }, { minItems: 2, uniqueItems: true })),
  });
  const content = {
    ...{ type: 'application/json', itemSchema: null, examples: [], remoteExamples: [], encoding: {} },
    schema: at({ type: 'object', properties: { tags: schema } }),
  };
  const form = requestForm(
    {
      ...{ method: 'POST', path: '/x', servers: [], security: [] },
      parameters: [parameter('needed', true), parameter('optional', false)],
      body: { isRequired: true, description: null, contents: [content] },
    },
    open(),
  );
  const { parameters, body } = exampleValues(form, { onlyRequired: false });
  expect(parameters).toEqual({ 'query:needed': [1, 2], 'query:optional': [1, 2] });
  expect(body?.value).toEqual({ tags: ['a', 'b'] });
});

describe('values of a description in made examples', () => {
  test.each([
    [{ type: 'string', example: 12 }, '12'],
    [{ type: 'string', example: true }, 'true'],
    [{ type: 'integer', example: '12' }, 12],
    [{ type: 'boolean', example: 'true' }, true],
    [{ type: ['string', 'null'], example: null }, null],
    [{ type: 'integer', default: null }, 1],
    [list({ type: 'string' }, { example: 'TODO' }), ['<string>']],
    [{ type: 'string', example: ['a'] }, '<string>'],
    [{ type: 'string', enum: [1, 2] }, 1],
    [{ type: 'number', format: 'int64' }, 1],
  ])('%j', (schema, expected) => {
    expect(sample({ type: 'object', properties: { a: schema } })).toEqual({ a: expected });
  });
});

test('an optional object that requires the one around it is left out', () => {
  const file = 'api.json';
  const node: Record<string, unknown> = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      difference: {
        type: 'object',
        required: ['base'],
        properties: { base: { $ref: '#/components/schemas/Node' } },
      },
      others: list({ $ref: '#/components/schemas/Node' }),
    },
  };
  const document = { components: { schemas: { Node: node } } };
  const schemas = openSchemas(createResolver({ read: () => document, missing: () => {} }));
  const made = exampleOf({ value: { $ref: '#/components/schemas/Node' }, file, name: null }, schemas, {
    ...{ direction: 'response', isComplete: true },
  });
  expect(structuredClone(made)).toEqual({ name: '<string>', others: [] });
});

test('the last level of a deep example has its values, and no object lacks one that it requires', () => {
  let deep: object = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
  for (let depth = 0; depth < 8; depth++)
    deep = { type: 'object', properties: { inner: deep }, ...(depth === 3 ? {} : { required: ['inner'] }) };
  expect(JSON.stringify(sample(deep))).toBe(`${'{"inner":'.repeat(8)}{"name":"<string>"}${'}'.repeat(8)}`);
  const deeper = { type: 'object', properties: { id: { type: 'string' }, inner: deep } };
  expect(sample({ type: 'object', properties: { inner: deeper } })).toEqual({
    inner: { id: '<string>', inner: { inner: { inner: { inner: { inner: {} } } } } },
  });
});
