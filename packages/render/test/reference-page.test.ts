import { describe, expect, test } from 'vitest';
import { openPreview } from '../src/index.ts';
import { memorySource } from '../src/source.ts';
import { byRole, findOne } from './dom.ts';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

const siteOf = (operation: object, more: object = {}, file?: string): Record<string, string> =>
  apiSite(
    {
      openapi: '3.1.0',
      info: { title: 'API', version: '1' },
      paths: { '/things': { post: { summary: 'Operation', ...operation } } },
      ...more,
    },
    file,
  );

const PAGE = 'api-reference/operation';

async function show(operation: object, more: object, at?: string): Promise<string[]> {
  const output = await renderFiles(siteOf(operation, more));
  return outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, at);
}

describe('servers', () => {
  test('a single one is shown', async () => {
    const servers = [{ url: 'https://api.example.com/v1', description: 'Production' }];
    expect(await show({}, { servers }, '# Servers')).toEqual(['https://api.example.com/v1 Production']);
  });

  test.each(['', '/'])('the site itself (%j) is not shown', async (url) => {
    expect(await show({}, { servers: [{ url }] })).not.toContain('# Servers');
  });
});

describe('the form of a parameter', () => {
  const list = { type: 'array', items: { type: 'string' } };
  test.each([
    [{ in: 'query', schema: list }, 'p · string[] · query'],
    [{ in: 'query', schema: list, style: 'form', explode: true }, 'p · string[] · query'],
    [{ in: 'query', schema: list, explode: false }, 'p · explode: false · string[] · query'],
    [{ in: 'query', schema: list, style: 'pipeDelimited' }, 'p · pipeDelimited · string[] · query'],
    [
      { in: 'query', schema: list, style: 'spaceDelimited', explode: true },
      'p · spaceDelimited · explode: true · string[] · query',
    ],
    [{ in: 'query', schema: { type: 'string' }, explode: false }, 'p · string · query'],
    [{ in: 'header', schema: list, explode: true }, 'p · explode: true · string[] · header'],
    [
      { in: 'query', schema: { type: 'object' }, style: 'deepObject', explode: true },
      'p · deepObject · object · query',
    ],
  ])('%j is shown where it is not the default', async (parameter, line) => {
    const shown = await show({ parameters: [{ name: 'p', ...parameter }] }, {}, 'parameter-p');
    expect(shown[0]).toBe(line);
  });
});

describe('Markdown in a description', () => {
  const written = 'Read `id`, **then** [more](https://example.com/more).';
  const shown = 'Read id, then more.';

  test('of the only response', async () => {
    expect(await show({ responses: { 200: { description: written } } }, {}, '# Response')).toEqual([
      `200 ${shown}`,
    ]);
  });

  test('of a response, with blocks after its first paragraph', async () => {
    const description = 'One of:\n\n- first\n- second';
    expect(await show({ responses: { 200: { description } } }, {}, '# Response')).toEqual([
      '200 One of:',
      '- first',
      '- second',
    ]);
  });

  test('of a server', async () => {
    const servers = [{ url: 'https://api.example.com', description: written }];
    expect(await show({}, { servers }, '# Servers')).toEqual([`https://api.example.com ${shown}`]);
  });

  test('of the response to a callback', async () => {
    const responses = { 204: { description: written } };
    const callbacks = { done: { '{$request.body#/url}': { post: { responses } } } };
    expect(await show({ callbacks }, {}, '# Callbacks')).toEqual([
      '> done',
      '  POST {$request.body#/url}',
      `  204 ${shown}`,
    ]);
  });

  test('with attributes that are expressions, which are left out', async () => {
    const marked =
      '<strong style={{ color: "#4573D2" }} id={x}>Needs: </strong>`<b style={{ a: 1 }}>` {kept}';
    const parameters = [{ name: 'p', in: 'query', description: marked, schema: { type: 'string' } }];
    expect(await show({ parameters }, {}, 'parameter-p')).toEqual([
      'p · string · query',
      '  Needs: <b style={{ a: 1 }}> {kept}',
    ]);
  });

  test('of an allowed value', async () => {
    const schema = { type: 'string', enum: ['a', 'b'], 'x-enumDescriptions': { a: written, b: 'Plain' } };
    const parameters = [{ name: 'p', in: 'query', schema }];
    expect(await show({ parameters }, {}, 'parameter-p')).toEqual([
      'p · enum<string> · query',
      '  Allowed values:',
      `  - a ${shown}`,
      '  - b Plain',
    ]);
  });
});

