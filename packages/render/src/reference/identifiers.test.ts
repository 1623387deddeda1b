import { expect, test } from 'vitest';
import type { JsonObject } from '../config/json.ts';
import { resolveIdentifiers } from './identifiers.ts';
import { createResolver } from './resolver.ts';
import { openSchemas } from './schema.ts';
import { typeLabel } from './type-label.ts';

/** Labels of schemas, and references without a target. */
function read(schemas: JsonObject, files: Record<string, JsonObject> = {}, self: JsonObject = {}) {
  const all: Record<string, JsonObject> = { 'api.json': { ...self, components: { schemas } }, ...files };
  for (const document of Object.values(all)) resolveIdentifiers(document, JSON.stringify(document));
  const missing: string[] = [];
  const resolver = createResolver({
    read: (file) => all[file] ?? null,
    missing: (_, reference) => missing.push(reference),
  });
  const open = openSchemas(resolver);
  const at = (name: string) => ({ value: schemas[name], file: 'api.json', name });
  const schemaOf = (name: string) => open.read(at(name));
  const labels = Object.fromEntries(
    Object.keys(schemas).map((name) => [
      name,
      schemaOf(name).properties.map((one) => `${one.name}: ${typeLabel(one.schema, open)}`),
    ]),
  );
  return { labels, missing, schemaOf, open };
}

const NUMBER = { type: 'integer' };

test('references to identifiers of schemas find them', () => {
  const { labels, missing } = read({
    Anchor: { $anchor: 'amount', ...NUMBER },
    Id: { $id: 'https://example.com/schemas/price', ...NUMBER },
    Relative: { $id: 'Relative', ...NUMBER },
    Older: { $id: '#older', ...NUMBER },
    All: {
      properties: {
        anchor: { $ref: '#amount' },
        id: { $ref: 'https://example.com/schemas/price' },
        relative: { $ref: 'Relative' },
        older: { $ref: '#older' },
        gone: { $ref: '#gone' },
      },
    },
  });
  expect(labels.All).toEqual([
    'anchor: integer',
    'id: integer',
    'relative: integer',
    'older: integer',
    'gone: any',
  ]);
  expect(missing).toEqual(['#gone']);
});

test('a reference inside a schema with an identifier is relative to it, or to the file', () => {
  const { labels, missing } = read({
    Order: {
      $id: 'https://example.com/schemas/order',
      properties: {
        inner: { $ref: '#/$defs/a~1b' },
        anchor: { $ref: '#here' },
        sibling: { $ref: 'price' },
        part: { $ref: 'price#/properties/cents' },
        fromFile: { $ref: '#/components/schemas/Text' },
      },
      $defs: { 'a/b': NUMBER, here: { $anchor: 'here', type: 'boolean' } },
    },
    Price: { $id: 'https://example.com/schemas/price', type: 'object', properties: { cents: NUMBER } },
    Text: { type: 'string', $anchor: 'here' },
  });
  expect(labels.Order).toEqual([
    'inner: integer',
    'anchor: boolean',
    'sibling: object',
    'part: integer',
    'fromFile: string',
  ]);
  expect(missing).toEqual([]);
});

test('of two schemas with one identifier, references name the first, and those in both are followed', () => {
  const { labels, missing } = read({
    First: { $id: 'same', ...NUMBER },
    Second: {
      $id: 'same',
      properties: { named: { $ref: 'same' }, anchor: { $ref: '#own' } },
      $defs: { own: { $anchor: 'own', type: 'string' } },
    },
  });
  expect(labels.Second).toEqual(['named: integer', 'anchor: string']);
  expect(missing).toEqual([]);
});

test('a reference finds an anchor of another file, and the file by its own address', () => {
  const { labels, missing } = read(
    {
      All: {
        properties: {
          anchor: { $ref: 'parts.json#amount' },
          self: { $ref: 'https://example.com/api.json#/components/schemas/Text' },
        },
      },
      Text: { type: 'string' },
    },
    { 'parts.json': { 'a b': { $anchor: 'amount', ...NUMBER } } },
    { $self: 'https://example.com/api.json' },
  );
  expect(labels.All).toEqual(['anchor: integer', 'self: string']);
  expect(missing).toEqual([]);
});

test('names of properties and examples that look like identifiers are none', () => {
  const schemas = {
    All: {
      properties: { $id: { type: 'string' }, $anchor: { type: 'string' }, a: { $ref: 'x' } },
      example: { $id: 'x', $anchor: 'y', $ref: 'z' },
    },
  };
  const { labels, missing } = read(schemas, { x: { type: 'string' } });
  expect(labels.All).toEqual(['$id: string', '$anchor: string', 'a: string']);
  expect(schemas.All.example.$ref).toBe('z');
  expect(missing).toEqual([]);
});

test('a dynamic reference names what the outer schema puts in the place of its anchor', () => {
  const item = { $dynamicRef: '#item' };
  const { labels, missing } = read({
    User: { type: 'object', properties: { name: { type: 'string' } } },
    Page: {
      $id: 'page',
      type: 'object',
      properties: { items: { type: 'array', items: item }, total: NUMBER },
      $defs: { any: { $dynamicAnchor: 'item' } },
    },
    Numbers: { $id: 'numbers', $ref: 'page', $defs: { own: { $dynamicAnchor: 'item', ...NUMBER } } },
    Texts: {
      $id: 'texts',
      allOf: [{ $ref: 'page' }],
      properties: { cursor: { type: 'string' } },
      $defs: { own: { $dynamicAnchor: 'item', type: 'string' } },
    },
    Nested: { $id: 'nested', properties: { page: { $ref: 'page' } } },
  });
  expect(labels.Page).toEqual(['items: any[]', 'total: integer']);
  expect(labels.Numbers).toEqual(['items: integer[]', 'total: integer']);
  expect(labels.Texts).toEqual(['cursor: string', 'items: string[]', 'total: integer']);
  expect(labels.Nested).toEqual(['page: object']);
  expect(missing).toEqual([]);
});

test('a tree of an extended type contains that type', () => {
  const { schemaOf, open, missing } = read({
    Tree: {
      $id: 'tree',
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { children: { type: 'array', items: { $dynamicRef: '#node' } } },
    },
    Named: { $id: 'named', $dynamicAnchor: 'node', $ref: 'tree', properties: { label: { type: 'string' } } },
  });
  const children = schemaOf('Named').properties.find(({ name }) => name === 'children');
  const items = open.read(children!.schema).items;
  expect(open.read(items!).properties.map(({ name }) => name)).toEqual(['label', 'children']);
  expect(missing).toEqual([]);
});

test('identifiers that refer to each other in circles end', () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `S${at}`,
      {
        $id: `s${at}`,
        $dynamicAnchor: 'n',
        allOf: Array.from({ length: 30 }, (_, other) => ({ $ref: `s${other}` })),
        items: { $dynamicRef: '#n' },
      },
    ]),
  );
  expect(read(schemas).missing).toEqual([]);
});

test('the schema that nothing matches is never, the one that everything matches any', () => {
  expect(read({ All: { properties: { none: false, all: true } } }).labels.All).toEqual([
    'none: never',
    'all: any',
  ]);
});
