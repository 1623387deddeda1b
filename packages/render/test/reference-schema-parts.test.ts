import { describe, expect, test } from 'vitest';
import { exampleOf } from '../src/reference/example.ts';
import { createResolver } from '../src/reference/resolver.ts';
import { openSchemas } from '../src/reference/schema.ts';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

const PAGE = 'api-reference/operation';

/** Renders one operation with a body of a schema, and other files of the docs folder. */
async function render(schema: unknown, schemas: object = {}, files: Record<string, string> = {}) {
  const content = { 'application/json': { schema } };
  return renderFiles({
    ...apiSite({
      openapi: '3.1.0',
      info: { title: 'API', version: '1' },
      paths: {
        '/things': { post: { summary: 'Operation', requestBody: { required: true, content } } },
      },
      components: { schemas },
    }),
    ...files,
  });
}

async function show(schema: unknown, schemas: object = {}, files: Record<string, string> = {}) {
  const output = await render(schema, schemas, files);
  return outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, '# Request body').slice(1);
}

/** The example of a schema. */
function sample(schema: unknown): unknown {
  const schemas = openSchemas(createResolver({ read: () => null, missing: () => {} }));
  const at = { value: schema, file: 'api.json', name: null };
  return structuredClone(exampleOf(at, schemas, { direction: 'request', isComplete: true }));
}

const text = { type: 'string' };

describe('what two parts of allOf say of the same', () => {
  const page = { type: 'object', properties: { list: { type: 'array', items: { type: 'object' } } } };
  const pin = { type: 'object', properties: { id: text } };
  const own = (items: unknown) => ({ properties: { list: { items } } });

  test('items of an array count together', async () => {
    const shown = await show({ allOf: [page, own({ $ref: '#/components/schemas/Pin' })] }, { Pin: pin });
    expect(shown).toEqual(['list · object[]', '  > child attributes', '    id · string']);
  });

  test('values of a map count together', async () => {
    const map = (additionalProperties: unknown) => ({ type: 'object', additionalProperties });
    const shown = await show({
      type: 'object',
      properties: { map: { allOf: [map({ type: 'object' }), map(pin)] } },
    });
    expect(shown).toEqual(['map · map of object', '  > child attributes', '    id · string']);
  });

  test('items count together if only one part, in another file, has references', async () => {
    const shown = await show(
      { allOf: [{ $ref: 'page.json' }, own({ $ref: '#/components/schemas/Pin' })] },
      { Pin: pin },
      { 'page.json': JSON.stringify(page) },
    );
    expect(shown).toEqual(['list · object[]', '  > child attributes', '    id · string']);
  });
});

describe('alternatives that only require properties', () => {
  const point = (more: object) => ({
    type: 'object',
    properties: { v4: text, v6: text, zone: text, name: text },
    ...more,
  });
  const oneOf = [{ required: ['v4'] }, { required: ['v6', 'zone'] }];

  test('are listed', async () => {
    expect((await show(point({ oneOf })))[0]).toBe('One of (required): v4, v6 + zone');
    expect((await show(point({ anyOf: oneOf })))[0]).toBe('Any of (required): v4, v6 + zone');
  });

  test('are listed for the items of an array', async () => {
    const shown = await show({
      type: 'object',
      properties: { list: { type: 'array', items: point({ oneOf }) } },
    });
    expect(shown.slice(0, 2)).toEqual(['list · object[]', '  One of (required): v4, v6 + zone']);
  });

  test('have one of them in an example of oneOf, and all in one of anyOf', async () => {
    expect(sample(point({ oneOf }))).toEqual({ v4: '<string>', name: '<string>' });
    expect(sample(point({ anyOf: oneOf }))).toEqual({
      v4: '<string>',
      v6: '<string>',
      zone: '<string>',
      name: '<string>',
    });
  });

  test('keep what the object itself requires', async () => {
    expect(
      sample(point({ oneOf: [{ required: ['v4'] }, { required: ['v6', 'name'] }], required: ['name'] })),
    ).toEqual({
      v4: '<string>',
      zone: '<string>',
      name: '<string>',
    });
  });
});

test('an example has at most maxProperties, required ones first', async () => {
  const schema = { type: 'object', properties: { a: text, b: text, c: text }, required: ['c'] };
  expect(sample({ ...schema, maxProperties: 2 })).toEqual({ a: '<string>', c: '<string>' });
  expect(sample({ ...schema, maxProperties: 1 })).toEqual({ c: '<string>' });
});

