import { isObject, type JsonObject } from '../src/config/json.ts';

/*
 * Constructs of API descriptions: a small description of each and what its page shows. The tests compare `shows` with an
 * outline of the page (reference-outline.ts).
 */

/** What a count reads: one kind of object of a description. */
export type Kind =
  | 'description'
  | 'tag'
  | 'server'
  | 'scheme'
  | 'item'
  | 'operation'
  | 'webhook'
  | 'callback'
  | 'parameter'
  | 'body'
  | 'response'
  | 'header'
  | 'media'
  | 'schema'
  | 'reference'
  | 'text';

/** Where a counted object is. */
export interface Place {
  /** The whole description. */
  readonly document: JsonObject;
  /** Name of a schema in the components, or of a property. */
  readonly key: string;
  /** Of a schema: the schema around it. */
  readonly parent: JsonObject | null;
}

export interface Row {
  readonly construct: string;
  /**
   * How often it is written in the descriptions of `../shared/openapi`, as `counts` defines it: each object once, at the
   * place where it is written, without following references. An approximation by design: `allOf` that is reached through
   * a reference is not counted again.
   */
  readonly seen: number;
  readonly counts: readonly [Kind, (value: JsonObject, place: Place) => boolean];
  /** A description, or the files of a folder with `api.json` or `api.yaml`. */
  readonly of: JsonObject | Readonly<Record<string, string>>;
  /** Id of a field, `# Heading` of a section, or nothing for the whole page. */
  readonly at?: string;
  readonly shows: readonly string[];
  /** Warnings as `code file:line`; the file relative to the folder of the row. */
  readonly warns?: readonly string[];
  /** A page of its own instead of the generated one. */
  readonly page?: string;
  /** Texts that the Markdown copy contains. */
  readonly twin?: readonly string[];
  /** Path of the page, if it is not the only one of the folder. */
  readonly path?: string;
}

// Descriptions

const operation = (written: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'API', version: '1' },
  paths: { '/things': { post: { summary: 'Operation', ...written } } },
  ...more,
});
const json = (schema: unknown): JsonObject => ({ 'application/json': { schema } });
const body = (schema: unknown, schemas: JsonObject = {}, openapi = '3.1.0'): JsonObject =>
  operation({ requestBody: { required: true, content: json(schema) } }, { openapi, components: { schemas } });
/** A body with one property, `p`. */
const property = (schema: unknown, schemas: JsonObject = {}, openapi = '3.1.0'): JsonObject =>
  body({ type: 'object', properties: { p: schema } }, schemas, openapi);
const property30 = (schema: unknown, schemas: JsonObject = {}): JsonObject =>
  property(schema, schemas, '3.0.3');
const parameters = (...list: JsonObject[]): JsonObject => operation({ parameters: list });
const response = (written: JsonObject, more: JsonObject = {}): JsonObject =>
  operation({ responses: { 200: { description: 'Done.', ...written } } }, more);
const secured = (schemes: JsonObject, security: unknown = [{ key: [] }]): JsonObject =>
  operation({ security }, { components: { securitySchemes: schemes } });
const swagger = (written: JsonObject, more: JsonObject = {}): JsonObject => ({
  swagger: '2.0',
  info: { title: 'API', version: '1' },
  paths: { '/things': { post: { summary: 'Operation', ...written } } },
  ...more,
});
const text = { type: 'string' };
const number = { type: 'integer' };
const object = (...names: string[]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
});
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

// Counts

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const any = (value: unknown, is: (one: JsonObject) => boolean): boolean =>
  list(value).some((one) => isObject(one) && is(one));
const size = (value: unknown): number => (isObject(value) ? Object.keys(value).length : list(value).length);
const has =
  (...keys: string[]) =>
  (value: JsonObject): boolean =>
    keys.some((key) => value[key] !== undefined);
const is =
  (key: string, ...values: unknown[]) =>
  (value: JsonObject): boolean =>
    values.includes(value[key]);
const isNull = is('type', 'null');
const isSwagger = ({ document }: Place): boolean => document.swagger !== undefined;
const isValue = (one: JsonObject): boolean => one.const !== undefined || size(one.enum) === 1;
const choices = (value: JsonObject): JsonObject[] =>
  [...list(value.oneOf), ...list(value.anyOf)].filter(isObject);
const isSimple = (one: JsonObject): boolean =>
  !has('properties', '$ref', 'allOf', 'oneOf', 'anyOf', 'items', 'additionalProperties')(one);
const types = (value: JsonObject): string[] => Object.keys(isObject(value.content) ? value.content : {});
const statuses = (value: JsonObject): string[] =>
  Object.keys(isObject(value.responses) ? value.responses : {});
const flows = (value: JsonObject): JsonObject => (isObject(value.flows) ? value.flows : {});
const refOf = ({ $ref }: JsonObject): string => String($ref);
const textOf = ({ text: value }: JsonObject): string => String(value);
const differs = (value: JsonObject): boolean =>
  new Set(
    Object.values(isObject(value.content) ? value.content : {}).map((one) =>
      JSON.stringify(isObject(one) ? one.schema : null),
    ),
  ).size > 1;

type Is = (value: JsonObject, place: Place) => boolean;

const row = (
  seen: number,
  construct: string,
  kind: Kind,
  is: Is,
  of: Row['of'],
  at: string,
  shows: readonly string[],
  more: Partial<Row> = {},
): Row => ({ seen, construct, counts: [kind, is], of, shows, ...(at === '' ? {} : { at }), ...more });

/** Id of the property of {@link property}. */
const P = 'request-body-p';
const BODY = '# Request body';
const RESPONSE = '# Response';
const T = { Pet: object('name'), Cat: object('id', 'meow'), Dog: object('id', 'bark') };

