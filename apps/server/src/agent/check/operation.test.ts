import { describe, expect, test } from 'vitest';
import { describeOperation, type OperationRequest } from './operation.ts';
import { readDescription } from './read-description.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  servers: [{ url: 'https://api.example.com' }],
  security: [{ key: [] }],
  paths: {
    '/users/{id}': {
      parameters: [{ $ref: '#/components/parameters/Id' }],
      get: {
        summary: 'Get a user',
        operationId: 'getUser',
        tags: ['Users'],
        parameters: [
          { name: 'id', in: 'path', required: true, description: 'Its own.', schema: { type: 'integer' } },
          {
            name: 'fields',
            in: 'query',
            schema: { type: 'array', items: { enum: ['a', 'b'], type: 'string' } },
          },
        ],
        responses: {
          200: {
            description: 'The user',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } },
          },
          404: { $ref: '#/components/responses/Missing' },
        },
      },
      put: {
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { oneOf: [{ $ref: '#/components/schemas/User' }, { type: 'string' }] },
            },
          },
        },
      },
    },
  },
  webhooks: { made: { post: { summary: 'A user was made' } } },
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
    responses: { Missing: { description: 'No such user' } },
    schemas: {
      User: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'The\n  name.', minLength: 1 },
          friends: { type: 'array', items: { $ref: '#/components/schemas/User' } },
          more: { allOf: [{ type: 'object', properties: { 'a/b~c': { $ref: '#/x/a~1b~0c' } } }] },
        },
      },
    },
  },
  x: { 'a/b~c': { type: 'boolean', default: true } },
};