describe('what leads on', () => {
  test('the documentation of an operation on another host', async () => {
    const externalDocs = { url: 'https://example.com/guide', description: 'The guide' };
    expect((await show({ externalDocs }, {})).at(3)).toBe('Related topics: The guide');
    const { files } = await renderFiles(siteOf({ externalDocs: { url: 'https://example.com/a?b=c&d' } }));
    expect(textOf({ files }, `${PAGE}.html`)).toContain('href="https://example.com/a?b=c&amp;d"');
  });

  test.each(['javascript:alert(1)', 5])('no documentation at %j', async (url) => {
    expect((await show({ externalDocs: { url } }, {})).join()).not.toContain('Related');
  });

  test.each([
    ['/guides/first_one', '../guides/first_one.html'],
    ['../guides/first_one.mdx', '../guides/first_one.html'],
    ['/nope a', '../nope%20a.html'],
  ])('documentation at %j is relative to the description', async (url, href) => {
    const externalDocs = { url, description: 'A *guide* {1} &amp; <b>' };
    const files = {
      ...siteOf({ externalDocs }, {}, 'specs/api.json'),
      'guides/first_one.mdx': '---\ntitle: First\n---\n',
    };
    const output = await renderFiles(files);
    const html = textOf(output, `${PAGE}.html`);
    expect(findOne(html, { role: 'link', name: 'A *guide* {1} &amp; <b>' }).attributes.href).toBe(href);
    expect(output.result.warnings.map(({ code, line }) => [code, line])).toEqual(
      url.startsWith('/nope') ? [['broken-link', null]] : [],
    );
  });

  test('links of a response to other operations', async () => {
    const links = {
      next: {
        operationId: 'readThing',
        description: 'Reads **it**.',
        parameters: { id: '$response.body#/id', limit: 5 },
      },
      same: { operationRef: '#/paths/~1things~1{id}/get' },
      none: {
        operationId: 'unknown id',
        server: {
          url: 'https://{region}.example.com',
          description: 'Of the *region*.',
          variables: { region: { default: 'eu', enum: ['eu', 'us'], description: 'Where it is.' } },
        },
      },
      shared: { $ref: '#/components/links/Shared' },
    };
    const more = {
      paths: {
        '/things': { post: { summary: 'Operation', responses: { 200: { description: 'Done.', links } } } },
        '/things/{id}': { get: { operationId: 'readThing', summary: 'Read a thing' } },
      },
      components: { links: { Shared: { operationId: 'readThing', requestBody: '$request.body' } } },
    };
    expect(await show({}, more, '# Response')).toEqual([
      '200 Done.',
      'links:',
      '- next: readThing',
      '  id: $response.body#/id',
      '  limit: 5',
      '  Reads it.',
      '- same: GET /things/{id}',
      '- none: unknown id',
      '  server: https://{region}.example.com Of the region.',
      '  - region = eu: eu | us Where it is.',
      '- shared: readThing',
      '  Request body: $request.body',
    ]);
    const { files } = await renderFiles(siteOf({}, more));
    const [shown] = byRole(textOf({ files }, `${PAGE}.html`), 'link', 'readThing');
    expect(shown?.attributes.href).toBe('read-a-thing.html');
  });
});

test('links to an operation lead to its page, as viewers of one page write them', async () => {
  const links = [
    '[by id](#operation/readThing)',
    '[with tag](#tag/things/operation/readThing)',
    '[by path](#tag/things/GET/things/{id})',
    '[encoded](#tag/things/GET/things/%7Bid%7D)',
    '[gone](#tag/things/GET/none)',
    '**Read [this](#tag/things) first**',
  ];
  const description = links.join('\n\n');
  const paths = {
    '/things': { post: { summary: 'Operation', description, responses: {} } },
    '/things/{id}': { get: { operationId: 'readThing', summary: 'Read a thing' } },
  };
  const { files } = await renderFiles(siteOf({}, { paths }));
  const page = textOf({ files }, `${PAGE}.html`);
  for (const name of ['by id', 'with tag', 'by path', 'encoded'])
    expect(byRole(page, 'link', name)[0]?.attributes.href).toBe('read-a-thing.html');
  const twin = textOf({ files }, `${PAGE}.md`);
  expect(twin).toContain('**gone**');
  expect(twin).toContain('**Read this first**');
});

