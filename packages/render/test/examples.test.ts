import { describe, expect, test } from 'vitest';
import { checkSite, openPreview } from '../src/index.ts';
import { matchSchema } from '../src/reference/examples/match.ts';
import { createResolver } from '../src/reference/resolver.ts';
import { openSchemas } from '../src/reference/schema.ts';
import { memorySource } from '../src/source.ts';
import type { Warning } from '../src/warning.ts';
import { renderFiles } from './output.ts';

type Json = Record<string, unknown>;

/** The site of one description. */
const siteOf = (file: string, content: string, key = 'openapi'): Record<string, string> => ({
  'docs.json': JSON.stringify({
    name: 'Site',
    theme: 'mint',
    colors: { primary: '#166e3f' },
    navigation: {
      groups: [
        { group: 'Start', pages: ['index'] },
        { group: 'API', [key]: file },
      ],
    },
  }),
  'index.mdx': '---\ntitle: Start\n---\n\nText\n',
  [file]: content,
});

const isAboutExample = ({ code }: Warning): boolean => code === 'description-example';

function reported(files: Record<string, string>): Warning[] {
  return checkSite(memorySource(files)).findings.filter(isAboutExample);
}

/** `line: what is wrong`, of a file with the description. */
const errors = (file: string, content: string, key?: string): string[] =>
  reported(siteOf(file, content, key)).map(
    ({ line, message }) =>
      `${line}: ${message.replace('This example does not match its schema: ', '').replace(' Correct the example or the schema.', '')}`,
  );

const operation = (written: Json, schemas: Json = {}, openapi = '3.1.0'): Json => ({
  openapi,
  info: { title: 'API', version: '1' },
  paths: { '/things': { post: { summary: 'Operation', ...written } } },
  components: { schemas },
});
const media = (content: Json): Json => ({ content: { 'application/json': content } });
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** What a response with one example has as error, without its line. */
function errorOf(schema: unknown, example: unknown, schemas: Json = {}, openapi = '3.1.0'): string | null {
  const description = operation(
    { responses: { 200: { description: 'Done.', ...media({ schema, example }) } } },
    schemas,
    openapi,
  );
  const [error, ...more] = errors('api.json', JSON.stringify(description, null, 1));
  expect(more).toEqual([]);
  return error?.replace(/^\d+: /, '') ?? null;
}

const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });
const text = { type: 'string' };

