import { describe, expect, test } from 'vitest';
import { valuesOf } from './dom.ts';
import { apiSite, type Output, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

async function render(description: object): Promise<Output> {
  return renderFiles(apiSite({ openapi: '3.1.0', info: { title: 'API', version: '1' }, ...description }));
}

const shown = (output: Output, page: string, at?: string): string[] =>
  outline(textOf(output, `${page}.html`), `${page}.html`, at);

const json = (name: string) => ({
  'application/json': { schema: { type: 'object', properties: { [name]: { type: 'string' } } } },
});

describe('a callback', () => {
  const post = {
    summary: 'When it is done.',
    description: 'At most three times.',
    parameters: [{ name: 'X-Signature', in: 'header', required: true, schema: { type: 'string' } }],
    requestBody: { content: json('id') },
    responses: { 200: { description: 'Received.', content: json('next') } },
  };
  const description = {
    paths: {
      '/things': {
        post: {
          summary: 'Operation',
          callbacks: {
            done: {
              '{$request.body#/url}': { post, delete: { responses: { 204: { description: 'Gone.' } } } },
            },
          },
        },
      },
    },
  };

  test('shows its texts, parameters, body and the bodies of its responses', async () => {
    const output = await render(description);
    expect(shown(output, 'api-reference/operation', '# Callbacks')).toEqual([
      '> done',
      '  POST {$request.body#/url}',
      '  When it is done.',
      '  At most three times.',
      '  X-Signature · string · header · required',
      '  application/json',
      '  id · string',
      '  200 Received.',
      '  application/json',
      '  next · string',
      '> done',
      '  DELETE {$request.body#/url}',
      '  204 Gone.',
    ]);
  });

  test('shows its authorization, the text of its body, headers of its responses, and if it is deprecated', async () => {
    const schema = { type: 'string' };
    const callback = {
      post: {
        deprecated: true,
        security: [{ key: [] }, { key: [], token: [] }],
        requestBody: { description: 'What was done.', content: json('id') },
        responses: { 200: { description: 'Received.', headers: { 'X-Next': { schema } } } },
      },
      put: { responses: { 204: { description: 'Gone.' } } },
    };
    const output = await render({
      paths: { '/things': { post: { summary: 'Operation', callbacks: { done: { '{$url}': callback } } } } },
      security: [{ token: [] }],
      components: {
        securitySchemes: {
          key: { type: 'apiKey', in: 'header', name: 'X-Key' },
          token: { type: 'http', scheme: 'bearer' },
        },
      },
    });
    expect(shown(output, 'api-reference/operation', '# Callbacks').slice(3)).toEqual([
      '> done',
      '  POST {$url} (Deprecated)',
      '  [key]',
      '    X-Key · API key · header · required',
      '      The API key.',
      '  [key + token]',
      '    X-Key · API key · header · required',
      '      The API key.',
      '    Authorization · Bearer · header · required',
      '      Bearer <token>',
      '  What was done.',
      '  application/json',
      '  id · string',
      '  200 Received.',
      '  > response headers',
      '    X-Next · string · header',
    ]);
    const ids = valuesOf(textOf(output, 'api-reference/operation.html'), 'id');
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('has ids of its own for each operation', async () => {
    const ids = valuesOf(textOf(await render(description), 'api-reference/operation.html'), 'id');
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids).toContain('callback-done');
    expect(ids).toContain('callback-done-2');
  });
});

describe('a webhook with several methods', () => {
  const description = {
    webhooks: {
      changed: {
        put: {
          summary: 'Changed',
          requestBody: { content: json('id') },
          responses: { 200: { description: 'Received.' } },
        },
        delete: {
          summary: 'Removed',
          description: 'It is gone.',
          requestBody: { content: json('reason') },
          responses: { 204: { description: 'Noted.' } },
        },
      },
    },
  };

  test('shows all of them on its page', async () => {
    const output = await render(description);
    const lines = shown(output, 'api-reference/changed');
    expect(lines.slice(lines.indexOf('200 Received.') + 1)).toEqual([
      '# DELETE',
      'DELETE changed',
      'Removed',
      'It is gone.',
      'application/json',
      'reason · string',
      '204 Noted.',
    ]);
  });

  test('has all of them in the description for agents', async () => {
    const copy = textOf(await render(description), 'api-reference/changed.md');
    const embedded = /```json OpenAPI\n([\s\S]*?)\n```/.exec(copy)?.[1] ?? '';
    expect(Object.keys(JSON.parse(embedded).webhooks.changed)).toEqual(['put', 'delete']);
  });
});

test('methods of additionalOperations are shown of webhooks and callbacks', async () => {
  const item = {
    post: { summary: 'Operation', responses: { 200: { description: 'Received.' } } },
    additionalOperations: {
      COPY: { summary: 'Copied.', responses: { 202: { description: 'Copying.' } } },
      POST: { summary: 'Not allowed here.' },
    },
  };
  const output = await render({
    openapi: '3.2.0',
    webhooks: { done: item },
    paths: { '/a': { get: { summary: 'Start', callbacks: { done: { '{$url}': item } } } } },
  });
  expect(shown(output, 'api-reference/operation', '# COPY')).toEqual([
    'COPY done',
    'Copied.',
    '202 Copying.',
  ]);
  expect(shown(output, 'api-reference/start', '# Callbacks')).toEqual([
    '> done',
    '  POST {$url}',
    '  Operation',
    '  200 Received.',
    '> done',
    '  COPY {$url}',
    '  Copied.',
    '  202 Copying.',
  ]);
});