describe('examples of a description', () => {
  const schema = { type: 'object', properties: { id: { type: 'string' } } };
  const named = (...names: string[]): object =>
    Object.fromEntries(names.map((name) => [name, { summary: `Example ${name}`, value: { id: name } }]));
  const bodyOf = (content: object): object => ({ requestBody: { required: true, content } });

  test('a single one of a body is in the samples only', async () => {
    const body = bodyOf({ 'application/json': { schema, examples: named('a') } });
    expect(await show(body, {}, '# Request body')).toEqual(['application/json', 'id · string']);
  });

  test('a single one of a body is below its fields if no sample has it', async () => {
    const body = bodyOf({ 'application/json': { schema, examples: named('a') } });
    const expected = ['application/json', 'id · string', '> Example: Example a', '  { "id": "a" }'];
    const samples = ['curl', 'python', 'javascript'].map((lang) => ({ lang, source: 'send()' }));
    expect(await show({ ...body, 'x-codeSamples': samples }, {}, '# Request body')).toEqual(expected);
    const paths = { '/things': { get: { summary: 'Operation', ...body } } };
    expect(await show({}, { paths }, '# Request body')).toEqual(expected);
  });

  test('several of a body are below its fields, with their descriptions', async () => {
    const examples = {
      ...named('a'),
      b: { description: 'With **text**.', value: { id: 'b' } },
      c: { externalValue: 'https://example.com/c.json', summary: 'Large' },
      d: { externalValue: 'javascript:alert(1)' },
    };
    const body = bodyOf({ 'application/json': { schema, examples } });
    expect(await show(body, {}, '# Request body')).toEqual([
      'application/json',
      'id · string',
      '> Example: Example a',
      '  { "id": "a" }',
      '> Example: b',
      '  With text.',
      '  { "id": "b" }',
      '> Example: Large',
      '  https://example.com/c.json',
    ]);
  });

  test('those of other content types of a body are there too', async () => {
    const text = { schema: { type: 'string' }, example: 'plain' };
    const body = bodyOf({ 'application/json': { schema, example: { id: 'a' } }, 'text/plain': text });
    expect((await show(body, {}, '# Request body')).slice(-2)).toEqual(['> Example: text/plain', '  plain']);
  });

  test('many of one response leave room for those of the others', async () => {
    const content = (...names: string[]): object => ({
      'application/json': { schema, examples: named(...names) },
    });
    const many = Array.from({ length: 30 }, (_, index) => `n${index}`);
    const responses = {
      200: { description: 'Done.', content: content(...many) },
      400: { description: 'Bad.', content: content('x', 'y') },
    };
    const tabs = (await show({ responses }, {}, 'response-example')).filter((line) => line.startsWith('['));
    expect(tabs.slice(0, 2)).toEqual(['[200 Example n0]', '[200 Example n1]']);
    expect(tabs).toHaveLength(24);
    expect(tabs.slice(-2)).toEqual(['[400 Example x]', '[400 Example y]']);
  });

  test('the more of one body, the less of each is shown, so that the page stays small', async () => {
    const values = (count: number): object =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`n${index}`, { value: 'x '.repeat(5_000) }]),
      );
    const lengths = async (count: number): Promise<number[]> => {
      const body = bodyOf({ 'text/plain': { schema: { type: 'string' }, examples: values(count) } });
      const lines = await show(body, {}, '# Request body');
      return lines.filter((line) => /^ +x/.test(line)).map((line) => line.length);
    };
    const few = await lengths(2);
    expect(few).toHaveLength(2);
    expect(Math.min(...few)).toBeGreaterThan(7_900);
    const many = await lengths(20);
    expect(many).toHaveLength(20);
    expect(many.reduce((sum, length) => sum + length)).toBeLessThan(33_000);
    expect(Math.min(...many)).toBeGreaterThan(1_500);
  });

  test('those of other content types of a response follow, and descriptions are in the response', async () => {
    const responses = {
      200: {
        description: 'Done.',
        content: {
          'application/json': {
            schema,
            examples: { a: { description: 'The **usual** one.', value: { id: 'a' } } },
          },
          'text/plain': { schema: { type: 'string' }, example: 'plain' },
        },
      },
    };
    const tabs = (await show({ responses }, {}, 'response-example')).filter((line) => line.startsWith('['));
    expect(tabs).toEqual(['[200]', '[200 text/plain]']);
    expect((await show({ responses }, {}, '# Response')).at(-1)).toBe('Example a: The usual one.');
  });
});

test('a response by a reference without a target keeps its status', async () => {
  const responses = { 200: { description: 'Done.' }, 401: { $ref: 'other.json#/Denied' } };
  expect(await show({ responses }, {}, '# Response')).toEqual(['[200]', '  Done.', '[401]']);
});