const describeIn = (document: unknown, request: OperationRequest, files: Record<string, unknown> = {}) => {
  const texts = Object.entries({ ...files, 'api.json': document }).map(([path, value]) => [
    path,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const overlays = Object.keys(files).filter((path) => path.includes('overlay'));
  const read = readDescription(Object.fromEntries(texts), 'api.json', overlays);
  return 'fault' in read ? read : describeOperation(read, request);
};

const textOf = (method: string, path: string, document: unknown = DOCUMENT, page = 1): string => {
  const answer = describeIn(document, { method, path, page });
  return 'text' in answer ? answer.text : `fault: ${answer.fault}`;
};

test('an operation is described with its parameters, body and responses, references followed once', () => {
  expect(textOf('GET', '/users/{userId}/')).toBe(`GET /users/{id} - Get a user
operationId: getUser; tags: Users
Servers: https://api.example.com
Security: key (http bearer)

Parameters:
  id (path): integer (required) - Its own.
  fields (query): list of string

Responses:
  200: The user
  application/json: User object
    name: string (required, minLength 1) - The name.
    friends: list of User object
      (again User)
    more: object
      a/b~c: a/b~c boolean (default true)
  404: No such user`);
});

test('choices of a body and webhooks are described', () => {
  expect(textOf('put', 'users/:id')).toContain(
    '    choice 1: User object\n      name: string (required, minLength 1)',
  );
  expect(textOf('webhook', 'made')).toContain('WEBHOOK made - A user was made');
});

test('a missing operation returns those that exist, the closest first', () => {
  expect(textOf('delete', '/users/{id}')).toBe(
    'fault: The API description has no DELETE /users/{id}. It has: GET /users/{id}, PUT /users/{id}, WEBHOOK made.',
  );
});

test('a Swagger 2 description is read as OpenAPI 3', () => {
  const document = {
    swagger: '2.0',
    host: 'api.example.com',
    schemes: ['https'],
    paths: {
      '/users': {
        post: {
          parameters: [{ name: 'user', in: 'body', required: true, schema: { $ref: '#/definitions/User' } }],
          responses: { 200: { description: 'Made', schema: { $ref: '#/definitions/User' } } },
        },
      },
    },
    definitions: { User: { type: 'object', properties: { name: { type: 'string' } } } },
  };
  const text = textOf('post', '/users', document);
  expect(text).toContain('Servers: https://api.example.com');
  expect(text).toContain('Request body (required):\n  application/json: User object\n    name: string');
  expect(text).toContain('  200: Made\n');
});

test('references lead to other files of the docs, and overlays are applied', () => {
  const document = {
    openapi: '3.1.0',
    paths: {
      '/users': {
        get: {
          responses: {
            200: { content: { 'application/json': { schema: { $ref: 'parts/user.yaml#/User' } } } },
          },
        },
      },
    },
  };
  const files = {
    'parts/user.yaml':
      'User:\n  allOf:\n    - {properties: {name: {type: string}}}\n    - {$ref: ../base.json}\n',
    'base.json': { type: 'object', properties: { id: { type: 'integer', format: 'int64' } } },
    'overlay.yaml':
      'overlay: 1.0.0\nactions:\n  - {target: "$.paths[*].get", update: {summary: List users}}\n',
  };
  const answer = describeIn(document, { method: 'get', path: '/users' }, files);
  expect(answer).toEqual({
    text: 'GET /users - List users\n\nResponses:\n  200: \n  application/json: User object\n    name: string\n    id: integer int64',
  });
});

test('operations of OpenAPI 3.2 have methods of their own, and streams are described by event', () => {
  const responses = { 200: { content: { 'text/event-stream': { itemSchema: { type: 'string' } } } } };
  const document = {
    openapi: '3.2.0',
    paths: { '/a': { query: { summary: 'Search' }, additionalOperations: { LINK: { responses } } } },
  };
  expect(textOf('query', '/a', document)).toBe('QUERY /a - Search');
  expect(textOf('LINK', '/a', document)).toContain('  text/event-stream: stream of string');
});

describe('hostile descriptions', () => {
  const responses = (schema: unknown, more: object = {}) => ({
    openapi: '3.0.0',
    paths: { '/a': { get: { responses: { 200: { content: { 'text/x': { schema } } } } } } },
    ...more,
  });

  test('circles, references away and to nothing end', () => {
    const document = responses(
      { $ref: '#/s/A' },
      { s: { A: { $ref: '#/s/B' }, B: { $ref: '#/s/A' }, C: { $ref: 'http://a/b' }, __proto__: null } },
    );
    expect(textOf('get', '/a', document)).toContain('text/x: A any');
    for (const $ref of ['#/s/C', '#/nothing', '#/__proto__/x', '#/%E0%A4%A', 'other.yaml#/a', 7])
      expect(textOf('get', '/a', responses({ $ref }))).toMatch(/any$/);
  });

  test('fields that branch without end and long texts stay within the bound', () => {
    const wide: Record<string, unknown> = {};
    for (let index = 0; index < 12; index++) {
      const properties = Object.fromEntries(
        Array.from({ length: 30 }, (_, field) => [
          `f${field}`,
          { $ref: `#/s/S${(index * 7 + field) % 12}`, description: 'x'.repeat(5000) },
        ]),
      );
      wide[`S${index}`] = { type: 'object', description: 'y'.repeat(5000), properties };
    }
    const document = responses({ $ref: '#/s/S0' }, { s: wide });
    const first = textOf('get', '/a', document);
    expect(first.length).toBeLessThan(40_000);
    expect(first).toMatch(/\(page 1 of 20; continue with page=2\)$/);
    expect(textOf('get', '/a', document, 2).length).toBeLessThan(40_000);
    expect(textOf('get', '/a', document, 20).slice(-80)).toContain('(cut here');
    expect(textOf('get', '/a', document, 21)).toBe(
      'fault: Page 21 of the operation was not found: the last one is 20.',
    );
  });

  test.each([
    [null],
    [[]],
    ['text'],
    [{}],
    [{ paths: [] }],
    [{ paths: { '/a': 3 } }],
    [{ paths: { '/a': { get: [] } } }],
  ])('%j is an error', (document) => {
    expect(describeIn(document, { method: 'get', path: '/a' })).toHaveProperty('fault');
  });
});
