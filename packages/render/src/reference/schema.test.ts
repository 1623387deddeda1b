import { expect, test } from 'vitest';
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
    const { description, isNullable, types, values } = read(at({ $ref: `#/components/schemas/${name}` }));
    expect({ description, isNullable, types }).toEqual({
      description: 'That of the page.',
      isNullable: true,
      types: ['string'],
    });
    expect(values).toHaveLength(2);
  }
});