export const rows: readonly Row[] = [
  row(81426, 'type string', 'schema', is('type', 'string'), property(text), P, ['p · string']),
  row(
    78698,
    'a description',
    'schema',
    has('description'),
    property({ type: 'string', description: 'Its name.' }),
    P,
    ['p · string', '  Its name.'],
  ),
  row(
    38450,
    'a reference to a schema',
    'reference',
    (one) => /^#\/(?:components\/schemas|definitions)\/[^/]+$/.test(refOf(one)),
    property(ref('Pet'), T),
    P,
    ['p · object', '  > Pet', '    name · string'],
  ),
  row(
    26552,
    'Markdown in a description',
    'text',
    (one) => /`|\*\*|\]\(|^[-*] /m.test(textOf(one)),
    property({
      type: 'string',
      description: 'One of **two** with `code`:\n\n- a [link](https://example.com/a)\n- b',
    }),
    P,
    ['p · string', '  One of two with code:', '  - a link', '  - b'],
  ),
  row(22631, 'type object', 'schema', is('type', 'object'), property({ type: 'object' }), P, ['p · object']),
  row(19888, 'a format', 'schema', has('format'), property({ type: 'string', format: 'date-time' }), P, [
    'p · string<date-time>',
  ]),
  row(14177, 'type boolean', 'schema', is('type', 'boolean'), property({ type: 'boolean' }), P, [
    'p · boolean',
  ]),
  row(14146, 'type integer', 'schema', is('type', 'integer'), property(number), P, ['p · integer']),
  row(
    12422,
    'example of a property',
    'schema',
    has('example'),
    property({ type: 'string', example: 'Rex' }),
    P,
    ['p · string', '  Example: Rex'],
  ),
  row(12023, 'enum', 'schema', has('enum'), property({ type: 'string', enum: ['red', 'green'] }), P, [
    'p · enum<string>',
    '  Allowed values: red green',
  ]),
  row(
    11865,
    'an example that is made of the schema',
    'media',
    (one) => one.schema !== undefined && one.example === undefined && one.examples === undefined,
    response({
      content: json({
        type: 'object',
        properties: {
          id: { type: 'string', format: 'uuid' },
          at: { type: 'string', format: 'date-time' },
          tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        },
      }),
    }),
    'response-example',
    [
      '[200]',
      '  { "id": "3c90c3cc-0d44-4b50-8888-8dd25736052a", "at": "2026-01-15T09:30:00Z", "tags": [ "a" ] }',
    ],
  ),
  row(
    11447,
    'required property',
    'schema',
    has('required'),
    body({ type: 'object', required: ['b'], properties: { a: text, b: text } }),
    BODY,
    ['application/json', 'b · string · required', 'a · string'],
  ),
  row(
    11001,
    'nullable of 3.0',
    'schema',
    is('nullable', true),
    property30({ type: 'string', nullable: true }),
    P,
    ['p · string | null'],
  ),
  row(
    10607,
    'a query parameter',
    'parameter',
    is('in', 'query'),
    parameters({ name: 'limit', in: 'query', schema: number }),
    '# Query parameters',
    ['limit · integer · query'],
  ),
  row(9586, 'type array', 'schema', is('type', 'array'), property({ type: 'array', items: text }), P, [
    'p · string[]',
  ]),
  row(9074, 'title', 'schema', has('title'), body({ title: 'A pet', ...object('name') }), BODY, [
    'application/json',
    'name · string',
  ]),
  row(
    9034,
    'a response without content',
    'response',
    (one) => size(one.content) === 0 && one.schema === undefined,
    response({}),
    RESPONSE,
    ['200 Done.'],
  ),
  row(
    7849,
    'the Markdown copy',
    'operation',
    () => true,
    operation({
      parameters: [{ name: 'q', in: 'query', required: true, description: 'Words.', schema: text }],
      requestBody: { required: true, content: json(object('a')) },
    }),
    '',
    [
      'API Reference > Operation',
      'POST /things',
      'operation',
      '# Query parameters',
      'q · string · query · required',
      '  Words.',
      '# Request body',
      'application/json',
      'a · string',
    ],
    { twin: ['- `q` (string, required): Words.', '"name": "q"', '`POST /things`'] },
  ),
  row(
    7422,
    'length of a string',
    'schema',
    has('minLength', 'maxLength'),
    property({ type: 'string', minLength: 1, maxLength: 20 }),
    P,
    ['p · string', '  Range: 1 <= length <= 20'],
  ),
  row(
    7345,
    'a response by reference',
    'reference',
    (one) => refOf(one).includes('/responses/'),
    operation(
      { responses: { 404: { $ref: '#/components/responses/Missing' } } },
      { components: { responses: { Missing: { description: 'Not found.' } } } },
    ),
    RESPONSE,
    ['404 Not found.'],
  ),
  row(
    5962,
    'a parameter by reference',
    'reference',
    (one) => refOf(one).includes('/parameters/'),
    operation(
      { parameters: [{ $ref: '#/components/parameters/Limit' }] },
      {
        components: {
          parameters: { Limit: { name: 'limit', in: 'query', description: 'Page size.', schema: number } },
        },
      },
    ),
    'parameter-limit',
    ['limit · integer · query', '  Page size.'],
  ),
  row(
    5886,
    'several responses',
    'operation',
    (one) => statuses(one).length > 1,
    operation({
      responses: {
        200: { description: 'Done.', content: json(object('id')) },
        404: { description: 'Not **found**.', content: json(object('error')) },
      },
    }),
    RESPONSE,
    [
      '[200]',
      '  Done.',
      '  application/json',
      '  id · string',
      '[404]',
      '  Not found.',
      '  application/json',
      '  error · string',
    ],
  ),
  row(
    5302,
    'uniqueItems',
    'schema',
    is('uniqueItems', true),
    property({ type: 'array', items: text, uniqueItems: true }),
    P,
    ['p · string[]', '  The items are unique.'],
  ),
  row(5209, 'allOf', 'schema', has('allOf'), property({ allOf: [object('a'), object('b')] }), P, [
    'p · object',
    '  > child attributes',
    '    a · string',
    '    b · string',
  ]),
  row(
    5196,
    'nested object',
    'schema',
    (one, { parent }) => parent?.type === 'object' && one.properties !== undefined,
    property({ type: 'object', description: 'The owner.', properties: { name: text } }),
    P,
    ['p · object', '  The owner.', '  > child attributes', '    name · string'],
  ),
  row(5119, 'default', 'schema', has('default'), property({ type: 'boolean', default: false }), P, [
    'p · boolean · default: false',
  ]),
  row(
    4720,
    'a path parameter',
    'parameter',
    is('in', 'path'),
    {
      ...operation({}),
      paths: {
        '/things/{id}': {
          get: {
            summary: 'Operation',
            parameters: [{ name: 'id', in: 'path', required: true, description: 'Its id.', schema: text }],
          },
        },
      },
    },
    '# Path parameters',
    ['id · string · path · required', '  Its id.'],
  ),
  row(
    4479,
    'array of referenced objects',
    'schema',
    ({ items }) => isObject(items) && items.$ref !== undefined,
    property({ type: 'array', items: ref('Pet') }, T),
    P,
    ['p · object[]', '  > Pet', '    name · string'],
  ),
  row(
    4330,
    'enum of one value',
    'schema',
    ({ enum: values }) => list(values).length === 1,
    property({ type: 'string', enum: ['red'] }),
    P,
    ['p · string', '  Value: red'],
  ),
  row(
    3726,
    'HTML in a description',
    'text',
    (one) => /<[a-z]+[ >/]/i.test(textOf(one)),
    property({
      type: 'string',
      description: 'A <b>bold</b> word.<br>And <script>alert(1)</script><i onclick="alert(1)">more</i>.',
    }),
    P,
    ['p · string', '  A bold word. And <script>alert(1)</script>more.'],
  ),
  row(
    3148,
    'named examples of a content type',
    'media',
    has('examples'),
    response({
      content: {
        'application/json': {
          schema: object('id'),
          examples: { one: { summary: 'First pet', value: { id: 'x1' } }, two: { value: { id: 'x2' } } },
        },
      },
    }),
    'response-example',
    ['[200 First pet]', '  { "id": "x1" }', '[200 two]', '  { "id": "x2" }'],
  ),
  row(
    3101,
    'a parameter with an example',
    'parameter',
    has('example'),
    parameters({ name: 'q', in: 'query', example: 'cats', schema: text }),
    'parameter-q',
    ['q · string · query', '  Example: cats'],
  ),
  row(
    2925,
    'a description beside a reference',
    'schema',
    (one) => one.$ref !== undefined && one.description !== undefined,
    property(
      { $ref: '#/components/schemas/Name', description: 'Here.' },
      { Name: { type: 'string', description: 'There.', maxLength: 9 } },
    ),
    P,
    ['p · string', '  Here.', '  Range: length <= 9'],
  ),
  row(
    2794,
    'an escaped pointer (~1)',
    'reference',
    (one) => /~[01]/.test(refOf(one)),
    property({ $ref: '#/components/schemas/a~1b' }, { 'a/b': text }),
    P,
    ['p · string'],
  ),
  row(2570, 'type number', 'schema', is('type', 'number'), property({ type: 'number' }), P, ['p · number']),
  row(
    2313,
    'a header parameter',
    'parameter',
    is('in', 'header'),
    parameters({ name: 'X-Trace', in: 'header', schema: text }),
    '# Headers',
    ['X-Trace · string · header'],
  ),
  row(
    1988,
    'the default response',
    'operation',
    (one) => statuses(one).includes('default'),
    operation({
      responses: {
        204: { description: 'Done.' },
        default: { description: 'Any error.', content: json(object('error')) },
      },
    }),
    RESPONSE,
    ['[204]', '  Done.', '[default]', '  Any error.', '  application/json', '  error · string'],
  ),
  row(
    1986,
    'allOf of one reference, with a description',
    'schema',
    (one) => size(one.allOf) === 1 && one.description !== undefined,
    property30({ description: 'The first pet.', allOf: [ref('Pet')] }, T),
    P,
    ['p · object', '  The first pet.', '  > child attributes', '    name · string'],
  ),
  row(
    1963,
    'one response',
    'operation',
    (one) => statuses(one).length === 1,
    response({ content: json(object('id')) }),
    RESPONSE,
    ['200 Done.', 'application/json', 'id · string'],
  ),
  row(
    1714,
    'readOnly in a request',
    'schema',
    is('readOnly', true),
    body({ type: 'object', properties: { id: { type: 'string', readOnly: true }, name: text } }),
    BODY,
    ['application/json', 'name · string'],
  ),
  row(
    1714,
    'readOnly in a response',
    'schema',
    is('readOnly', true),
    response({
      content: json({ type: 'object', properties: { id: { type: 'string', readOnly: true }, name: text } }),
    }),
    RESPONSE,
    ['200 Done.', 'application/json', 'id · read-only · string', 'name · string'],
  ),
  row(
    1701,
    'a required body',
    'body',
    is('required', true),
    operation({ requestBody: { required: true, content: json(object('a')) } }),
    BODY,
    ['application/json', 'a · string'],
  ),
  row(
    1669,
    'an optional body',
    'body',
    (one) => one.required !== true,
    operation({ requestBody: { content: json(object('a')) } }),
    BODY,
    ['The body is optional.', 'application/json', 'a · string'],
  ),
  row(
    1519,
    'several content types of a response',
    'response',
    (one) => types(one).length > 1,
    response({ content: { ...json(object('id')), 'text/csv': { schema: text } } }),
    RESPONSE,
    ['200 Done.', '[application/json]', '  id · string', '[text/csv]', '  response · string'],
  ),
  row(
    1352,
    'array of objects',
    'schema',
    ({ items }) => isObject(items) && items.properties !== undefined,
    property({ type: 'array', items: object('name') }),
    P,
    ['p · object[]', '  > child attributes', '    name · string'],
  ),
  row(1164, 'pattern', 'schema', has('pattern'), property({ type: 'string', pattern: '^[a-z]+$' }), P, [
    'p · string',
    '  Pattern: ^[a-z]+$',
  ]),
  row(
    1134,
    'a parameter with a default',
    'parameter',
    ({ schema, ...one }) => (isObject(schema) && schema.default !== undefined) || one.default !== undefined,
    parameters({ name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } }),
    'parameter-limit',
    ['limit · integer · query · default: 20'],
  ),
  row(
    1112,
    'null in a list of types',
    'schema',
    ({ type }) => list(type).includes('null'),
    property({ type: ['string', 'null'] }),
    P,
    ['p · string | null'],
  ),
  row(
    1101,
    'a parameter of the path item, replaced by one of the operation',
    'item',
    has('parameters'),
    {
      ...operation({}),
      paths: {
        '/things': {
          parameters: [
            { name: 'a', in: 'query', description: 'Of the path.', schema: text },
            { name: 'b', in: 'query', description: 'Of the path.', schema: text },
          ],
          get: {
            summary: 'Operation',
            parameters: [{ name: 'b', in: 'query', description: 'Of the operation.', schema: number }],
          },
        },
      },
    },
    '# Query parameters',
    ['a · string · query', '  Of the path.', 'b · integer · query', '  Of the operation.'],
  ),
  row(
    1064,
    'additionalProperties with a schema (a map)',
    'schema',
    ({ additionalProperties: more }) => isObject(more),
    property({ type: 'object', additionalProperties: number }),
    P,
    ['p · map of integer'],
  ),
  row(
    1002,
    'servers of an operation',
    'operation',
    has('servers'),
    operation(
      { servers: [{ url: 'https://a.example.com' }, { url: 'https://b.example.com' }] },
      { servers: [{ url: 'https://api.example.com' }] },
    ),
    '# Servers',
    ['https://a.example.com', 'https://b.example.com'],
  ),
  row(
    994,
    'a query parameter of Swagger 2',
    'parameter',
    (one, place) => one.in === 'query' && isSwagger(place),
    swagger({
      parameters: [
        {
          name: 'ids',
          in: 'query',
          type: 'array',
          items: { type: 'integer' },
          collectionFormat: 'multi',
          maxItems: 3,
        },
      ],
    }),
    'parameter-ids',
    ['ids · integer[] · query', '  Range: items <= 3'],
  ),
  row(
    978,
    'additionalProperties: false',
    'schema',
    is('additionalProperties', false),
    property({ type: 'object', properties: { a: text }, additionalProperties: false }),
    P,
    ['p · object', '  Other properties are not allowed.', '  > child attributes', '    a · string'],
  ),
  row(
    965,
    'allOf of a reference and own properties',
    'schema',
    ({ allOf }) => any(allOf, has('$ref')) && any(allOf, has('properties')),
    property({ allOf: [ref('Pet'), object('age')] }, T),
    P,
    ['p · object', '  > child attributes', '    name · string', '    age · string'],
  ),
  row(
    918,
    'headers of a response',
    'response',
    has('headers'),
    response({ headers: { 'X-Left': { description: 'Requests left.', schema: number } } }),
    RESPONSE,
    ['200 Done.', '> response headers', '  X-Left · integer · header', '    Requests left.'],
  ),
  row(
    918,
    'an example by reference',
    'reference',
    (one) => refOf(one).includes('/examples/'),
    response(
      {
        content: {
          'application/json': {
            schema: object('id'),
            examples: { one: { $ref: '#/components/examples/One' } },
          },
        },
      },
      { components: { examples: { One: { value: { id: 'x3' } } } } },
    ),
    'response-example',
    ['[200]', '  { "id": "x3" }'],
  ),
  row(
    856,
    'anyOf with null',
    'schema',
    ({ anyOf }) => any(anyOf, isNull),
    property({ anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] }),
    P,
    ['p · string<uuid> | null'],
  ),
  row(
    737,
    'x-codeSamples',
    'operation',
    has('x-codeSamples', 'x-code-samples'),
    operation({ 'x-codeSamples': [{ lang: 'Shell', label: 'CLI', source: 'things create' }] }),
    'request-example',
    ['[CLI]', '  things create'],
  ),
  row(
    712,
    'an example of a content type',
    'media',
    has('example'),
    response({ content: { 'application/json': { schema: object('id'), example: { id: 'x1' } } } }),
    'response-example',
    ['[200]', '  { "id": "x1" }'],
  ),
  row(
    681,
    'minimum and maximum',
    'schema',
    (one) => typeof one.minimum === 'number' && typeof one.maximum === 'number',
    property({ type: 'integer', minimum: 1, maximum: 100 }),
    P,
    ['p · integer', '  Range: 1 <= x <= 100'],
  ),
  row(
    672,
    'limits of items',
    'schema',
    ({ items }) => isObject(items) && has('pattern', 'minLength', 'maxLength', 'minimum', 'maximum')(items),
    property({ type: 'array', maxItems: 3, items: { type: 'string', maxLength: 8 } }),
    P,
    ['p · string[]', '  Range: items <= 3', '  Range: length <= 8'],
  ),
  row(
    666,
    'alternative schemes',
    'operation',
    ({ security }) => list(security).filter((one) => size(one) > 0).length > 1,
    secured(
      {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        id: { type: 'apiKey', in: 'header', name: 'X-Id' },
      },
      [{ key: [] }, { id: [] }],
    ),
    '# Authorization',
    [
      '[key]',
      '  X-Key · API key · header · required',
      '    The API key.',
      '[id]',
      '  X-Id · API key · header · required',
      '    The API key.',
    ],
  ),
  row(661, 'const', 'schema', has('const'), property({ type: 'string', const: 'pet' }), P, [
    'p · string',
    '  Value: pet',
  ]),
  row(
    658,
    'only a minimum',
    'schema',
    (one) => typeof one.minimum === 'number' && one.maximum === undefined,
    property({ type: 'integer', minimum: 0 }),
    P,
    ['p · integer', '  Range: 0 <= x'],
  ),
  row(
    627,
    'a body with a description',
    'body',
    has('description'),
    operation({ requestBody: { required: true, description: 'A **new** pet.', content: json(object('a')) } }),
    BODY,
    ['A new pet.', 'application/json', 'a · string'],
  ),
  row(
    618,
    'a percent-encoded pointer',
    'reference',
    (one) => /#.*%[0-9a-f]{2}/i.test(refOf(one)),
    property({ $ref: '#/components/schemas/A%20pet' }, { 'A pet': text }),
    P,
    ['p · string'],
  ),
  row(
    585,
    'allOf with required',
    'schema',
    ({ allOf }) => any(allOf, has('required')),
    property({ allOf: [object('a', 'b'), { required: ['b'] }] }),
    P,
    ['p · object', '  > child attributes', '    b · string · required', '    a · string'],
  ),
  row(
    577,
    'a form body',
    'body',
    (one) => types(one).includes('application/x-www-form-urlencoded'),
    operation({
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: object('a') } },
      },
    }),
    BODY,
    ['application/x-www-form-urlencoded', 'a · string'],
  ),
  row(
    565,
    'number of items',
    'schema',
    has('minItems', 'maxItems'),
    property({ type: 'array', items: text, minItems: 1, maxItems: 5 }),
    P,
    ['p · string[]', '  Range: 1 <= items <= 5'],
  ),
  row(
    562,
    'a body by reference',
    'reference',
    (one) => refOf(one).includes('/requestBodies/'),
    operation(
      { requestBody: { $ref: '#/components/requestBodies/Pet' } },
      { components: { requestBodies: { Pet: { required: true, content: json(object('a')) } } } },
    ),
    BODY,
    ['application/json', 'a · string'],
  ),
  row(
    559,
    'enum of numbers',
    'schema',
    ({ enum: values }) => list(values).some((one) => typeof one === 'number'),
    property({ enum: [1, 2] }),
    P,
    ['p · enum<integer>', '  Allowed values: 1 2'],
  ),
  row(
    511,
    'a description beside a reference to a parameter or response',
    'reference',
    (one) => one.description !== undefined && !refOf(one).includes('/schemas/'),
    operation(
      { parameters: [{ $ref: '#/components/parameters/Limit', description: 'At most 50.' }] },
      {
        components: {
          parameters: { Limit: { name: 'limit', in: 'query', description: 'Page size.', schema: number } },
        },
      },
    ),
    'parameter-limit',
    ['limit · integer · query', '  At most 50.'],
  ),
  row(
    505,
    'enum with x-enum-descriptions',
    'schema',
    has('x-enum-descriptions'),
    property({ type: 'string', enum: ['a', 'b'], 'x-enum-descriptions': ['First.', 'Second.'] }),
    P,
    ['p · enum<string>', '  Allowed values:', '  - a First.', '  - b Second.'],
  ),
  row(
    474,
    'a body without other properties',
    'media',
    ({ schema }) => isObject(schema) && schema.additionalProperties === false,
    body({ ...object('a'), additionalProperties: false }),
    BODY,
    ['application/json', 'Other properties are not allowed.', 'a · string'],
  ),
  row(
    457,
    'no type',
    'schema',
    (one) => size(one) === 0 || (size(one) === 1 && one.description !== undefined),
    property({ description: 'Anything.' }),
    P,
    ['p · any', '  Anything.'],
  ),
  row(
    451,
    'a heading in the description of a field',
    'text',
    (one) => /^#{1,6} /m.test(textOf(one)),
    property({ type: 'string', description: '## Use\n\nText.' }),
    P,
    ['p · string', '  Use', '  Text.'],
  ),
  row(
    433,
    'oneOf of references',
    'schema',
    ({ oneOf }) => list(oneOf).filter((one) => isObject(one) && one.$ref !== undefined).length > 1,
    property({ oneOf: [ref('Cat'), ref('Dog')] }, T),
    P,
    [
      'p · object',
      '  One of:',
      '  [Cat]',
      '    id · string',
      '    meow · string',
      '  [Dog]',
      '    id · string',
      '    bark · string',
    ],
  ),
  row(
    405,
    'a required query parameter',
    'parameter',
    (one) => one.in === 'query' && one.required === true,
    parameters({ name: 'q', in: 'query', required: true, schema: text }),
    'parameter-q',
    ['q · string · query · required'],
  ),
  row(
    389,
    'a body that is a list',
    'media',
    ({ schema }) => isObject(schema) && schema.type === 'array',
    body({ type: 'array', minItems: 1, items: object('name') }),
    BODY,
    [
      'application/json',
      'body · object[]',
      '  Range: 1 <= items',
      '  > child attributes',
      '    name · string',
    ],
  ),
  row(
    387,
    'oneOf of simple types',
    'schema',
    (one) => size(one.oneOf) > 1 && choices(one).every(isSimple),
    property({ oneOf: [text, { type: 'integer', minimum: 1 }] }),
    P,
    ['p · string | integer', '  One of:', '  - string', '  - integer', '    Range: 1 <= x'],
  ),
  row(
    375,
    'deprecated property',
    'schema',
    is('deprecated', true),
    property({ type: 'string', deprecated: true }),
    P,
    ['p · string · deprecated'],
  ),
  row(
    350,
    'oneOf with null',
    'schema',
    ({ oneOf }) => any(oneOf, isNull),
    property({ oneOf: [{ type: 'null' }, ref('Pet')] }, T),
    P,
    ['p · object | null', '  > Pet', '    name · string'],
  ),
  row(
    347,
    'enum with x-enum-varnames',
    'schema',
    has('x-enum-varnames'),
    property({ type: 'integer', enum: [1, 2], 'x-enum-varnames': ['On', 'Off'] }),
    P,
    ['p · enum<integer>', '  Allowed values:', '  - 1 On', '  - 2 Off'],
  ),
  row(
    312,
    'a range of statuses',
    'operation',
    (one) => statuses(one).some((own) => /^\dXX$/i.test(own)),
    operation({ responses: { '2XX': { description: 'Done.' }, '4xx': { description: 'Not done.' } } }),
    RESPONSE,
    ['[2XX]', '  Done.', '[4XX]', '  Not done.'],
  ),
  row(
    306,
    'style deepObject',
    'parameter',
    is('style', 'deepObject'),
    parameters({ name: 'filter', in: 'query', style: 'deepObject', schema: object('a', 'b') }),
    'parameter-filter',
    ['filter · deepObject · object · query', '  > child attributes', '    a · string', '    b · string'],
  ),
  row(
    294,
    'formData of Swagger 2',
    'parameter',
    is('in', 'formData'),
    swagger({
      parameters: [
        { name: 'name', in: 'formData', required: true, type: 'string' },
        { name: 'age', in: 'formData', type: 'integer' },
      ],
    }),
    BODY,
    ['multipart/form-data', 'name · string · required', 'age · integer'],
  ),
  row(
    272,
    'x-webhooks',
    'webhook',
    (_, { key }) => key === 'x-webhooks',
    {
      openapi: '3.0.3',
      paths: {},
      'x-webhooks': { created: { post: { requestBody: { content: json(object('id')) } } } },
    },
    '',
    [
      'API Reference > created',
      'WEBHOOK created',
      'webhook-created',
      '# Request body',
      'application/json',
      'id · string',
    ],
  ),
  row(
    262,
    'enum of items',
    'schema',
    ({ items }) => isObject(items) && items.enum !== undefined,
    property({ type: 'array', items: { type: 'string', enum: ['red', 'green'] } }),
    P,
    ['p · enum<string>[]', '  Allowed values: red green'],
  ),
  row(
    262,
    'additionalProperties: true',
    'schema',
    is('additionalProperties', true),
    property({ type: 'object', properties: { a: text }, additionalProperties: true }),
    P,
    ['p · object', '  > child attributes', '    a · string', '    other properties · any'],
  ),
  row(
    217,
    'a multipart body',
    'body',
    (one) => types(one).includes('multipart/form-data'),
    operation({
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['file'],
              properties: { file: { type: 'string', format: 'binary' } },
            },
            encoding: { file: { contentType: 'image/png' } },
          },
        },
      },
    }),
    BODY,
    ['multipart/form-data', 'file · string<binary> · required', 'file: image/png'],
  ),
  row(
    216,
    'a deprecated operation',
    'operation',
    is('deprecated', true),
    operation({ deprecated: true, responses: {} }),
    '',
    ['API Reference > OperationDeprecated', 'POST /things', 'operation'],
  ),
  row(
    205,
    'oneOf with titles',
    'schema',
    ({ oneOf }) => any(oneOf, has('title')),
    property({
      oneOf: [
        { title: 'A cat', ...object('meow') },
        { title: 'A dog', ...object('bark') },
      ],
    }),
    P,
    ['p · object', '  One of:', '  [A cat]', '    meow · string', '  [A dog]', '    bark · string'],
  ),
  row(
    205,
    'items with choices',
    'schema',
    ({ items }) => isObject(items) && choices(items).length > 1,
    property({ type: 'array', items: { oneOf: [ref('Cat'), ref('Dog')] } }, T),
    P,
    [
      'p · object[]',
      '  One of:',
      '  [Cat]',
      '    id · string',
      '    meow · string',
      '  [Dog]',
      '    id · string',
      '    bark · string',
    ],
  ),
  row(
    202,
    'a body parameter of Swagger 2',
    'parameter',
    is('in', 'body'),
    swagger(
      {
        consumes: ['application/json'],
        parameters: [
          {
            name: 'pet',
            in: 'body',
            required: true,
            description: 'A pet.',
            schema: { $ref: '#/definitions/Pet' },
          },
        ],
      },
      { definitions: T },
    ),
    BODY,
    ['A pet.', 'application/json', 'name · string'],
  ),
  row(
    198,
    'anyOf of objects',
    'schema',
    ({ anyOf }) => list(anyOf).filter((one) => isObject(one) && has('$ref', 'properties')(one)).length > 1,
    property({ anyOf: [ref('Cat'), ref('Dog')] }, T),
    P,
    [
      'p · object',
      '  Any of:',
      '  [Cat]',
      '    id · string',
      '    meow · string',
      '  [Dog]',
      '    id · string',
      '    bark · string',
    ],
  ),
  row(
    186,
    'several content types of one schema',
    'body',
    (one) => types(one).length > 1 && !differs(one),
    operation(
      {
        requestBody: {
          required: true,
          content: { ...json(ref('Pet')), 'application/xml': { schema: ref('Pet') } },
        },
      },
      { components: { schemas: T } },
    ),
    BODY,
    ['application/json, application/xml', 'name · string'],
  ),
  row(
    161,
    'a body that is a text',
    'media',
    ({ schema }) => isObject(schema) && schema.type === 'string',
    operation({
      requestBody: {
        required: true,
        content: { 'text/plain': { schema: { type: 'string', maxLength: 10 } } },
      },
    }),
    BODY,
    ['text/plain', 'body · string', '  Range: length <= 10'],
  ),
  row(
    153,
    'discriminator',
    'schema',
    has('discriminator'),
    property({ oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } }, T),
    P,
    [
      'p · object',
      '  One of (kind):',
      '  [Cat]',
      '    id · string',
      '    meow · string',
      '  [Dog]',
      '    id · string',
      '    bark · string',
    ],
  ),
  row(
    143,
    'number of properties',
    'schema',
    has('minProperties', 'maxProperties'),
    property({ type: 'object', minProperties: 1, maxProperties: 3, additionalProperties: text }),
    P,
    ['p · map of string', '  Range: 1 <= properties <= 3'],
  ),
  row(
    134,
    'a body with choices',
    'media',
    ({ schema }) => isObject(schema) && choices(schema).length > 1,
    body({ oneOf: [ref('Cat'), ref('Dog')] }, T),
    BODY,
    [
      'application/json',
      'One of:',
      '[Cat]',
      '  id · string',
      '  meow · string',
      '[Dog]',
      '  id · string',
      '  bark · string',
    ],
  ),
  row(
    127,
    'several schemes at once',
    'operation',
    ({ security }) => any(security, (one) => size(one) > 1),
    secured(
      {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        id: { type: 'apiKey', in: 'header', name: 'X-Id' },
      },
      [{ key: [], id: [] }],
    ),
    '# Authorization',
    [
      'X-Key · API key · header · required',
      '  The API key.',
      'X-Id · API key · header · required',
      '  The API key.',
    ],
  ),
  row(
    120,
    'x-nullable of Swagger 2',
    'schema',
    is('x-nullable', true),
    swagger(
      {
        parameters: [
          {
            name: 'body',
            in: 'body',
            required: true,
            schema: { type: 'object', properties: { p: { type: 'string', 'x-nullable': true } } },
          },
        ],
      },
      { consumes: ['application/json'] },
    ),
    P,
    ['p · string | null'],
  ),
  row(
    120,
    'servers of a path',
    'item',
    has('servers'),
    {
      ...operation({}),
      servers: [{ url: 'https://api.example.com' }],
      paths: {
        '/things': {
          servers: [{ url: 'https://a.example.com' }, { url: 'https://b.example.com' }],
          get: { summary: 'Operation' },
        },
      },
    },
    '# Servers',
    ['https://a.example.com', 'https://b.example.com'],
  ),
  row(
    115,
    'a list in one value (explode: false)',
    'parameter',
    is('explode', false),
    parameters({
      name: 'ids',
      in: 'query',
      style: 'form',
      explode: false,
      schema: { type: 'array', items: number },
    }),
    'parameter-ids',
    ['ids · explode: false · integer[] · query'],
  ),
  row(
    95,
    'null in an enum',
    'schema',
    ({ enum: values }) => list(values).includes(null),
    property({ type: ['string', 'null'], enum: ['a', 'b', null] }),
    P,
    ['p · enum<string> | null', '  Allowed values: a b'],
  ),
  row(
    95,
    'oneOf of constants',
    'schema',
    ({ oneOf }) => size(oneOf) > 1 && list(oneOf).every((one) => isObject(one) && isValue(one)),
    property({
      type: 'integer',
      oneOf: [
        { const: 1, title: 'Low', description: 'Slow.' },
        { const: 2, title: 'High' },
      ],
    }),
    P,
    ['p · enum<integer>', '  Allowed values:', '  - 1 Low: Slow.', '  - 2 High'],
  ),
  row(
    90,
    'format binary',
    'schema',
    is('format', 'binary'),
    property({ type: 'string', format: 'binary' }),
    P,
    ['p · string<binary>'],
  ),
  row(
    86,
    'a parameter with named examples',
    'parameter',
    has('examples'),
    parameters({
      name: 'q',
      in: 'query',
      examples: { first: { value: 'cats' }, second: { value: 'dogs' } },
      schema: text,
    }),
    'parameter-q',
    ['q · string · query', '  Example:', '  - cats first', '  - dogs second'],
  ),
  row(
    85,
    'anyOf of a type and a list of it',
    'schema',
    ({ anyOf }) => any(anyOf, is('type', 'array')) && any(anyOf, is('type', 'string')),
    property({ anyOf: [text, { type: 'array', items: text }] }),
    P,
    ['p · string | string[]', '  Any of:', '  - string', '  - string[]'],
  ),
  row(
    72,
    'contentMediaType and contentEncoding',
    'schema',
    has('contentMediaType', 'contentEncoding'),
    property({ type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' }),
    P,
    ['p · string', '  Content type: image/png', '  Encoding: base64'],
  ),
  row(
    71,
    'array of a type that can be null',
    'schema',
    ({ items }) => isObject(items) && (items.nullable === true || list(items.type).includes('null')),
    property({ type: 'array', items: { type: ['string', 'null'] } }),
    P,
    ['p · (string | null)[]'],
  ),
  row(
    60,
    'oneOf whose objects differ in a property',
    'schema',
    ({ oneOf }) =>
      list(oneOf).filter((one) => isObject(one) && one.properties !== undefined && one.title === undefined)
        .length > 1,
    property({ oneOf: [object('id', 'email'), object('id', 'phone')] }),
    P,
    [
      'p · object',
      '  One of:',
      '  [email]',
      '    id · string',
      '    email · string',
      '  [phone]',
      '    id · string',
      '    phone · string',
    ],
  ),
  row(
    49,
    'nested allOf',
    'schema',
    ({ allOf }) => any(allOf, has('allOf')),
    property({ allOf: [{ allOf: [object('a'), { allOf: [object('b')] }] }, object('c')] }),
    P,
    ['p · object', '  > child attributes', '    a · string', '    b · string', '    c · string'],
  ),
  row(
    42,
    'array of arrays',
    'schema',
    ({ items }) => isObject(items) && items.type === 'array',
    property({ type: 'array', items: { type: 'array', items: { type: 'number' } } }),
    P,
    ['p · number[][]'],
  ),
  row(
    37,
    'discriminator with a mapping',
    'schema',
    ({ discriminator }) => isObject(discriminator) && discriminator.mapping !== undefined,
    property(
      {
        oneOf: [ref('Cat'), ref('Dog')],
        discriminator: {
          propertyName: 'kind',
          mapping: { feline: '#/components/schemas/Cat', canine: 'Dog' },
        },
      },
      T,
    ),
    P,
    [
      'p · object',
      '  One of (kind):',
      '  [feline]',
      '    id · string',
      '    meow · string',
      '  [canine]',
      '    id · string',
      '    bark · string',
    ],
  ),
  row(
    36,
    'a map of arrays',
    'schema',
    ({ additionalProperties: more }) => isObject(more) && more.type === 'array',
    property({ type: 'object', additionalProperties: { type: 'array', items: ref('Pet') } }, T),
    P,
    ['p · map of object[]', '  > Pet', '    name · string'],
  ),
  row(
    35,
    'a choice inside a choice',
    'schema',
    (one) => choices(one).some((own) => choices(own).length > 1),
    property(
      {
        oneOf: [
          { title: 'Pet', oneOf: [ref('Cat'), ref('Dog')] },
          { title: 'None', ...object('reason') },
        ],
      },
      T,
    ),
    P,
    [
      'p · object',
      '  One of:',
      '  [Pet]',
      '    One of:',
      '    [Cat]',
      '      id · string',
      '      meow · string',
      '    [Dog]',
      '      id · string',
      '      bark · string',
      '  [None]',
      '    reason · string',
    ],
  ),
  row(
    32,
    'choices beside properties',
    'schema',
    (one) => one.properties !== undefined && choices(one).length > 1,
    property({
      ...object('id'),
      oneOf: [
        { title: 'Mail', ...object('email') },
        { title: 'Call', ...object('phone') },
      ],
    }),
    P,
    [
      'p · object',
      '  > child attributes',
      '    id · string',
      '    One of:',
      '    [Mail]',
      '      email · string',
      '    [Call]',
      '      phone · string',
    ],
  ),
  row(
    28,
    'a list of schemas in items (older drafts)',
    'schema',
    ({ items }) => Array.isArray(items),
    property({ type: 'array', items: [text, number] }),
    P,
    ['p · tuple', '  [0] · string', '  [1] · integer'],
  ),
  row(
    28,
    'allOf with one property of two types',
    'schema',
    ({ allOf }) => {
      const names = list(allOf).flatMap((one) =>
        isObject(one) && isObject(one.properties) ? Object.keys(one.properties) : [],
      );
      return new Set(names).size < names.length;
    },
    property({ allOf: [{ properties: { a: text } }, { properties: { a: number } }] }),
    P,
    [
      'p · object',
      '  > child attributes',
      '    a · string',
      '      Different values in the description: type',
    ],
  ),
  row(
    26,
    'recursion through allOf',
    'schema',
    (one, { key }) => any(one.allOf, (own) => refOf(own).endsWith(`/${key}`)),
    property(ref('Node'), { Node: { allOf: [ref('Node'), object('name')] } }),
    P,
    ['p · object', '  > Node', '    name · string'],
  ),
  row(
    25,
    'a link to an operation',
    'text',
    (one) => /#(?:tag\/[^)"]*\/)?operation\//.test(textOf(one)),
    {
      ...operation({}),
      paths: {
        '/things': {
          get: {
            summary: 'Operation',
            operationId: 'listThings',
            parameters: [
              {
                name: 'q',
                in: 'query',
                description: 'See [the list](#operation/listThings) and [models](#tag/Models).',
                schema: text,
              },
            ],
          },
        },
      },
    },
    'parameter-q',
    ['q · string · query', '  See the list and models.'],
  ),
  row(
    24,
    'a binary body',
    'body',
    (one) => types(one).includes('application/octet-stream'),
    operation({
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    BODY,
    ['application/octet-stream', 'body · string<binary>'],
  ),
  row(
    22,
    'oneOf whose objects differ in a value',
    'schema',
    ({ oneOf }) =>
      list(oneOf).filter(
        (one) =>
          isObject(one) &&
          isObject(one.properties) &&
          Object.values(one.properties).some((own) => isObject(own) && isValue(own)),
      ).length > 1,
    property({
      oneOf: [
        { properties: { kind: { const: 'card' }, n: text } },
        { properties: { kind: { const: 'cash' }, n: text } },
      ],
    }),
    P,
    [
      'p · object',
      '  One of:',
      '  [card]',
      '    kind · string',
      '      Value: card',
      '    n · string',
      '  [cash]',
      '    kind · string',
      '      Value: cash',
      '    n · string',
    ],
  ),
  row(
    22,
    'anyOf that only requires properties',
    'schema',
    (one) =>
      choices(one).length > 1 && choices(one).every((own) => size(own) === 1 && own.required !== undefined),
    property({ ...object('a', 'b'), anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    P,
    ['p · object', '  Any of (required): a, b', '  > child attributes', '    a · string', '    b · string'],
  ),
  row(
    22,
    'optional authorization',
    'operation',
    ({ security }) => any(security, (one) => size(one) === 0),
    secured(
      {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        id: { type: 'apiKey', in: 'header', name: 'X-Id' },
      },
      [{ key: [] }, {}],
    ),
    '# Authorization',
    ['A request can also be sent without authorization.', 'X-Key · API key · header', '  The API key.'],
  ),
  row(
    20,
    'a deprecated parameter',
    'parameter',
    is('deprecated', true),
    parameters({ name: 'q', in: 'query', deprecated: true, schema: text }),
    'parameter-q',
    ['q · string · query · deprecated'],
  ),
  row(
    20,
    'a map of objects',
    'schema',
    ({ additionalProperties: more }) => isObject(more) && more.properties !== undefined,
    property({ type: 'object', additionalProperties: object('name') }),
    P,
    ['p · map of object', '  > child attributes', '    name · string'],
  ),
  row(
    19,
    'nullable of 3.0 on a referenced schema, by allOf',
    'schema',
    (one) => one.nullable === true && one.allOf !== undefined,
    property30({ nullable: true, allOf: [ref('Pet')] }, T),
    P,
    ['p · object | null', '  > child attributes', '    name · string'],
  ),
  row(
    19,
    'a body without a schema',
    'media',
    (one) => one.schema === undefined && one.itemSchema === undefined,
    operation({ requestBody: { required: true, content: { 'application/json': {} } } }),
    BODY,
    ['application/json'],
  ),
  row(
    17,
    'several content types of different schemas',
    'body',
    (one) => types(one).length > 1 && differs(one),
    operation({
      requestBody: {
        required: true,
        content: {
          ...json(object('a')),
          'multipart/form-data': { schema: { properties: { file: { type: 'string', format: 'binary' } } } },
        },
      },
    }),
    BODY,
    ['[application/json]', '  a · string', '[multipart/form-data]', '  file · string<binary>'],
  ),
  row(
    17,
    'a server with variables',
    'server',
    has('variables'),
    operation(
      {},
      {
        servers: [
          {
            url: 'https://{region}.example.com',
            variables: { region: { default: 'eu', enum: ['eu', 'us'], description: 'Nearest region.' } },
          },
        ],
      },
    ),
    '# Servers',
    [
      'https://{region}.example.com',
      'region · enum<string> · default: eu',
      '  Nearest region.',
      '  Allowed values: eu us',
    ],
  ),
  row(
    16,
    'a parameter whose name has blanks or brackets',
    'parameter',
    ({ name }) => /[\s[\]]/.test(String(name)),
    parameters({ name: 'page[size] x', in: 'query', schema: number }),
    '# Query parameters',
    ['page[size] x · integer · query'],
  ),
  row(
    16,
    'recursion through an array',
    'schema',
    (one, { key }) =>
      isObject(one.properties) &&
      Object.values(one.properties).some(
        (own) =>
          isObject(own) &&
          isObject(own.items) &&
          own.items.$ref !== undefined &&
          refOf(own.items).endsWith(`/${key}`),
      ),
    body(ref('Node'), {
      Node: { type: 'object', properties: { kids: { type: 'array', items: ref('Node') } } },
    }),
    BODY,
    ['application/json', 'kids · object[]', '  Same as Node'],
  ),
  row(
    16,
    'webhooks',
    'webhook',
    (_, { key }) => key === 'webhooks',
    {
      openapi: '3.1.0',
      webhooks: {
        created: {
          post: {
            summary: 'Created',
            requestBody: { required: true, content: json(object('id')) },
            responses: { 200: { description: 'Received.' } },
          },
        },
      },
    },
    '',
    [
      'API Reference > Created',
      'WEBHOOK created',
      'created',
      '# Request body',
      'application/json',
      'id · string',
      '# Expected response',
      '200 Received.',
    ],
  ),
  row(
    13,
    'a bearer token',
    'scheme',
    (one) => one.type === 'http' && String(one.scheme).toLowerCase() === 'bearer',
    secured({ key: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } }),
    '# Authorization',
    ['Authorization · Bearer (JWT) · header · required', '  Bearer <token>'],
  ),
  row(
    13,
    'authorization of the whole description',
    'description',
    has('security'),
    {
      ...operation({}),
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    },
    '# Authorization',
    ['Authorization · Bearer · header · required', '  Bearer <token>'],
  ),
  row(
    12,
    'OAuth 2 with scopes',
    'scheme',
    is('type', 'oauth2'),
    secured(
      {
        key: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: 'https://id.example.com/auth',
              tokenUrl: 'https://id.example.com/token',
              scopes: { 'pets:read': 'Read.' },
            },
          },
        },
      },
      [{ key: ['pets:read'] }],
    ),
    '# Authorization',
    [
      'Authorization · OAuth 2 · header · required',
      '  Bearer <token>',
      '  Scopes:',
      '  - pets:read Read.',
      '  - authorization code https://id.example.com/auth https://id.example.com/token',
    ],
  ),
  row(
    11,
    'an operation without authorization',
    'operation',
    ({ security }) => Array.isArray(security) && security.length === 0,
    {
      ...operation({ security: [], parameters: [{ name: 'q', in: 'query', schema: text }] }),
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    },
    '',
    ['API Reference > Operation', 'POST /things', 'operation', '# Query parameters', 'q · string · query'],
  ),
  row(
    9,
    'writeOnly in a request',
    'schema',
    is('writeOnly', true),
    body({ type: 'object', properties: { secret: { type: 'string', writeOnly: true }, name: text } }),
    BODY,
    ['application/json', 'secret · write-only · string', 'name · string'],
  ),
  row(
    9,
    'writeOnly in a response',
    'schema',
    is('writeOnly', true),
    response({
      content: json({
        type: 'object',
        properties: { secret: { type: 'string', writeOnly: true }, name: text },
      }),
    }),
    RESPONSE,
    ['200 Done.', 'application/json', 'name · string'],
  ),
  row(
    9,
    'an API key in a header',
    'scheme',
    (one) => one.type === 'apiKey' && one.in === 'header',
    secured({ key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'From the *console*.' } }),
    '# Authorization',
    ['X-Key · API key · header · required', '  From the console.'],
  ),
  row(
    8,
    'exclusive limits of 3.0',
    'schema',
    (one) => one.exclusiveMinimum === true || one.exclusiveMaximum === true,
    property30({ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true }),
    P,
    ['p · number', '  Range: 0 < x < 1'],
  ),
  row(
    8,
    'a map beside properties',
    'schema',
    (one) => isObject(one.additionalProperties) && one.properties !== undefined,
    property({ type: 'object', properties: { a: text }, additionalProperties: number }),
    P,
    ['p · object', '  > child attributes', '    a · string', '    other properties · integer'],
  ),
  row(
    7,
    'server-sent events',
    'response',
    (one) => types(one).includes('text/event-stream'),
    response({ content: { 'text/event-stream': { schema: object('delta') } } }),
    RESPONSE,
    ['200 Done.', 'text/event-stream', 'A stream of events, each with this content:', 'delta · string'],
  ),
  row(
    5,
    'HTTP Basic',
    'scheme',
    (one) => one.type === 'basic' || (one.type === 'http' && String(one.scheme).toLowerCase() === 'basic'),
    secured({ key: { type: 'http', scheme: 'basic' } }),
    '# Authorization',
    [
      'Authorization · Basic · header · required',
      '  Basic <credentials>, where credentials are user:password in Base64.',
    ],
  ),
  row(
    5,
    'several servers',
    'description',
    ({ servers }) => size(servers) > 1,
    operation(
      {},
      {
        servers: [
          { url: 'https://api.example.com', description: 'Production' },
          { url: 'https://test.example.com' },
        ],
      },
    ),
    '# Servers',
    ['https://api.example.com Production', 'https://test.example.com'],
  ),
  row(4, 'multipleOf', 'schema', has('multipleOf'), property({ type: 'number', multipleOf: 0.5 }), P, [
    'p · number',
    '  Multiple of: 0.5',
  ]),
  row(
    3,
    'an API key in the query',
    'scheme',
    (one) => one.type === 'apiKey' && one.in === 'query',
    secured({ key: { type: 'apiKey', in: 'query', name: 'key' } }),
    '# Authorization',
    ['key · API key · query · required', '  The API key.'],
  ),
  row(
    3,
    'OAuth 2 with client credentials',
    'scheme',
    (one) => flows(one).clientCredentials !== undefined || one.flow === 'application',
    secured({
      key: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://id.example.com/token', scopes: {} } },
      },
    }),
    '# Authorization',
    [
      'Authorization · OAuth 2 · header · required',
      '  Bearer <token>',
      '  - client credentials https://id.example.com/token',
    ],
  ),
  row(
    3,
    'consumes and produces of Swagger 2',
    'description',
    has('consumes', 'produces'),
    swagger(
      {
        parameters: [{ name: 'pet', in: 'body', required: true, schema: object('a') }],
        responses: { 200: { description: 'Done.', schema: object('b') } },
      },
      { consumes: ['application/json', 'application/xml'], produces: ['text/csv'] },
    ),
    '',
    [
      'API Reference > Operation',
      'POST /things',
      'operation',
      '# Request body',
      'application/json, application/xml',
      'a · string',
      '# Response',
      '200 Done.',
      'text/csv',
      'b · string',
    ],
  ),
  row(
    3,
    'host, basePath and schemes of Swagger 2',
    'description',
    has('host', 'basePath'),
    swagger({}, { host: 'api.example.com', basePath: '/v1', schemes: ['https', 'http'] }),
    '# Servers',
    ['https://api.example.com/v1', 'http://api.example.com/v1'],
  ),
  row(
    1,
    'two parameters of one name in different places',
    'operation',
    ({ parameters: own }) => {
      const names = list(own).flatMap((one) =>
        isObject(one) && typeof one.name === 'string' ? [one.name] : [],
      );
      return new Set(names).size < names.length;
    },
    parameters({ name: 'v', in: 'query', schema: text }, { name: 'v', in: 'header', schema: number }),
    '',
    [
      'API Reference > Operation',
      'POST /things',
      'operation',
      '# Query parameters',
      'v · string · query',
      '# Headers',
      'v · integer · header',
    ],
  ),
  row(
    1,
    'several types',
    'schema',
    ({ type }) => list(type).filter((one) => one !== 'null').length > 1,
    property({ type: ['string', 'integer'] }),
    P,
    ['p · string | integer'],
  ),
  row(
    1,
    'prefixItems',
    'schema',
    has('prefixItems'),
    property({ type: 'array', prefixItems: [{ type: 'number' }, text] }),
    P,
    ['p · tuple', '  [0] · number', '  [1] · string'],
  ),
  row(
    1,
    'prefixItems and items',
    'schema',
    (one) => one.prefixItems !== undefined && one.items !== undefined,
    property({ type: 'array', prefixItems: [text], items: { type: 'boolean' } }),
    P,
    ['p · tuple', '  [0] · string', '  […] · boolean'],
  ),
  row(1, 'not', 'schema', has('not'), property({ type: 'string', not: { type: 'string', enum: ['a'] } }), P, [
    'p · string',
    '  Not: a',
  ]),
  row(
    1,
    'not with required properties',
    'schema',
    ({ not }) => isObject(not) && (not.required !== undefined || any(not.anyOf, has('required'))),
    property({ ...object('a', 'b'), not: { required: ['a', 'b'] } }),
    P,
    [
      'p · object',
      '  > child attributes',
      '    a · string',
      '    b · string',
      '    Not: {"required":["a","b"]}',
    ],
  ),
  row(
    1,
    'recursion',
    'schema',
    (one, { key }) =>
      isObject(one.properties) &&
      Object.values(one.properties).some(
        (own) => isObject(own) && own.$ref !== undefined && refOf(own).endsWith(`/${key}`),
      ),
    property(ref('Node'), { Node: { type: 'object', properties: { name: text, next: ref('Node') } } }),
    P,
    ['p · object', '  > Node', '    name · string', '    next · object', '      Same as Node'],
  ),
  row(
    1,
    'recursion through a map',
    'schema',
    (one, { key }) =>
      isObject(one.properties) &&
      Object.values(one.properties).some(
        (own) =>
          isObject(own) &&
          isObject(own.additionalProperties) &&
          refOf(own.additionalProperties).endsWith(`/${key}`),
      ),
    property(ref('Node'), {
      Node: { type: 'object', properties: { kids: { type: 'object', additionalProperties: ref('Node') } } },
    }),
    P,
    ['p · object', '  > Node', '    kids · map of object', '      Same as Node'],
  ),
  row(
    1,
    'a file of Swagger 2',
    'parameter',
    is('type', 'file'),
    swagger({
      consumes: ['multipart/form-data'],
      parameters: [{ name: 'file', in: 'formData', type: 'file', description: 'A photo.' }],
    }),
    BODY,
    ['The body is optional.', 'multipart/form-data', 'file · string<binary>', '  A photo.'],
  ),
  row(
    1,
    'securityDefinitions of Swagger 2',
    'scheme',
    (_, place) => isSwagger(place),
    swagger(
      { security: [{ login: ['read'] }] },
      {
        securityDefinitions: {
          login: {
            type: 'oauth2',
            flow: 'accessCode',
            authorizationUrl: 'https://id.example.com/auth',
            tokenUrl: 'https://id.example.com/token',
            scopes: { read: 'Read.' },
          },
        },
      },
    ),
    '# Authorization',
    [
      'Authorization · OAuth 2 · header · required',
      '  Bearer <token>',
      '  Scopes:',
      '  - read Read.',
      '  - authorization code https://id.example.com/auth https://id.example.com/token',
    ],
  ),
  row(
    0,
    'a cookie parameter',
    'parameter',
    is('in', 'cookie'),
    parameters({ name: 'session', in: 'cookie', schema: text }),
    '# Cookies',
    ['session · cookie · string'],
  ),
  row(
    0,
    'a parameter with content instead of a schema',
    'parameter',
    has('content'),
    parameters({
      name: 'where',
      in: 'query',
      content: { 'application/json': { schema: object('a'), example: { a: 'x' } } },
    }),
    'parameter-where',
    [
      'where · application/json · object · query',
      '  Example: {"a":"x"}',
      '  > child attributes',
      '    a · string',
    ],
  ),
  row(
    0,
    'a querystring parameter of 3.2',
    'parameter',
    is('in', 'querystring'),
    {
      ...parameters({
        name: 'search',
        in: 'querystring',
        content: { 'application/x-www-form-urlencoded': { schema: object('q') } },
      }),
      openapi: '3.2.0',
    },
    '# Query parameters',
    ['search · application/x-www-form-urlencoded · object · query', '  > child attributes', '    q · string'],
  ),
  row(
    0,
    'enum with x-enumNames',
    'schema',
    has('x-enumNames'),
    property({ type: 'integer', enum: [1, 2], 'x-enumNames': ['On', 'Off'] }),
    P,
    ['p · enum<integer>', '  Allowed values:', '  - 1 On', '  - 2 Off'],
  ),
  row(
    0,
    'enum with x-enumDescriptions by value',
    'schema',
    has('x-enumDescriptions'),
    property({ type: 'string', enum: ['a', 'b'], 'x-enumDescriptions': { b: 'Second.', a: 'First.' } }),
    P,
    ['p · enum<string>', '  Allowed values:', '  - a First.', '  - b Second.'],
  ),
  row(
    0,
    'examples of a property',
    'schema',
    ({ examples }) => Array.isArray(examples),
    property({ type: 'string', examples: ['Rex', 'Tom'] }),
    P,
    ['p · string', '  Example: Rex Tom'],
  ),
  row(
    0,
    'exclusive limits of 3.1',
    'schema',
    (one) => typeof one.exclusiveMinimum === 'number' || typeof one.exclusiveMaximum === 'number',
    property({ type: 'number', exclusiveMinimum: 0, maximum: 1 }),
    P,
    ['p · number', '  Range: 0 < x <= 1'],
  ),
  row(
    0,
    'unevaluatedProperties: false',
    'schema',
    is('unevaluatedProperties', false),
    property({ allOf: [object('a')], unevaluatedProperties: false }),
    P,
    ['p · object', '  Other properties are not allowed.', '  > child attributes', '    a · string'],
  ),
  row(
    0,
    'unevaluatedProperties with a schema',
    'schema',
    ({ unevaluatedProperties: more }) => isObject(more),
    property({ type: 'object', properties: { a: text }, unevaluatedProperties: number }),
    P,
    ['p · object', '  > child attributes', '    a · string', '    other properties · integer'],
  ),
  row(
    0,
    'patternProperties',
    'schema',
    has('patternProperties'),
    property({ type: 'object', patternProperties: { '^x-': text } }),
    P,
    ['p · object', '  > child attributes', '    /^x-/ · string'],
  ),
  row(
    0,
    'allOf with different types',
    'schema',
    ({ allOf }) =>
      new Set(list(allOf).flatMap((one) => (isObject(one) && typeof one.type === 'string' ? [one.type] : [])))
        .size > 1,
    property({ allOf: [{ type: 'string' }, { type: 'boolean' }] }),
    P,
    ['p · string', '  Different values in the description: type'],
  ),
  row(
    0,
    'allOf with different formats',
    'schema',
    ({ allOf }) =>
      new Set(
        list(allOf).flatMap((one) => (isObject(one) && typeof one.format === 'string' ? [one.format] : [])),
      ).size > 1,
    property({ allOf: [{ type: 'string', format: 'date' }, { format: 'uuid' }] }),
    P,
    ['p · string<date>', '  Different values in the description: format'],
  ),
  row(
    0,
    'allOf with values that exclude each other',
    'schema',
    ({ allOf }) => list(allOf).filter((one) => isObject(one) && one.enum !== undefined).length > 1,
    property({ allOf: [{ enum: ['a', 'b'] }, { enum: ['c'] }] }),
    P,
    ['p · enum<string>', '  Allowed values: a b', '  Different values in the description: enum'],
  ),
  row(
    0,
    'allOf with limits, of which the stricter count',
    'schema',
    ({ allOf }) =>
      list(allOf).filter((one) => isObject(one) && has('maximum', 'maxLength', 'minimum', 'minLength')(one))
        .length > 1,
    property({
      allOf: [
        { type: 'string', maxLength: 9 },
        { maxLength: 5, minLength: 2 },
      ],
    }),
    P,
    ['p · string', '  Range: 2 <= length <= 5'],
  ),
  row(
    0,
    'not with a type',
    'schema',
    ({ not }) => isObject(not) && not.type !== undefined && not.enum === undefined,
    property({ not: { type: 'integer' } }),
    P,
    ['p · any', '  Not: integer'],
  ),
  row(
    0,
    'recursion at the top of a response',
    'schema',
    () => false,
    response(
      { content: json(ref('Node')) },
      { components: { schemas: { Node: { type: 'object', properties: { next: ref('Node') } } } } },
    ),
    RESPONSE,
    ['200 Done.', 'application/json', 'next · object', '  Same as Node'],
  ),
  row(
    0,
    'recursion in one of several responses',
    'schema',
    () => false,
    operation(
      {
        responses: {
          200: { description: 'Done.' },
          201: { description: 'New.', content: json(ref('Node')) },
        },
      },
      { components: { schemas: { Node: { type: 'object', properties: { next: ref('Node') } } } } },
    ),
    RESPONSE,
    ['[200]', '  Done.', '[201]', '  New.', '  application/json', '  next · object', '    Same as Node'],
  ),
  row(
    0,
    'mutual recursion',
    'schema',
    () => false,
    property(ref('A'), { A: { properties: { b: ref('B') } }, B: { properties: { a: ref('A') } } }),
    P,
    ['p · object', '  > A', '    b · object', '      > B', '        a · object', '          Same as A'],
  ),
  row(
    0,
    'a reference to a file',
    'reference',
    (one) => /^[^#:]+$/.test(refOf(one)),
    {
      'api.json': JSON.stringify(property({ $ref: './schemas/pet.yaml' })),
      'schemas/pet.yaml': 'type: object\nproperties:\n  owner:\n    $ref: owner.yaml\n',
      'schemas/owner.yaml': 'type: string\nmaxLength: 4\n',
    },
    P,
    ['p · object', '  > pet', '    owner · string', '      Range: length <= 4'],
  ),
  row(
    0,
    'a reference to a part of a file',
    'reference',
    (one) => /^[^#:]+#\/[^/]+$/.test(refOf(one)),
    {
      'api.json': JSON.stringify(property({ $ref: 'models.json#/Pet' })),
      'models.json': JSON.stringify({ Pet: { properties: { tag: { $ref: '#/Tag' } } }, Tag: text }),
    },
    P,
    ['p · object', '  > Pet', '    tag · string'],
  ),
  row(
    0,
    'a reference to the components of another file',
    'reference',
    (one) => /^[^#:]+#\/components\//.test(refOf(one)),
    {
      'api.json': JSON.stringify(property({ $ref: 'other.json#/components/schemas/Pet' })),
      'other.json': JSON.stringify({ openapi: '3.0.0', components: { schemas: T } }),
    },
    P,
    ['p · object', '  > Pet', '    name · string'],
  ),
  row(
    0,
    'a path item by reference',
    'item',
    has('$ref'),
    {
      'api.json': JSON.stringify({ ...operation({}), paths: { '/things': { $ref: 'paths/things.json' } } }),
      'paths/things.json': JSON.stringify({
        get: { summary: 'Operation', parameters: [{ $ref: '../parameters.json#/q' }] },
      }),
      'parameters.json': JSON.stringify({ q: { name: 'q', in: 'query', schema: text } }),
    },
    '# Query parameters',
    ['q · string · query'],
  ),
  row(
    0,
    'a reference without a target',
    'reference',
    () => false,
    {
      'api.yaml':
        'openapi: 3.1.0\npaths:\n  /things:\n    post:\n      summary: Operation\n      requestBody:\n        required: true\n        content:\n          application/json:\n            schema:\n              properties:\n                q: { $ref: "#/components/schemas/Petty" }\n                p: { $ref: "#/components/schemas/Pet" }\ncomponents:\n  schemas:\n    Petty: { type: string }\n',
    },
    BODY,
    ['application/json', 'q · string', 'p · any'],
    { warns: ['description-reference api.yaml:13'] },
  ),
  row(
    0,
    'deep nesting',
    'schema',
    () => false,
    property(
      Array.from({ length: 14 }).reduce<JsonObject>(
        (inner, _, index) => ({ type: 'object', properties: { [`d${14 - index}`]: inner } }),
        text,
      ),
    ),
    P,
    [
      'p · object',
      '  > child attributes',
      '    d1 · object',
      '      > child attributes',
      '        d2 · object',
      '          > child attributes',
      '            d3 · object',
      '              > child attributes',
      '                d4 · object',
      '                  > child attributes',
      '                    d5 · object',
      '                      > child attributes',
      '                        d6 · object',
      '                          > child attributes',
      '                            d7 · object',
      '                              > child attributes',
      '                                d8 · object',
      '                                  > child attributes',
      '                                    d9 · object',
      '                                      > child attributes',
      '                                        d10 · object',
      '                                          > child attributes',
      '                                            d11 · object',
      '                                              More fields are in the API description.',
    ],
  ),
  row(
    0,
    'itemSchema of 3.2',
    'media',
    has('itemSchema'),
    {
      ...response({ content: { 'text/event-stream': { itemSchema: object('event', 'data') } } }),
      openapi: '3.2.0',
    },
    RESPONSE,
    [
      '200 Done.',
      'text/event-stream',
      'A stream of events, each with this content:',
      'event · string',
      'data · string',
    ],
  ),
  row(
    0,
    'an API key in a cookie',
    'scheme',
    (one) => one.type === 'apiKey' && one.in === 'cookie',
    secured({ key: { type: 'apiKey', in: 'cookie', name: 'sid' } }),
    '# Authorization',
    ['sid · API key, cookie · required', '  The API key.'],
  ),
  row(
    0,
    'the device flow of 3.2',
    'scheme',
    (one) => flows(one).deviceAuthorization !== undefined,
    {
      ...secured({
        key: {
          type: 'oauth2',
          flows: {
            deviceAuthorization: {
              deviceAuthorizationUrl: 'https://id.example.com/device',
              tokenUrl: 'https://id.example.com/token',
              scopes: {},
            },
          },
        },
      }),
      openapi: '3.2.0',
    },
    '# Authorization',
    [
      'Authorization · OAuth 2 · header · required',
      '  Bearer <token>',
      '  - device authorization https://id.example.com/device https://id.example.com/token',
    ],
  ),
  row(
    0,
    'OpenID Connect',
    'scheme',
    is('type', 'openIdConnect'),
    secured({
      key: {
        type: 'openIdConnect',
        openIdConnectUrl: 'https://id.example.com/.well-known/openid-configuration',
      },
    }),
    '# Authorization',
    [
      'Authorization · OpenID Connect · header · required',
      '  Bearer <token>',
      '  https://id.example.com/.well-known/openid-configuration',
    ],
  ),
  row(
    0,
    'mutual TLS',
    'scheme',
    is('type', 'mutualTLS'),
    secured({ key: { type: 'mutualTLS' } }),
    '# Authorization',
    ['key · mutual TLS · required', '  A client certificate.'],
  ),
  row(
    0,
    'a scheme that is not described',
    'operation',
    () => false,
    secured(
      {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        id: { type: 'apiKey', in: 'header', name: 'X-Id' },
      },
      [{ key: [] }, { gone: [] }],
    ),
    '# Authorization',
    ['[key]', '  X-Key · API key · header · required', '    The API key.', '[gone]', '  gone · required'],
    { warns: ['description-reference api.json:1'] },
  ),
  row(
    0,
    'callbacks',
    'operation',
    has('callbacks'),
    operation({
      callbacks: {
        done: {
          '{$request.body#/url}': {
            post: {
              summary: 'When it is done.',
              requestBody: { content: json(object('id')) },
              responses: { 200: { description: 'Received.' } },
            },
          },
        },
      },
    }),
    '# Callbacks',
    [
      '> done',
      '  POST {$request.body#/url}',
      '  When it is done.',
      '  application/json',
      '  id · string',
      '  200 Received.',
    ],
  ),
  row(0, 'x-hidden', 'operation', has('x-hidden'), operation({ 'x-hidden': true, responses: {} }), '', [
    'API Reference > Operation',
    'POST /things',
    'operation, not in the navigation',
  ]),
  row(
    0,
    'x-excluded',
    'operation',
    has('x-excluded'),
    {
      ...operation({}),
      paths: {
        '/things': {
          post: { summary: 'Excluded', 'x-excluded': true },
          get: { summary: 'Operation', responses: {} },
        },
      },
    },
    '',
    ['API Reference > Operation', 'GET /things', 'operation'],
  ),
  row(
    0,
    'x-group',
    'tag',
    has('x-group'),
    operation({ tags: ['pets'] }, { tags: [{ name: 'pets', 'x-group': 'All pets' }] }),
    '',
    ['All pets > Operation', 'POST /things', 'pets/operation'],
  ),
  row(
    0,
    'x-default of a scheme',
    'scheme',
    has('x-default'),
    secured({ key: { type: 'apiKey', in: 'header', name: 'X-Key', 'x-default': 'demo' } }),
    '# Authorization',
    ['X-Key · API key · header · required', '  The API key.'],
  ),
  row(
    0,
    'the method query of 3.2',
    'item',
    has('query'),
    {
      openapi: '3.2.0',
      paths: {
        '/things': {
          query: { summary: 'Operation', requestBody: { required: true, content: json(object('q')) } },
        },
      },
    },
    '',
    [
      'API Reference > Operation',
      'QUERY /things',
      'operation',
      '# Request body',
      'application/json',
      'q · string',
    ],
  ),
  row(
    0,
    'additionalOperations of 3.2',
    'item',
    has('additionalOperations'),
    {
      openapi: '3.2.0',
      paths: { '/things': { additionalOperations: { COPY: { summary: 'Operation', responses: {} } } } },
    },
    '',
    ['API Reference > Operation', 'COPY /things', 'operation'],
  ),
  row(
    0,
    'a tag with a parent (3.2)',
    'tag',
    has('parent'),
    {
      ...operation(
        { tags: ['cats'] },
        { tags: [{ name: 'pets' }, { name: 'cats', summary: 'Cats', parent: 'pets', kind: 'nav' }] },
      ),
      openapi: '3.2.0',
    },
    '',
    ['Cats > Operation', 'POST /things', 'cats/operation'],
  ),
  row(
    0,
    'a page of a schema (openapi-schema)',
    'schema',
    () => false,
    body(object('x'), { Model: { description: 'A model.', ...object('a', 'b') } }),
    '',
    ['a page of a schema (openapi-schema) > Model', 'page', 'A model.', 'a · string', 'b · string'],
    { page: '---\ntitle: Model\nopenapi-schema: Model\n---\n' },
  ),
  row(
    0,
    'a page of a schema with a circle',
    'schema',
    () => false,
    body(object('x'), { Tree: { type: 'object', properties: { next: ref('Tree') } } }),
    '',
    ['a page of a schema with a circle > Tree', 'page', 'next · object', '  Same as Tree'],
    { page: '---\ntitle: Tree\nopenapi-schema: Tree\n---\n' },
  ),
];