describe('an example that does not match its schema', () => {
  test.each<[string, unknown, unknown, string]>([
    ['a type', text, 5, 'it must be a string, not an integer.'],
    ['several types', { type: ['string', 'null'] }, true, 'it must be a string or null, not a boolean.'],
    ['a whole number', { type: 'integer' }, 1.5, 'it must be an integer, not a number.'],
    ['an allowed value', { enum: ['a', 'b'] }, 'c', 'it must be one of "a", "b".'],
    ['many allowed values', { enum: [1, 2, 3, 4, 5, 6] }, 7, 'it must be one of 1, 2, 3, 4, 5 or 1 others.'],
    ['a constant', { const: 'a' }, 'b', 'it must be "a".'],
    ['a minimum', { minimum: 2 }, 1, 'it must be at least 2.'],
    ['an exclusive maximum', { exclusiveMaximum: 2 }, 2, 'it must be less than 2.'],
    [
      'an exclusive minimum of OpenAPI 3.0',
      { minimum: 2, exclusiveMinimum: true },
      2,
      'it must be greater than 2.',
    ],
    ['a multiple', { multipleOf: 0.1 }, 0.25, 'it must be a multiple of 0.1.'],
    ['a length', { ...text, maxLength: 2 }, 'abc', 'it must have at most 2 characters.'],
    ['a number of items', { type: 'array', minItems: 1 }, [], 'it must have 1 or more items.'],
    [
      'different items',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'it must not have an item twice.',
    ],
    ['an item', { items: text }, ['a', 1], '"[1]" must be a string, not an integer.'],
    [
      'an item of a tuple',
      { prefixItems: [text, { type: 'integer' }] },
      ['a', 'b'],
      '"[1]" must be an integer, not a string.',
    ],
    ['a number of properties', { maxProperties: 1 }, { a: 1, b: 2 }, 'it must have at most 1 properties.'],
    [
      'a property',
      object({ a: object({ 'b.c': text }) }),
      { a: { 'b.c': 1 } },
      '"a[b.c]" must be a string, not an integer.',
    ],
    ['a required property', { required: ['a'] }, {}, 'it must have the property "a".'],
    [
      'a property that another one requires',
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      'it must have the property "b".',
    ],
    [
      'no other property',
      object({ a: text }, { additionalProperties: false }),
      { b: 1 },
      'it must not have the property "b".',
    ],
    ['other properties', { additionalProperties: text }, { b: 1 }, '"b" must be a string, not an integer.'],
    [
      'a part of allOf',
      { allOf: [object({ a: text }), { required: ['b'] }] },
      { a: 'x' },
      'it must have the property "b".',
    ],
    [
      'an alternative',
      { oneOf: [text, { type: 'boolean' }] },
      1,
      'it must be a string or a boolean, not an integer.',
    ],
    [
      'a nullable alternative',
      { anyOf: [object({ a: text }), { type: 'null' }] },
      { a: 1 },
      '"a" must be a string, not an integer.',
    ],
    [
      'an alternative with members',
      { anyOf: [object({ a: text }), object({ a: { type: 'boolean' } })] },
      { a: 1 },
      'it must match an alternative of "anyOf"; for alternative 1 of 2, "a" must be a string, not an integer.',
    ],
    ['not', { not: text }, 'a', 'it must not match the schema in "not".'],
    ['false', object({ a: false }), { a: 1 }, 'it must not have the property "a".'],
  ])('is reported for %s', (_name, schema, example, error) => {
    expect(errorOf(schema, example)).toBe(error);
  });

  test('names the alternative that the discriminator selects', () => {
    const schemas = {
      Cat: object({ kind: text, lives: { type: 'integer' } }),
      Dog: object({ kind: text, legs: { type: 'integer' } }, { required: ['legs', 'name'] }),
    };
    const schema = {
      oneOf: [ref('Cat'), ref('Dog')],
      discriminator: { propertyName: 'kind', mapping: { dog: '#/components/schemas/Dog' } },
    };
    expect(errorOf(schema, { kind: 'dog', lives: 'x', legs: 4 }, schemas)).toBe(
      'it must match an alternative of "oneOf"; for alternative 2 of 2, it must have the property "name".',
    );
  });
});

