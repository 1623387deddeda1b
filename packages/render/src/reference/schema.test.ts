import { describe, expect, test } from 'vitest';
import { createResolver } from './resolver.ts';
import { openSchemas } from './schema.ts';

const open = () => openSchemas(createResolver({ read: () => null, missing: () => {} }));
const at = (value: unknown) => ({ value, file: 'api.json', name: null });

test('forgets the schemas of earlier pages when they are many, and reads the same of them again', () => {
  const schemas = open();
  const shared = at({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] });
  const first = schemas.read(shared);
  schemas.trim();
  expect(schemas.read(shared)).toBe(first);
  for (let count = 0; count < 50_000; count++) schemas.read(at({ type: 'integer' }));
  expect(schemas.read(shared)).toBe(first);
  schemas.trim();
  expect(schemas.read(shared)).not.toBe(first);
  expect(schemas.read(shared)).toEqual(first);
});

test('what a schema says beside its own reference counts for those that refer to it', () => {
  const schemas = {
    Locale: { type: 'string', description: 'Any locale.', enum: ['en', 'fr'] },
    Preset: {
      $ref: '#/components/schemas/Locale',
      type: ['string', 'null'],
      description: 'That of the page.',
    },
    Alias: { $ref: '#/components/schemas/Preset' },
  };
  const read = openSchemas(
    createResolver({ read: () => ({ components: { schemas } }), missing: () => {} }),
  ).read;
  for (const name of ['Preset', 'Alias']) {
    const { descriptions, isNullable, types, values } = read(at({ $ref: `#/components/schemas/${name}` }));
    expect({ descriptions, isNullable, types }).toEqual({
      descriptions: ['That of the page.'],
      isNullable: true,
      types: ['string'],
    });
    expect(values).toHaveLength(2);
  }
});

describe('limits of several parts', () => {
  const limits = (...allOf: object[]) => {
    const { limits: known, rules, types, conflicts } = open().read(at({ allOf }));
    return { ...Object.fromEntries(known), rules, types, conflicts };
  };
  const rest = { rules: [], types: ['number'], conflicts: [] };

  test('the narrower type counts', () => {
    expect(limits({ type: 'number' }, { type: 'integer' })).toEqual({ ...rest, types: ['integer'] });
    expect(limits({ type: 'integer' }, { type: 'number' })).toEqual({ ...rest, types: ['integer'] });
    expect(limits({ type: ['string', 'number'] }, { type: ['integer', 'boolean'] })).toEqual({
      ...rest,
      types: ['integer'],
    });
    expect(limits({ type: 'string' }, { type: 'integer' })).toMatchObject({ conflicts: ['type'] });
  });

  test('a multiple of two numbers is a multiple of both', () => {
    const numbers = (...list: number[]) =>
      limits(...list.map((multipleOf) => ({ type: 'number', multipleOf })));
    expect(numbers(4, 6)).toEqual({ ...rest, multipleOf: '12' });
    expect(numbers(0.5, 2)).toEqual({ ...rest, multipleOf: '2' });
    expect(numbers(2, 0.4)).toEqual({ ...rest, multipleOf: '2' });
    expect(numbers(0.3, 0.7)).toEqual({ ...rest, multipleOf: '0.3', rules: [['multipleOf', 0.7]] });
  });

  test('every pattern counts', () => {
    const string = { type: 'string' };
    const patterns = ['^a', 'b$', '^a'].map((pattern) => ({ ...string, pattern }));
    expect(limits(...patterns)).toEqual({
      ...{ ...rest, types: ['string'] },
      pattern: '^a',
      rules: [['pattern', 'b$']],
    });
  });

  test('of an inclusive and an exclusive limit, the stricter one counts', () => {
    const number = { type: 'number' };
    const both = { minimum: 5, exclusiveMinimum: 0, maximum: 9, exclusiveMaximum: 9 };
    expect(limits({ ...number, ...both })).toEqual({ ...rest, minimum: '5', exclusiveMaximum: '9' });
    expect(limits({ ...number, minimum: 5 }, { exclusiveMinimum: 5 })).toEqual({
      ...rest,
      exclusiveMinimum: '5',
    });
    // The flags of OpenAPI 3.0 apply to the limit beside them.
    expect(limits({ ...number, minimum: 0, exclusiveMinimum: true }, { minimum: 3 })).toEqual({
      ...rest,
      minimum: '3',
    });
  });
});

test('a schema whose only value is null has the type null', () => {
  for (const value of [{ const: null }, { enum: [null] }, { nullable: true, enum: [null] }]) {
    const { types, isNullable, values } = open().read(at(value));
    expect({ types, isNullable, values }).toEqual({ types: ['null'], isNullable: true, values: [] });
  }
});
