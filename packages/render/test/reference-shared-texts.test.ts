import { expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

async function render(description: object) {
  return renderFiles(apiSite({ openapi: '3.1.0', info: { title: 'API', version: '1' }, ...description }));
}

type Output = Awaited<ReturnType<typeof render>>;
const shown = (output: Output, at?: string, page = 'operation'): string[] =>
  outline(textOf(output, `api-reference/${page}.html`), `api-reference/${page}.html`, at);

test('summary and description of a path are on the pages of its operations', async () => {
  const about = { summary: 'Things of a user', description: 'Only *own* things.' };
  const output = await render({
    paths: {
      '/things': {
        ...about,
        get: { summary: 'Operation' },
        post: { summary: 'Things of a user', description: 'Only *own* things.' },
      },
    },
  });
  expect(shown(output)).toEqual([
    'API Reference > Operation',
    'GET /things',
    'api-reference/operation',
    'Things of a user',
    'Only own things.',
  ]);
  const same = shown(output, undefined, 'things-of-a-user');
  expect(same.filter((line) => line.includes('own things'))).toEqual([]);
});

test('summary and description of the path of a callback precede its first operation', async () => {
  const item = { summary: 'When done', post: { responses: {} }, put: { responses: {} } };
  const output = await render({
    paths: { '/things': { post: { summary: 'Operation', callbacks: { done: { '{$url}': item } } } } },
  });
  expect(shown(output, '# Callbacks')).toEqual([
    ...['> done', '  When done', '  PUT {$url}'],
    ...['> done', '  POST {$url}'],
  ]);
});

const remote = (url: string) => ({ big: { summary: 'A big one', externalValue: url } });
const text = { type: 'string' };

test('examples in other places are named with parameters, headers and bodies', async () => {
  const examples = remote('https://example.com/big.json');
  const header = { schema: text, examples: remote('./header.txt') };
  const output = await render({
    paths: {
      '/things': {
        post: {
          summary: 'Operation',
          parameters: [
            { name: 'a', in: 'query', schema: text, examples },
            { name: 'b', in: 'query', content: { 'application/json': { schema: text, examples } } },
          ],
          requestBody: {
            required: true,
            content: { 'text/plain': { schema: text, examples: remote('/b.txt') } },
          },
          responses: { 200: { description: 'Done.', headers: { 'X-A': header } } },
        },
      },
    },
    webhooks: {
      event: {
        post: { summary: 'Event', requestBody: { content: { 'text/plain': { schema: text, examples } } } },
      },
    },
  });
  const line = 'Example A big one: https://example.com/big.json';
  expect(shown(output, 'parameter-a')).toContain(`  ${line}`);
  expect(shown(output, 'parameter-b')).toContain(`  ${line}`);
  expect(shown(output, '# Response')).toContain('    Example A big one: ./header.txt');
  expect(shown(output, '# Request body')).toEqual(
    expect.arrayContaining(['> Example: A big one', '  /b.txt']),
  );
  expect(shown(output, '# Request body', 'event')).toEqual(
    expect.arrayContaining(['> Example: A big one', '  https://example.com/big.json']),
  );
});

test('the body of a callback has its examples', async () => {
  const content = { 'application/json': { schema: text, example: 'done' } };
  const callbacks = { done: { '{$url}': { post: { requestBody: { content }, responses: {} } } } };
  const output = await render({ paths: { '/things': { post: { summary: 'Operation', callbacks } } } });
  expect(shown(output, '# Callbacks')).toEqual(
    expect.arrayContaining(['  > Example: application/json', '    "done"']),
  );
});
