import { describe, expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

async function render(item: object, more: object = {}) {
  return renderFiles(
    apiSite({
      openapi: '3.2.0',
      info: { title: 'API', version: '1' },
      paths: { '/things': item },
      ...more,
    }),
  );
}

const PAGE = 'api-reference/operation';
type Output = Awaited<ReturnType<typeof render>>;
const shown = (output: Output, at?: string): string[] =>
  outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, at);

test('variables of servers are below the server whose variable they describe', async () => {
  const region = (value: string) => ({ default: value, enum: [value, `${value}-2`] });
  const version = { default: 'v1', description: 'The version.' };
  const servers = [
    { url: 'https://{region}.a.example/{version}', variables: { region: region('us'), version } },
    { url: 'https://{region}.b.example/{version}', variables: { region: region('asia'), version } },
  ];
  const output = await render({ get: { summary: 'Operation' } }, { servers });
  expect(shown(output, '# Servers')).toEqual([
    'https://{region}.a.example/{version}',
    'region · enum<string> · default: us',
    '  Allowed values: us us-2',
    'https://{region}.b.example/{version}',
    'region · enum<string> · default: asia',
    '  Allowed values: asia asia-2',
    'version · string · default: v1',
    '  The version.',
  ]);
  const html = textOf(output, `${PAGE}.html`);
  for (const id of ['server-region', 'server-2-region', 'server-version'])
    expect(html).toContain(`id="${id}"`);
});

describe('encodings of a form', () => {
  const text = { type: 'string' };
  const content = {
    'multipart/form-data': {
      schema: { type: 'object', properties: { photo: {}, meta: text } },
      encoding: {
        photo: {
          contentType: 'image/png, image/jpeg',
          headers: { 'X-Trace': { description: 'An id.', schema: text }, 'Content-Type': { schema: text } },
        },
        meta: {},
        gone: { contentType: 5 },
      },
    },
  };

  test('are shown with their content types and headers', async () => {
    expect(
      shown(
        await render({ post: { summary: 'Operation', requestBody: { required: true, content } } }),
        '# Request body',
      ),
    ).toEqual([
      'multipart/form-data',
      'photo · any',
      'meta · string',
      'photo: image/png, image/jpeg',
      '> photo',
      '  X-Trace · string · header',
      '    An id.',
    ]);
  });
});

test('the Markdown copy has the labels of fields', async () => {
  const list = { type: 'array', items: { type: 'string' } };
  const properties = { id: { type: 'string', readOnly: true, 'x-mint': { pre: ['new'], post: ['beta'] } } };
  const output = await render({
    get: {
      summary: 'Operation',
      parameters: [
        { name: 'tags', in: 'query', required: true, style: 'pipeDelimited', explode: false, schema: list },
      ],
      responses: { 200: { content: { 'application/json': { schema: { type: 'object', properties } } } } },
    },
  });
  const copy = textOf(output, `${PAGE}.md`);
  expect(copy).toContain('- `tags` (string[], required, pipeDelimited)\n');
  expect(copy).toContain('- `id` (new, string, read-only, beta)\n');
});

test('a body that may be null starts with its type', async () => {
  const user = { type: 'object', properties: { id: { type: 'string' } } };
  const content = (schema: object) => ({ 'application/json': { schema } });
  const output = await render({
    post: {
      summary: 'Operation',
      requestBody: {
        required: true,
        content: content({ oneOf: [user, { type: 'array' }, { type: 'null' }] }),
      },
      responses: { 200: { description: 'Done.', content: content({ anyOf: [user, { type: 'null' }] }) } },
    },
  });
  expect(shown(output, '# Request body').slice(0, 3)).toEqual([
    'application/json',
    'object | array | null',
    'One of:',
  ]);
  expect(shown(output, '# Response').slice(1)).toEqual(['application/json', 'object | null', 'id · string']);
});

test('content types with the same schema are apart if only one has encodings or is a stream', async () => {
  const schema = { type: 'object', properties: { meta: { type: 'object' } } };
  const encoding = { meta: { contentType: 'application/json' } };
  const output = await render({
    post: {
      summary: 'Operation',
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': { schema },
          'multipart/form-data': { schema, encoding },
        },
      },
      responses: { 200: { content: { 'application/json': { schema }, 'text/event-stream': { schema } } } },
    },
  });
  expect(shown(output, '# Request body').slice(0, 5)).toEqual([
    '[application/x-www-form-urlencoded]',
    '  meta · object',
    '[multipart/form-data]',
    '  meta · object',
    '  meta: application/json',
  ]);
  expect(shown(output, '# Response').slice(1)).toEqual([
    '[application/json]',
    '  meta · object',
    '[text/event-stream]',
    '  A stream of events, each with this content:',
    '  meta · object',
  ]);
});

