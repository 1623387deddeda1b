/** Operations that cover places, styles and content types of requests. Every request contains the word `zebra`. */

type Json = Record<string, unknown>;

interface Case {
  method?: string;
  parameters?: Json[];
  /** Part of the path after the number of the operation. */
  path?: string;
  body?: { type: string; content: Json };
  security?: Json[];
}

export const TEXTS: readonly string[] = [
  'zebra',
  'zebra a/b?c&d=e#f;g,h:i@j+k',
  'zebra é 😀 ~*!()',
  `zebra "q" 'a' \\ $HOME \`id\` %41 {x} [y] | ^ <z>`,
];
const BOOLEANS = [true, false];

const string = { type: 'string' };
/** Values of a text by shape, each with a schema. */
const shapes = (text: string): { schema: Json; example: unknown }[] => [
  { schema: string, example: text },
  { schema: { type: 'array', items: string }, example: [text, 'b', 'c d'] },
  {
    schema: {
      type: 'object',
      properties: { a: string, b: { type: 'integer' }, 'c d': { type: 'boolean' } },
    },
    example: { a: text, b: 2, 'c d': true },
  },
];

const parameter = (place: string, name: string, more: Json): Json => ({
  in: place,
  name,
  ...(place === 'path' ? { required: true } : {}),
  ...more,
});

const each = <T>(list: readonly T[], make: (item: T) => Case[]): Case[] => list.flatMap(make);

const paths = each(TEXTS, (text) =>
  ['simple', 'label', 'matrix'].flatMap((style) =>
    BOOLEANS.flatMap((explode) =>
      shapes(text).flatMap((value) => [
        { path: '/{p}', parameters: [parameter('path', 'p', { style, explode, ...value })] },
      ]),
    ),
  ),
);

const queries = each(TEXTS, (text) => [
  ...BOOLEANS.flatMap((allowReserved) =>
    BOOLEANS.flatMap((explode) => [
      ...shapes(text).map((value) => ({
        parameters: [parameter('query', 'p[é]', { style: 'form', explode, allowReserved, ...value })],
      })),
      ...['spaceDelimited', 'pipeDelimited'].flatMap((style) =>
        shapes(text)
          .slice(1)
          .map((value) => ({
            parameters: [parameter('query', 'p', { style, explode, allowReserved, ...value })],
          })),
      ),
    ]),
  ),
  ...[{ a: text }, { a: { b: [text, 'x'] }, c: [] }].map((example) => ({
    parameters: [
      parameter('query', 'filter', {
        style: 'deepObject',
        explode: true,
        schema: { type: 'object' },
        example,
      }),
    ],
  })),
]);

const headersAndCookies = each(TEXTS, (text) =>
  BOOLEANS.flatMap((explode) =>
    shapes(text).flatMap((value) => [
      { parameters: [parameter('header', 'X-P', { style: 'simple', explode, ...value })] },
      { parameters: [parameter('cookie', 'p', { style: 'form', explode, ...value })] },
    ]),
  ),
);

const contents = each(TEXTS, (text) => [
  ...['path', 'query', 'header', 'cookie'].map((place) => ({
    path: place === 'path' ? '/{p}' : '/x',
    parameters: [
      parameter(place, 'p', {
        content: { 'application/json': { schema: { type: 'object' }, example: { a: [text] } } },
      }),
    ],
  })),
  { parameters: [parameter('cookie', 'p', { style: 'cookie', schema: string, example: text })] },
  ...['application/json', 'application/x-www-form-urlencoded'].map((type) => ({
    parameters: [
      parameter('querystring', 'all', {
        content: { [type]: { schema: shapes(text)[2]?.schema, example: { a: text } } },
      }),
    ],
  })),
]);

const json = (text: string): Json => ({
  schema: {
    type: 'object',
    properties: { text: string, list: { type: 'array', items: {} }, any: {}, inner: { type: 'object' } },
  },
  example: {
    text,
    list: [text, 1.5, null, true],
    any: `${text}\nsecond line`,
    inner: { [text]: [], big: -1e21, long: [JSON.rawJSON('-9223372036854775807')] },
    'not described': [{ text }],
  },
});

const bodies = each(TEXTS, (text) => [
  ...['post', 'put', 'patch', 'delete', 'query'].map((method) => ({
    method,
    body: { type: 'application/json', content: json(text) },
  })),
  ...['application/vnd.api+json', 'application/merge-patch+json; charset=utf-8', 'application/*'].map(
    (type) => ({
      body: { type, content: json(text) },
    }),
  ),
  ...[text, [text, 2], { a: text }].map((example) => ({
    body: { type: 'application/json', content: { schema: {}, example } },
  })),
  {
    body: {
      type: 'application/x-ndjson',
      content: { schema: { type: 'array' }, example: [{ text }, { text: 2 }] },
    },
  },
  ...['text/plain', 'application/xml', 'application/yaml', 'text/csv', 'text/html'].map((type) => ({
    body: { type, content: { schema: string, example: `${text}\n  second: "line"\n` } },
  })),
]);

