import { DEFINITIONS, objectSchema } from './json-schema.ts';
import type { JsonSchema, Key } from './key.ts';
import { docsKeys } from './keys/index.ts';
import { nodeKeys, nodeLists } from './keys/navigation.ts';

/** Keys that editors suggest for the navigation itself; an entry has the other ones too. */
const OF_NAVIGATION: readonly string[] = [
  ...Object.keys(nodeLists),
  'pages',
  'global',
  'openapi',
  'directory',
];

/**
 * The JSON Schema of docs.json for editors, in draft-07, which the JSON language service of VS Code supports best. It
 * accepts what an export accepts without a warning about the shape of a value or the name of a key.
 */
export function docsJsonSchema(): JsonSchema {
  const lists = Object.keys(nodeLists).map((list) => {
    const isSuggested = ({ on }: Key<unknown>): boolean => on === undefined || on.includes(list);
    return [list, nodeSchema((_name, key) => isSuggested(key))] as const;
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'docs.json',
    description: 'Configuration of a documentation site for Offprint.',
    ...objectSchema(docsKeys),
    // With a $ref, the file that it names may have the required keys.
    if: { not: { required: ['$ref'] } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['name', 'navigation'] },
    definitions: {
      ...DEFINITIONS,
      node: objectSchema(nodeKeys),
      navigation: nodeSchema((name) => OF_NAVIGATION.includes(name)),
      ...Object.fromEntries(lists),
    },
  };
}

/** A node of the navigation: every key is accepted on each kind of node, and editors suggest those that have an effect. */
function nodeSchema(isSuggested: (name: string, key: Key<unknown>) => boolean): JsonSchema {
  const properties = Object.entries(nodeKeys).map(([name, key]) => {
    const reference = { $ref: `#/definitions/node/properties/${name}` };
    return [name, isSuggested(name, key) ? reference : { ...reference, doNotSuggest: true }] as const;
  });
  return {
    type: 'object',
    properties: { $ref: { $ref: '#/definitions/path' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  };
}