describe('OpenAPI 3.2', () => {
  test('parts of a body without names show their content types and headers by their place', async () => {
    const text = { type: 'string' };
    const content = {
      'multipart/mixed': {
        schema: { type: 'array', items: text },
        prefixEncoding: [{ contentType: 'application/json' }, { headers: { 'X-Part': { schema: text } } }],
        itemEncoding: { contentType: 'image/png' },
      },
    };
    const output = await render({ post: { summary: 'Operation', requestBody: { required: true, content } } });
    expect(shown(output, '# Request body').slice(2)).toEqual([
      '[0]: application/json',
      '> [1]',
      '  X-Part · string · header',
      '[2…]: image/png',
    ]);
  });

  test('a cookie of the style cookie is exploded unless it says otherwise', async () => {
    const schema = { type: 'object', properties: {} };
    const cookie = (name: string, more: object) => ({ name, in: 'cookie', schema, ...more });
    const parameters = [cookie('a', { style: 'cookie' }), cookie('b', { style: 'cookie', explode: false })];
    expect(shown(await render({ get: { summary: 'Operation', parameters } }), '# Cookies')).toEqual([
      'a · cookie · style: cookie · object',
      'b · cookie · style: cookie · explode: false · object',
    ]);
  });

  test('a response shows its summary and its description', async () => {
    const responses = { 200: { summary: 'Found', description: 'All of them.' }, 404: { summary: 'Gone' } };
    expect(shown(await render({ get: { summary: 'Operation', responses } }), '# Response')).toEqual([
      '[200]',
      '  Found',
      '  All of them.',
      '[404]',
      '  Gone',
    ]);
  });

  test('a server shows its name and its description', async () => {
    const servers = [{ url: 'https://api.example.com', name: 'main', description: 'Production.' }];
    expect(shown(await render({ get: { summary: 'Operation', servers } }), '# Servers')).toEqual([
      'https://api.example.com main: Production.',
    ]);
  });

  test('an OAuth 2 scheme shows where its metadata is, and that it is deprecated', async () => {
    const flows = {
      deviceAuthorization: {
        deviceAuthorizationUrl: 'https://id.example.com/device',
        tokenUrl: 'https://id.example.com/token',
        scopes: {},
      },
    };
    const scheme = {
      type: 'oauth2',
      deprecated: true,
      oauth2MetadataUrl: 'https://id.example.com/metadata',
      flows,
    };
    const output = await render(
      { get: { summary: 'Operation', security: [{ login: [] }] } },
      { components: { securitySchemes: { login: scheme } } },
    );
    expect(shown(output, '# Authorization')).toEqual([
      'Authorization · OAuth 2 · header · required · deprecated',
      '  Bearer <token>',
      '  - device authorization https://id.example.com/device https://id.example.com/token',
      '  https://id.example.com/metadata',
    ]);
  });

  test('the description for agents has what is written for all operations of the path', async () => {
    const shared = {
      servers: [{ url: 'https://path.example.com' }],
      parameters: [{ name: 'id', in: 'query', schema: { type: 'string' } }],
    };
    const copy = textOf(
      await render({ ...shared, summary: 'Things', get: { summary: 'Operation' } }),
      `${PAGE}.md`,
    );
    const embedded = /```json OpenAPI\n([\s\S]*?)\n```/.exec(copy)?.[1] ?? '';
    expect(JSON.parse(embedded)).toEqual({ paths: { '/things': { ...shared, get: {} } } });
  });

  test('schemes are not required where a request can be sent without them', async () => {
    const securitySchemes = { key: { type: 'apiKey', in: 'query', name: 'key' } };
    const output = await render(
      { get: { summary: 'Operation', security: [{}, { key: [] }] } },
      { components: { securitySchemes } },
    );
    expect(shown(output, '# Authorization').slice(0, 2)).toEqual([
      'A request can also be sent without authorization.',
      'key · API key · query',
    ]);
  });

  test('an operation of another method is in the description for agents as it is written', async () => {
    const copy = textOf(
      await render({ additionalOperations: { COPY: { summary: 'Operation' } } }),
      `${PAGE}.md`,
    );
    const embedded = /```json OpenAPI\n([\s\S]*?)\n```/.exec(copy)?.[1] ?? '';
    expect(JSON.parse(embedded)).toEqual({ paths: { '/things': { additionalOperations: { COPY: {} } } } });
  });
});