describe('an example is accepted, or not checked,', () => {
  test.each<[string, unknown, unknown]>([
    ['if it matches', object({ a: { type: 'number' }, b: { type: ['string', 'null'] } }), { a: 1, b: null }],
    [
      'whatever its format and pattern are',
      { ...text, format: 'date', pattern: '^(a+)+$' },
      `${'a'.repeat(40)}!`,
    ],
    ['if only a pattern of an alternative could reject it', { not: { ...text, pattern: 'a' } }, 'a'],
    ['if several alternatives of oneOf match', { oneOf: [text, { maxLength: 5 }] }, 'a'],
    ['if not excludes what several alternatives match', { not: { oneOf: [text, { maxLength: 5 }] } }, 'a'],
    ['if null is allowed as in OpenAPI 3.0', { ...text, nullable: true, enum: ['a'] }, null],
    [
      'if its name may match a pattern',
      { patternProperties: { '^a': text }, additionalProperties: false },
      { b: 1 },
    ],
    [
      'if the schema has keywords that depend on others',
      { allOf: [object({ a: text })], unevaluatedProperties: false },
      { b: 1 },
    ],
    ['if a reference leads nowhere', { $ref: '#/components/schemas/None' }, 1],
    ['if it is a reference itself', object({ a: text }), { $ref: 'example.json' }],
    ['if members are in another order', { enum: [{ a: 1, b: [2] }] }, { b: [2], a: 1 }],
    ['if rounding alone makes it no multiple', { multipleOf: 0.01 }, 1.13],
    ['if a character has two units', { ...text, maxLength: 1, minLength: 1 }, '😀'],
    ['if the body is written as text', object({ a: text }), '{"a": "b"}'],
    ['if its type is unknown', { type: 'file' }, 5],
  ])('%s', (_name, schema, example) => {
    expect(errorOf(schema, example)).toBeNull();
  });

  test('if a property that it lacks belongs to the other direction', () => {
    const schemas = {
      Base: object({ id: { ...text, readOnly: true }, secret: { ...text, writeOnly: true } }),
      User: { allOf: [ref('Base'), { required: ['id', 'secret', 'name'] }] },
    };
    const body = (example: unknown): Json => media({ schema: ref('User'), example });
    const description = operation(
      {
        requestBody: body({ secret: 's', name: 'n' }),
        responses: { 200: { description: 'Done.', ...body({ id: 'i', name: 'n' }) }, 400: body({ id: 'i' }) },
        callbacks: { event: { '{$url}': { post: { requestBody: body({ name: 'n' }) } } } },
      },
      schemas,
    );
    expect(errors('api.json', JSON.stringify(description))).toEqual(['1: it must have the property "name".']);
  });

  test('if a parameter has its value in the form in which it is sent', () => {
    const parameter = (name: string, schema: Json, example: unknown): Json => ({
      name,
      in: 'query',
      schema,
      example,
    });
    const parameters = [
      parameter('a', { type: 'array', items: text }, 'x,y'),
      parameter('b', { type: 'integer' }, '10'),
      parameter('c', text, 10),
      parameter('d', { type: 'integer' }, 'ten'),
    ];
    expect(errors('api.json', JSON.stringify(operation({ parameters })))).toEqual([
      '1: it must be an integer, not a string.',
    ]);
  });

  test('if members beside a reference have no effect in OpenAPI 3.0', () => {
    const schema = { ...ref('Name'), maxLength: 1 };
    expect(errorOf(schema, 'ab', { Name: text }, '3.0.3')).toBeNull();
    expect(errorOf(schema, 'ab', { Name: text })).toBe('it must have at most 1 characters.');
  });

  test.each(['application/xml', 'text/event-stream', 'application/x-www-form-urlencoded'])(
    'if %s writes the value as another text',
    (type) => {
      const content = { [type]: { schema: object({ a: text }), example: 'a=b' } };
      const description = operation({ requestBody: { content } });
      expect(errors('api.json', JSON.stringify(description))).toEqual([]);
    },
  );
});

