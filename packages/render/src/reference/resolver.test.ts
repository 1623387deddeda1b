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
  ['other.json', 'other'],
  ['#/components/schemas/A/properties/at', null],
  ['#/components/schemas/A/oneOf/0', null],
  ['#/components/schemas/A/oneOf/0/items', null],
  ['#/components/schemas/A/oneOf/0/items/not', null],
  ['#/paths/~1a/get/responses/200/content/application~1json/schema', null],
])('a reference to %s has the name %j', ($ref, name) => {
  expect(resolver.resolve({ value: { $ref }, file: 'api.json', name: null })).toMatchObject({ name });
});

test('a reference leads through a reference to a file with all schemas', () => {
  const files: Record<string, object> = {
    'api.json': { components: { schemas: { $ref: 'parts/schemas.json' } } },
    'parts/schemas.json': { Pet: schema, Loop: { $ref: '#/Loop/a' } },
  };
  const missing: string[] = [];
  const { resolve } = createResolver({
    read: (file) => (files[file] as never) ?? null,
    missing: (_, reference) => missing.push(reference),
  });
  const find = (name: string) =>
    resolve({ value: { $ref: `#/components/schemas/${name}` }, file: 'api.json', name: null });
  expect(find('Pet')).toEqual({ value: schema, file: 'parts/schemas.json', name: 'Pet' });
  expect(missing).toEqual([]);
  expect(find('Gone')).toBeNull();
  expect(missing).toEqual(['#/components/schemas/Gone']);
  expect(find('Loop')).toBeNull();
});

test('a reference to the identifier of a file leads to it, if the files have the places of their identifiers', () => {
  const at = 'https://example.com/schemas/';
  const files: Record<string, object> = {
    'schemas/pet.json': { $id: `${at}pet.json` },
    'schemas/people/owner.json': { $id: `${at}people/owner.json#`, $defs: { Name: schema } },
    'schemas/people/other.json': { $id: `${at}elsewhere/other.json` },
    'api.json': { openapi: '3.1.0' },
  };
  const missing: string[] = [];
  const { resolve } = createResolver({
    read: (file) => (files[file] as never) ?? null,
    missing: (file, reference) => missing.push(`${file} ${reference}`),
  });
  const find = (file: string, $ref: string) => resolve({ value: { $ref }, file, name: null })?.file;
  expect(find('schemas/pet.json', `${at}people/owner.json#/$defs/Name`)).toBe('schemas/people/owner.json');
  expect(find('schemas/people/owner.json', `${at}pet.json`)).toBe('schemas/pet.json');
  expect(missing).toEqual([]);
  const refused = [
    ['schemas/pet.json', `${at}people/other.json`],
    ['schemas/pet.json', `${at}../../../etc/passwd`],
    ['schemas/pet.json', 'https://other.example.com/schemas/people/owner.json'],
    ['api.json', `${at}pet.json`],
  ] as const;
  for (const [file, $ref] of refused) expect(find(file, $ref)).toBeUndefined();
  expect(missing).toEqual(refused.map((one) => one.join(' ')));
});

test('references that lead through many others end', () => {
  let reads = 0;
  const levels = Array.from({ length: 40 }, (_, level) => [
    `l${level}`,
    { k: { $ref: `#/l${level + 1}${'/k'.repeat(900)}` } },
  ]);
  const deep = Object.fromEntries(levels);
  const { resolve } = createResolver({
    read: () => {
      reads++;
      return deep;
    },
    missing: () => {},
  });
  expect(resolve({ value: { $ref: `#/l0${'/k'.repeat(900)}` }, file: 'api.json', name: null })).toBeNull();
  expect(reads).toBeLessThan(100);
});