test('limits of lists in lists and of maps of objects name the level that they limit', async () => {
  const position = { type: 'array', minItems: 2, items: { type: 'number', minimum: -180 } };
  const named = { type: 'object', properties: { name: text }, additionalProperties: false };
  const shown = await show({
    type: 'object',
    properties: {
      ring: { type: 'array', minItems: 4, items: position },
      rings: { type: 'array', items: { type: 'array', items: position } },
      map: { type: 'object', maxProperties: 9, additionalProperties: named },
      list: { type: 'array', maxItems: 9, items: named },
    },
  });
  expect(shown).toEqual([
    'ring · number[][]',
    '  Range: 4 <= items',
    '  [*] Range: 2 <= items',
    '  Range: -180 <= x',
    'rings · number[][][]',
    '  [*][*] Range: 2 <= items',
    '  Range: -180 <= x',
    'map · map of object',
    '  Range: properties <= 9',
    '  .* Other properties are not allowed.',
    '  > child attributes',
    '    name · string',
    'list · object[]',
    '  Range: items <= 9',
    '  Other properties are not allowed.',
    '  > child attributes',
    '    name · string',
  ]);
});

describe('a made example', () => {
  test.each([
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1 }, 1],
    [{ type: 'number', exclusiveMaximum: 0 }, -1],
    [{ type: 'number', minimum: 0.25, maximum: 0.35, multipleOf: 0.1 }, 0.3],
    [{ type: 'integer', minimum: 1.5 }, 2],
    [{ type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 3 }, 2],
    [{ type: 'integer', maximum: 7, minimum: 5, multipleOf: 3 }, 6],
    [{ type: 'integer', multipleOf: 0.5 }, 1],
  ])('is a number that the limits allow: %j', (schema, expected) => {
    expect(sample(schema)).toBe(expected);
  });

  test('has each required property, also one of any type', () => {
    const properties = { value: {}, other: {}, none: { nullable: true } };
    expect(sample({ type: 'object', required: ['value', 'none'], properties })).toEqual({
      ...{ value: '<any>', none: null },
    });
  });

  test('has not all properties that a value must not have together', () => {
    const properties = { a: text, b: text, c: text };
    const not = { required: ['a', 'b'] };
    expect(sample({ type: 'object', properties, not })).toEqual({ b: '<string>', c: '<string>' });
    expect(sample({ type: 'object', required: ['a'], properties, not })).toEqual({
      ...{ a: '<string>', c: '<string>' },
    });
  });

  test.each([
    [{ minItems: 3 }, ['<string>', '<string>', '<string>']],
    [{ minItems: 0, maxItems: 0 }, []],
    [{ minItems: 2, uniqueItems: true }, ['<string>', '<string2>']],
    [{ minItems: 3, prefixItems: [{ type: 'integer' }] }, [1, '<string>', '<string>']],
    [{ prefixItems: [{ type: 'integer' }] }, [1]],
    [{ minItems: 1e9 }, Array.from({ length: 20 }, () => '<string>')],
  ])('is a list with as many items as it needs: %j', (schema, expected) => {
    expect(sample({ type: 'array', items: text, ...schema })).toEqual(expected);
  });
});

describe('conditions', () => {
  test('of if, then and else show what applies', async () => {
    const shown = await show({
      type: 'object',
      properties: { country: text, zip: text },
      if: { properties: { country: { const: 'US' } } },
      ...JSON.parse('{"then": {"properties": {"zip": {"pattern": "^[0-9]{5}$"}}, "required": ["zip"]}}'),
      else: { properties: { state: { type: 'string', description: 'Outside.' } } },
    });
    expect(shown).toEqual([
      'country · string',
      'zip · string',
      'if: {"properties":{"country":{"const":"US"}}}',
      '[then]',
      '  zip · any · required',
      '    Pattern: ^[0-9]{5}$',
      '[else]',
      '  state · string',
      '    Outside.',
    ]);
  });

  test('of properties that depend on others are shown', async () => {
    const shown = await show({
      type: 'object',
      properties: { card: text },
      dependentRequired: { card: ['zip'] },
      dependentSchemas: { card: { properties: { cvc: text } } },
    });
    expect(shown).toEqual([
      'dependentRequired: {"card":["zip"]}',
      'card · string',
      'dependentSchemas:',
      '[card]',
      '  cvc · string',
    ]);
  });

  test('of names and items are shown', async () => {
    expect(
      await show({
        type: 'object',
        properties: {
          map: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
          list: { type: 'array', contains: { const: 'x' } },
        },
      }),
    ).toEqual([
      'map · object',
      '  propertyNames: {"pattern":"^[a-z]+$"}',
      'list · array',
      '  contains: {"const":"x"}',
    ]);
  });

  test('without anything that applies are left out', async () => {
    expect(await show({ type: 'object', properties: { a: text }, if: { required: ['a'] } })).toEqual([
      'a · string',
    ]);
  });
});

test('what a text contains is shown as the fields of its schema', async () => {
  const contentSchema = { type: 'object', properties: { delta: text } };
  expect(
    await show({
      type: 'object',
      properties: { data: { type: 'string', contentMediaType: 'application/json', contentSchema } },
    }),
  ).toEqual([
    'data · string',
    '  Content type: application/json',
    '  > child attributes',
    '    delta · string',
  ]);
});