describe('examples of every place', () => {
  const YAML = `openapi: 3.1.0
info: { title: API, version: '1' }
paths:
  /things/{id}:
    parameters:
      - name: id
        in: path
        schema: { type: integer }
        example: one
    post:
      summary: Operation
      parameters:
        - { name: q, in: query, schema: { type: integer }, examples: { a: { value: x } } }
      requestBody:
        content:
          application/json:
            schema:
              $ref: '#/components/schemas/Thing'
            examples:
              good:
                value: { name: a }
              bad:
                summary: |
                  bad:
                    value: 1
                value:
                  name: 1
              shared:
                $ref: '#/components/examples/Shared'
      responses:
        default:
          description: Done.
          headers:
            X-Count:
              schema:
                type: integer
              example: many
components:
  examples:
    Shared:
      value: []
  schemas:
    Thing:
      type: object
      properties:
        name:
          type: string
          examples:
            - b
            - 2.5
        "a b":
          type: boolean
          example: "yes"
`;
  const EXPECTED = [
    '9: it must be an integer, not a string.',
    '13: it must be an integer, not a string.',
    '26: "name" must be a string, not an integer.',
    '37: it must be an integer, not a string.',
    '41: it must be an object, not an array.',
    '50: it must be a string, not a number.',
    '53: it must be a boolean, not a string.',
  ];

  test('are reported with their lines in YAML', () => {
    expect(errors('api.yaml', YAML)).toEqual(EXPECTED);
    expect(errors('api.yaml', YAML.replaceAll('\n', '\r\n'))).toEqual(EXPECTED);
  });

  test('are reported with their lines in YAML with anchors', () => {
    const aliased = YAML.replace('- b', '- &b b\n            - *b');
    expect(errors('api.yaml', aliased)).toEqual([
      ...EXPECTED.slice(0, 5),
      '51: it must be a string, not a number.',
      '54: it must be a boolean, not a string.',
    ]);
  });

  test('are reported with their lines in JSON', () => {
    const schema = object({ 'a"\\b': { ...text, example: { '}': ']"\\' } }, c: { ...text, example: 1 } });
    const description = JSON.stringify(operation({ requestBody: media({ schema }) }), null, 2);
    const line = (key: string): number => description.split('\n').findIndex((one) => one.includes(key)) + 1;
    expect(errors('api.json', description)).toEqual([
      `${line('"example": {')}: it must be a string, not an object.`,
      `${line('"example": 1')}: it must be a string, not an integer.`,
    ]);
  });

  test('are reported with their lines in Swagger 2.0', () => {
    const swagger = `swagger: '2.0'
info: { title: API, version: '1' }
paths:
  /things:
    get:
      summary: Operation
      produces: [application/json]
      responses:
        '200':
          description: Done.
          schema:
            $ref: '#/definitions/Thing'
          examples:
            application/json:
              name: 1
definitions:
  Thing:
    type: object
    properties:
      name:
        type: string
        example: true
`;
    expect(errors('api.yaml', swagger)).toEqual([
      '14: "name" must be a string, not an integer.',
      '22: it must be a string, not a boolean.',
    ]);
  });

  test('are reported for messages of AsyncAPI', () => {
    const description = `asyncapi: 3.0.0
info: { title: API, version: '1' }
channels:
  c:
    address: /c
    messages:
      m:
        headers: { type: object, properties: { id: { type: string } } }
        payload: { type: object, properties: { a: { type: string, example: [] } } }
        examples:
          - name: good
            payload: { a: x }
          - name: bad
            payload: { a: 1 }
            headers:
              id: 2
`;
    expect(errors('api.yaml', description, 'asyncapi')).toEqual([
      '9: it must be a string, not an array.',
      '14: "a" must be a string, not an integer.',
      '15: "id" must be a string, not an integer.',
    ]);
  });

  test('are reported once in the file that contains them, however many operations use it', () => {
    const item = { get: { responses: { 200: { $ref: 'parts.json#/ok' } } } };
    const files = {
      ...siteOf('api.json', JSON.stringify({ openapi: '3.0.0', paths: { '/a': item, '/b': { ...item } } })),
      'parts.json': JSON.stringify({ ok: { description: 'Done.', ...media({ schema: text, example: 1 }) } }),
    };
    expect(reported(files)).toMatchObject([{ file: 'parts.json', line: 1 }]);
  });
});