const form = 'application/x-www-form-urlencoded';
const encodings: Json[] = [
  {},
  ...['form', 'spaceDelimited', 'pipeDelimited'].flatMap((style) =>
    BOOLEANS.map((explode) => ({ style, explode })),
  ),
  { style: 'deepObject', explode: true },
  { contentType: 'application/json' },
];

const forms = each(TEXTS, (text) =>
  encodings.flatMap((encoding) =>
    shapes(text)
      .slice(1)
      .map(({ schema, example }) => ({
        body: {
          type: form,
          content: {
            schema: { type: 'object', properties: { 'f é': schema, plain: string } },
            example: { 'f é': example, plain: text },
            encoding: { 'f é': encoding },
          },
        },
      })),
  ),
);

const multiparts = each(TEXTS, (text) => [
  ...[
    {},
    { contentType: 'text/x-a' },
    { contentType: 'application/json' },
    { style: 'form', explode: true },
  ].flatMap((encoding) =>
    shapes(text).map(({ schema, example }) => ({
      body: {
        type: 'multipart/form-data',
        content: {
          schema: { type: 'object', properties: { part: schema, plain: string } },
          example: { part: example, plain: text },
          encoding: { part: encoding },
        },
      },
    })),
  ),
  {
    body: {
      type: 'multipart/form-data',
      content: {
        schema: {
          type: 'object',
          required: ['photo'],
          properties: { photo: { type: 'string', format: 'binary' }, text: string },
        },
        example: { text },
      },
    },
  },
  {
    body: {
      type: 'multipart/mixed',
      content: {
        schema: {
          type: 'object',
          required: ['photo'],
          properties: { photo: { type: 'string', format: 'binary' }, text: string },
        },
        example: { text },
      },
    },
  },
  ...['multipart/mixed', 'multipart/related'].map((type) => ({
    body: {
      type,
      content: {
        schema: { type: 'object', properties: { meta: { type: 'object' }, text: string } },
        example: { meta: { a: text }, text },
      },
    },
  })),
]);

const files: Case[] = ['application/octet-stream', 'image/png'].map((type) => ({
  parameters: [parameter('query', 'p', { schema: string, example: 'zebra' })],
  body: { type, content: {} },
}));

const secured: Case[] = [
  ...TEXTS.flatMap((_, at) =>
    ['header', 'query', 'cookie'].map((place) => ({ security: [{ [`${place}${at}`]: [] }] })),
  ),
  { security: [{ bearer: [] }] },
  { security: [{ digest: [] }] },
  { security: [{ bearer: [], header0: [], cookie1: [] }] },
  { security: [{ query1: [] }, { bearer: [] }] },
];

/** All places at once, with each method. */
const mixed = each(TEXTS, (text) =>
  ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'].flatMap((method) =>
    [';p', '{p}'].map((name) => ({
      method,
      path: name === '{p}' ? '/a b/{p}' : '/fix;ed=é/{p}',
      parameters: [
        parameter('path', 'p', { style: 'matrix', schema: string, example: text }),
        parameter('query', 'q', { schema: { type: 'array', items: string }, example: [text, '&'] }),
        parameter('header', 'X-Trace', { schema: string, example: text }),
        parameter('cookie', 'session', { schema: string, example: text }),
      ],
      security: [{ bearer: [] }],
      ...(/get|head|options/.test(method) ? {} : { body: { type: 'application/json', content: json(text) } }),
    })),
  ),
);

const securitySchemes: Json = {
  bearer: { type: 'http', scheme: 'bearer', 'x-default': 'zebra.token' },
  digest: { type: 'http', scheme: 'hoba', 'x-default': 'result="zebra"' },
  ...Object.fromEntries(
    TEXTS.flatMap((text, at) =>
      ['header', 'query', 'cookie'].map((place) => [
        `${place}${at}`,
        { type: 'apiKey', in: place, name: `X-Key-${at}`, 'x-default': text },
      ]),
    ),
  ),
};

/** A description in OpenAPI 3.2 of operations below `/0`, `/1` and so on. */
export function generatedDescription(server: string): { document: Json; count: number } {
  const cases = [
    ...[paths, queries, headersAndCookies, contents, bodies, forms, multiparts, files, secured, mixed].flat(),
  ];
  const entries = cases.map(({ method, parameters = [], path = '/x', body, security = [] }, index) => {
    const operation = {
      summary: `Operation ${index}`,
      operationId: `operation${index}`,
      parameters,
      security,
      ...(body === undefined
        ? {}
        : { requestBody: { required: true, content: { [body.type]: body.content } } }),
      responses: { 200: { description: 'Done' } },
    };
    return [`/${index}${path}`, { [method ?? (body === undefined ? 'get' : 'post')]: operation }];
  });
  const document = {
    openapi: '3.2.0',
    info: { title: 'Generated', version: '1' },
    servers: [{ url: server }],
    components: { securitySchemes },
    paths: Object.fromEntries(entries) as Json,
  };
  return { document, count: cases.length };
}