test('parts of Swagger 2.0 in other files are shown as those of its own file', async () => {
  const api = {
    swagger: '2.0',
    info: { title: 'API', version: '1' },
    host: 'api.example.com',
    consumes: ['application/json'],
    produces: ['application/json'],
    paths: {
      '/things': { $ref: 'parts/things.json' },
      '/other': { get: { responses: { 200: { $ref: '#/responses/Done' } } } },
    },
    responses: { Done: { $ref: 'parts/shared.json#/Done' } },
    definitions: { Thing: { type: 'object', properties: { id: { type: 'string' } } } },
  };
  const things = {
    parameters: [{ $ref: 'shared.json#/Limit' }],
    post: {
      summary: 'Operation',
      parameters: [
        { $ref: 'shared.json#/Tags' },
        { name: 'thing', in: 'body', required: true, schema: { $ref: '../api.json#/definitions/Thing' } },
      ],
      responses: { 200: { $ref: 'shared.json#/Done' } },
    },
  };
  const shared = {
    Limit: { name: 'limit', in: 'query', type: 'integer', maximum: 9 },
    Tags: { name: 'tags', in: 'query', type: 'array', collectionFormat: 'csv', items: { type: 'string' } },
    Done: { description: 'Done.', schema: { $ref: '#/Part' } },
    Part: { type: 'object', properties: { name: { type: 'string' } } },
  };
  const output = await renderFiles({
    ...siteOf({}),
    'api.json': JSON.stringify(api),
    'parts/things.json': JSON.stringify(things),
    'parts/shared.json': JSON.stringify(shared),
  });
  const part = (at: string): string[] => outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, at);
  expect(part('# Query parameters')).toEqual([
    'limit · integer · query',
    '  Range: x <= 9',
    'tags · explode: false · string[] · query',
  ]);
  expect(part('# Request body')).toEqual(['application/json', 'id · string']);
  expect(part('# Response')).toEqual(['200 Done.', 'application/json', 'name · string']);
  const other = 'api-reference/get-other.html';
  expect(outline(textOf(output, other), other, '# Response')).toEqual([
    '200 Done.',
    'application/json',
    'name · string',
  ]);
  expect(output.result.warnings.filter(({ code }) => code === 'description-reference')).toEqual([]);
});

test('a preview has the Markdown copy of the page of a schema', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 250 }, (_, index) => [`p${index}`, { $ref: '#/components/schemas/Part' }]),
  );
  const part = {
    type: 'object',
    properties: { a: { type: 'object', properties: { b: { type: 'string' } } } },
  };
  const schema = { type: 'object', properties };
  const files = siteOf(
    { requestBody: { content: { 'application/json': { schema } } } },
    { components: { schemas: { Part: part } } },
  );
  const preview = openPreview({ source: memorySource(files), siteUrl: null });
  expect(preview.page(`${PAGE}.html`)).not.toBeNull();
  const page = preview.page('api-reference/schemas/part.html');
  expect(page).not.toBeNull();
  const copy = String(await preview.file('api-reference/schemas/part.md'));
  expect(copy).toMatch(/^# Part/m);
  const { files: exported } = await renderFiles(files, { siteUrl: null });
  expect(copy).toBe(exported.get('api-reference/schemas/part.md'));
});

test('an error in the text of a schema is reported for the description, not for the page of the schema', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 250 }, (_, index) => [`p${index}`, { $ref: '#/components/schemas/Part' }]),
  );
  const inner = { type: 'string', description: 'See [this](missing-page).' };
  const files = siteOf(
    { requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } } },
    { components: { schemas: { Part: { type: 'object', properties: { a: inner } } } } },
  );
  const { result } = await renderFiles(files);
  expect(result.warnings.filter(({ code }) => code === 'broken-link').map(({ file }) => file)).toEqual([
    'api.json',
  ]);
});

test('scopes that an operation needs are shown with what they allow, and where to renew a token', async () => {
  const flow = {
    tokenUrl: 'https://example.com/token',
    refreshUrl: 'https://example.com/renew',
    scopes: { read: 'Read **all**.', write: '', more: 'Not needed.' },
  };
  const flows = { clientCredentials: flow, password: { ...flow, scopes: { read: 'Another text.' } } };
  const more = {
    components: { securitySchemes: { key: { type: 'oauth2', flows } } },
    security: [{ key: ['read', 'write', 'unknown'] }],
  };
  expect(await show({}, more, '# Authorization')).toEqual([
    'Authorization · OAuth 2 · header · required',
    '  Bearer <token>',
    '  Scopes:',
    '  - read Read all.',
    '  - write',
    '  - unknown',
    '  - client credentials https://example.com/token https://example.com/renew',
    '  - password https://example.com/token https://example.com/renew',
  ]);
});

test('an alternative that is a list shows what its items allow', async () => {
  const state = { type: 'string', enum: ['on', 'off'], description: 'A state.' };
  const schema = { oneOf: [{ type: 'array', items: state, maxItems: 3 }, { type: 'integer' }] };
  const parameters = [{ name: 'p', in: 'query', schema }];
  expect(await show({ parameters }, {}, 'parameter-p')).toEqual([
    'p · enum<string>[] | integer · query',
    '  One of:',
    '  - enum<string>[]',
    '    A state.',
    '    Range: items <= 3',
    '    Allowed values: on off',
    '  - integer',
  ]);
});
