import { expect, test } from 'vitest';
import { createResolver } from './resolver.ts';

const schema = { type: 'object', properties: { at: { type: 'string' } }, oneOf: [{ items: { not: {} } }] };
const document = {
  components: { schemas: { A: schema, items: schema, properties: schema } },
  definitions: { A: schema },
  Shared: schema,
  paths: { '/a': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } },
};
const resolver = createResolver({ read: () => document, missing: () => {} });

test.each([
  ['#/components/schemas/A', 'A'],
  ['#/components/schemas/items', 'items'],
  ['#/components/schemas/properties', 'properties'],
  ['#/definitions/A', 'A'],
  ['other.json#/Shared', 'Shared'],
  ['other.json', null],
  ['#/components/schemas/A/properties/at', null],
  ['#/components/schemas/A/oneOf/0', null],
  ['#/components/schemas/A/oneOf/0/items', null],
  ['#/components/schemas/A/oneOf/0/items/not', null],
  ['#/paths/~1a/get/responses/200/content/application~1json/schema', null],
])('a reference to %s has the name %j', ($ref, name) => {
  expect(resolver.resolve({ value: { $ref }, file: 'api.json', name: null })).toMatchObject({ name });
});