test('an object with patterns of names says if other names are not allowed', async () => {
  const patternProperties = { '^x-': text };
  expect(
    await show({
      type: 'object',
      properties: { p: { type: 'object', patternProperties, additionalProperties: false } },
    }),
  ).toEqual([
    'p · object',
    '  Other properties are not allowed.',
    '  > child attributes',
    '    /^x-/ · string',
  ]);
});

describe('discriminators', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const kinds = (more: object = {}) => ({
    Pet: {
      type: 'object',
      properties: { kind: text, name: text },
      discriminator: { propertyName: 'kind', ...more },
    },
    Cat: { allOf: [ref('Pet'), { type: 'object', properties: { meow: text } }] },
    Dog: { title: 'A dog', properties: { bark: text }, allOf: [ref('Pet')] },
    Puppy: { allOf: [ref('Dog'), { properties: { age: { type: 'integer' } } }] },
  });

  test('schemas that extend a schema are its alternatives, with what they add', async () => {
    const mapping = { cat: 'Cat', kitten: ref('Cat').$ref, dog_v1: 'Dog' };
    expect(await show(ref('Pet'), kinds({ mapping }))).toEqual([
      'kind · string',
      'name · string',
      'One of (kind):',
      '[cat]',
      '  kind = cat, kitten',
      '  meow · string',
      '[A dog]',
      '  kind = dog_v1',
      '  bark · string',
      '[Puppy]',
      '  bark · string',
      '  kind · string',
      '    Example: Puppy',
      '  name · string',
      '  age · integer',
    ]);
  });

  test('the alternative of defaultMapping is marked, in a list and among schemas that extend a schema', async () => {
    const schemas = { A: { type: 'object', properties: { a: text, b: kinds() } }, B: { type: 'object' } };
    const mapping = { mapping: { a: 'A' }, defaultMapping: 'B' };
    const shown = await show(
      { oneOf: [ref('A'), ref('B')], discriminator: { propertyName: 'kind', ...mapping } },
      schemas,
    );
    expect(shown.filter((line) => line.includes(' = '))).toEqual(['  kind = B, default']);
    const extended = await show(ref('Pet'), kinds({ defaultMapping: '#/components/schemas/Dog' }));
    expect(extended.filter((line) => line.includes(' = '))).toEqual(['  kind = Dog, default']);
  });

  test('they are found without a mapping, and behind a description of the place', async () => {
    const shown = await show(
      { type: 'object', properties: { pet: { description: 'One.', allOf: [ref('Pet')] } } },
      kinds(),
    );
    expect(shown.filter((line) => line.includes('['))).toEqual(['    [Cat]', '    [A dog]', '    [Puppy]']);
  });

  test('a schema that extends another one has no alternatives itself', async () => {
    const own = ['kind · string', '  Example: Cat', 'name · string'];
    expect(await show(ref('Cat'), kinds())).toEqual([...own, 'meow · string']);
    const alias = { ...kinds(), Cat: { allOf: [ref('Pet')] } };
    expect(await show(ref('Cat'), alias)).toEqual(own);
  });

  test('an alternative with a title shows the value that chooses it, unless its property does', async () => {
    const schemas = {
      A: { title: 'First', type: 'object', properties: { kind: text } },
      B: { title: 'Second', type: 'object', properties: { kind: { const: 'b' } } },
    };
    const mapping = { a: 'A', b: 'B' };
    const shown = await show(
      { oneOf: [ref('A'), ref('B')], discriminator: { propertyName: 'kind', mapping } },
      schemas,
    );
    expect(shown.filter((line) => line.includes(' = '))).toEqual(['  kind = a']);
  });

  test('of a thousand schemas that extend each other, some are shown', async () => {
    const levels = Array.from({ length: 1_000 }, (_, at) => [
      `L${at}`,
      {
        allOf: Array.from({ length: 5 }, (_, one) => ref(`L${Math.max(0, at - one)}`)),
        discriminator: { propertyName: 'kind' },
      },
    ]);
    const tabs = (await show(ref('L0'), Object.fromEntries(levels))).filter((line) => line.startsWith('['));
    expect(tabs.length).toBeGreaterThan(5);
    expect(tabs.length).toBeLessThan(110);
  });

  test('the made example has the value of an alternative that names the property without a value', async () => {
    const pet = (kind: object) => ({ type: 'object', properties: { kind, name: text } });
    const list = {
      oneOf: [ref('A'), ref('B')],
      discriminator: { propertyName: 'kind', mapping: { a: 'A' } },
    };
    const made = async (kind: object) =>
      textOf(await render(list, { A: pet(kind), B: pet(text) }), `${PAGE}.md`);
    expect(await made(text)).toMatch(/"kind": ?"a"/);
    expect(await made({ type: 'string', example: 'own' })).toMatch(/"kind": ?"own"/);
  });

  test('the made example has the value of the first alternative', async () => {
    const output = await render(ref('Pet'), kinds({ mapping: { cat: 'Cat' } }));
    const page = textOf(output, `${PAGE}.md`);
    expect(page).toMatch(/"kind": ?"cat"/);
    expect(page).toMatch(/"meow"/);
  });
});