describe('reports', () => {
  test('of an export and of a check are the same', async () => {
    const description = operation({ requestBody: media({ schema: text, example: 1 }) });
    const files = siteOf('api.json', JSON.stringify(description));
    const { result } = await renderFiles(files);
    const own = result.warnings.filter(isAboutExample);
    expect(own).toMatchObject([{ file: 'api.json', line: 1 }]);
    expect(reported(files)).toMatchObject(own);
    expect(reported(files)).toMatchObject([{ severity: 'warning' }]);
  });

  test('of a preview are those of a page, or of all pages, and none of its opening', () => {
    const schema = { type: 'integer' };
    const wrong = (example: unknown, summary: string): Json => ({
      summary,
      responses: { 200: { description: 'Done.', ...media({ schema, example }) } },
    });
    const paths = { '/a': { get: wrong('one', 'A') }, '/b': { get: wrong(true, 'B') } };
    const files = siteOf('api.json', JSON.stringify({ ...operation({}), paths }, null, 1));
    const preview = openPreview({ source: memorySource(files), siteUrl: null });
    const words = (output?: string): string[] => preview.examples(output).map(({ message }) => message);
    expect(preview.warnings.filter(isAboutExample)).toEqual([]);
    expect(preview.page('api-reference/a.html')?.warnings.filter(isAboutExample)).toEqual([]);
    expect(words('api-reference/a.html')).toEqual([expect.stringContaining('integer')]);
    expect(words('api-reference/b.html')).toEqual([expect.stringContaining('integer')]);
    expect(preview.examples('api-reference/a.html')[0]?.line).toBeLessThan(
      preview.examples('api-reference/b.html')[0]?.line ?? 0,
    );
    expect(words('index.html')).toEqual([]);
    expect(words('none.html')).toEqual([]);
    expect(words()).toEqual(reported(files).map(({ message }) => message));
  });

  test('name one example for an error of one schema, and the number of the others', () => {
    const paths = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [
        `/${name}`,
        {
          get: {
            responses: { 200: { description: 'Done.', ...media({ schema: ref('Name'), example: 1 }) } },
          },
        },
      ]),
    );
    const description = { ...operation({}, { Name: text }), paths };
    expect(errors('api.json', JSON.stringify(description))).toEqual([
      '1: it must be a string, not an integer. 2 other examples have the same error.',
    ]);
  });

  test('are 50 for each file, and a number', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`p${index}`, { ...text, example: 1 }]),
    );
    const description = operation({ requestBody: media({ schema: object(properties) }) });
    const found = reported(siteOf('api.json', JSON.stringify(description, null, 1)));
    expect(found).toHaveLength(51);
    expect(found.find(({ line }) => line === null)?.message).toContain('10 other examples of this file');
  });
});

describe('hostile descriptions', () => {
  /** Schemas that are each two alternatives of the next one. */
  const doubled = (count: number): Json =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `S${index}`,
        index === count - 1 ? text : { anyOf: [ref(`S${index + 1}`), ref(`S${index + 1}`)] },
      ]),
    );

  test.each<[string, unknown, unknown, Json?]>([
    [
      'alternatives of alternatives',
      { $ref: '#/components/schemas/A' },
      1,
      { A: { anyOf: [ref('B'), ref('B')] }, B: { anyOf: [ref('A'), ref('A')] } },
    ],
    ['a schema that is a reference to itself', ref('A'), 1, { A: ref('A') }],
    ['a schema in its own allOf', ref('A'), 1, { A: { allOf: [ref('A'), ref('A')] } }],
    ['a pattern of exponential time', { pattern: '^(a|a)*$' }, `${'a'.repeat(50)}!`],
    ['a million allowed values', { enum: Array.from({ length: 100_000 }, (_, index) => index) }, 'x'],
    ['names of the prototype', object({ a: text }), JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}')],
  ])('%s ends without a report', (_name, schema, example, schemas = {}) => {
    expect(errorOf(schema, example, schemas)).toBeNull();
  });

  test('steps are limited for each value', () => {
    expect(errorOf(ref('S0'), 1, doubled(40))).toBeNull();
    expect(errorOf(ref('S0'), 1, doubled(4))).toBe('it must be a string, not an integer.');
  });

  test('steps are limited for all values together', () => {
    const resolver = createResolver({ read: () => null, missing: () => {} });
    const budget = { steps: 10 };
    const options = { schemas: openSchemas(resolver), direction: null, ignoresSiblings: false, budget };
    const at = { value: { items: text }, file: '', name: null };
    const results = Array.from({ length: 3 }, () => matchSchema(at, ['a', 'a', 'a', 'a', 1], options));
    expect(results).toEqual([expect.objectContaining({ path: [4] }), 'unknown', 'unknown']);
  });

  test('a condition is applied only if it is certain', () => {
    const schema = (condition: string): unknown =>
      JSON.parse(`{"if": ${condition}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}`);
    expect(errorOf(schema('{"required": ["a"]}'), { a: 1 })).toBe('it must have the property "b".');
    expect(errorOf(schema('{"required": ["a"]}'), {})).toBe('it must have the property "c".');
    expect(errorOf(schema('{"properties": {"a": {"pattern": "x"}}}'), { a: 'y' })).toBeNull();
  });
});
