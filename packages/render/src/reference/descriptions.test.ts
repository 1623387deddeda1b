import { expect, test } from 'vitest';
import { createResolver } from './resolver.ts';
import { openSchemas } from './schema.ts';

const SCHEMAS = {
  Duration: { type: 'string', description: 'A number with a unit.' },
  Id: { type: 'string', description: 'Starts with `usr_`.' },
  Base: { type: 'object', description: 'What all have.', properties: { id: { type: 'string' } } },
  Times: { type: 'object', description: 'When it was changed.', properties: { at: { type: 'string' } } },
  Pet: {
    description: 'A pet.',
    allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { name: { type: 'string' } } }],
  },
};
const ref = (name: keyof typeof SCHEMAS) => ({ $ref: `#/components/schemas/${name}` });

function descriptions(value: object): readonly string[] {
  const read = () => ({ components: { schemas: SCHEMAS } });
  const { read: readSchema } = openSchemas(createResolver({ read, missing: () => {} }));
  return readSchema({ value, file: 'api.json', name: null }).descriptions;
}

test('all different descriptions of a value that is not an object are shown, the one beside allOf first', () => {
  expect(descriptions({ allOf: [ref('Duration'), { description: 'Time until it ends.' }] })).toEqual([
    'Time until it ends.',
    'A number with a unit.',
  ]);
  expect(descriptions({ description: 'The owner.', allOf: [ref('Id')] })).toEqual([
    'The owner.',
    'Starts with `usr_`.',
  ]);
  const two = { allOf: [{ type: 'string', description: 'One.' }, { description: 'Two.' }] };
  expect(descriptions(two)).toEqual(['One.', 'Two.']);
});

test('a description that another one contains is not repeated', () => {
  const parts = [{ type: 'string', description: 'The owner' }, { description: 'the  owner. At most 9.' }];
  expect(descriptions({ allOf: parts })).toEqual(['the  owner. At most 9.']);
  expect(descriptions({ description: 'The owner.', allOf: parts })).toEqual(['the  owner. At most 9.']);
  expect(descriptions({ description: 'The owner.', allOf: [parts[0]] })).toEqual(['The owner.']);
});

test('descriptions of the named schemas that an object extends are shown if it has none', () => {
  const own = { description: 'A user.', properties: { name: { type: 'string' } } };
  expect(descriptions({ allOf: [ref('Base'), own] })).toEqual(['A user.']);
  expect(descriptions({ description: 'One user.', allOf: [ref('Base'), own] })).toEqual([
    'One user.',
    'A user.',
  ]);
  expect(descriptions({ allOf: [ref('Base'), ref('Times')] })).toEqual([
    'What all have.',
    'When it was changed.',
  ]);
  expect(descriptions({ allOf: [ref('Pet'), ref('Times')] })).toEqual(['A pet.', 'When it was changed.']);
});

test('a description beside a reference replaces that of its target', () => {
  expect(descriptions({ ...ref('Id'), description: 'The owner.' })).toEqual(['The owner.']);
  expect(descriptions(ref('Pet'))).toEqual(['A pet.']);
});
