import { expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';

const LONG = {
  name: 'fern',
  notes: Array.from({ length: 1_000 }, (_, at) => `A note with the number ${at}.`),
};
const object = {
  type: 'object',
  properties: { name: { type: 'string', example: 'moss' }, notes: { type: 'array' } },
};

/** The pages of an operation with this body. */
async function render(media: object, type = 'application/json') {
  const output = await renderFiles(
    apiSite({
      openapi: '3.1.0',
      info: { title: 'API', version: '1' },
      servers: [{ url: 'https://example.com' }],
      paths: {
        '/things': { post: { summary: 'Operation', requestBody: { content: { [type]: media } } } },
      },
    }),
  );
  return {
    html: textOf(output, 'api-reference/operation.html'),
    text: textOf(output, 'api-reference/operation.md'),
  };
}

test.each([
  ['an example', { schema: object, example: LONG }],
  ['one of several examples', { schema: object, examples: { one: { value: LONG }, two: { value: LONG } } }],
  ['an example of the schema', { schema: { ...object, example: LONG } }],
  ['a default', { schema: { ...object, default: LONG } }],
])('%s of more than 20,000 characters is in no sample and in no form', async (_, media) => {
  const { html, text } = await render(media);
  expect(text).toContain(`--data-raw '{\n  "name": "moss",`);
  expect(html.length).toBeLessThan(90_000);
  expect(html).not.toContain('with the number 900.');
});

test('a long example of a body is shown in part', async () => {
  const { html } = await render({ schema: object, example: LONG });
  expect(html).toContain('with the number 1.');
  expect(html).toContain('…');
});

test('a long text is in no sample', async () => {
  const { text } = await render({ example: 'A line.\n'.repeat(5_000) }, 'text/plain');
  expect(text).toContain('curl');
  expect(text.length).toBeLessThan(20_000);
});

test('a shorter one is sent as it is', async () => {
  const { text } = await render({ schema: object, example: { name: 'fern', notes: ['a'.repeat(15_000)] } });
  expect(text).toContain(`--data-raw '{\n  "name": "fern",`);
  expect(text).toContain('aaaa');
});

/** The code block of the response 200. */
function shownIn(text: string): string {
  const [, code = ''] = /```\w+ 200\n([\s\S]*?)\n```/.exec(text) ?? [];
  return code;
}

async function renderResponse(media: object, type = 'application/json') {
  const output = await renderFiles(
    apiSite({
      openapi: '3.1.0',
      info: { title: 'API', version: '1' },
      paths: {
        '/things': {
          get: {
            summary: 'Operation',
            responses: { 200: { description: 'OK', content: { [type]: media } } },
          },
        },
      },
    }),
  );
  return shownIn(textOf(output, 'api-reference/operation.md'));
}

test('a long example of a response is JSON that says how much is left out', async () => {
  const items = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `Name ${id}` }));
  const shown = JSON.parse(await renderResponse({ example: { items, total: 2_000 } }));
  expect(shown.items[5]).toEqual({ id: 5, name: 'Name 5' });
  expect(shown.items.at(-1)).toBe(`… +${2_001 - shown.items.length}`);
  expect(shown.total).toBe(2_000);
});

test('a long example of XML ends with the tags that close it', async () => {
  const xml = `<list>\n${'  <item>fern</item>\n'.repeat(2_000)}</list>`;
  const shown = await renderResponse({ example: xml }, 'application/xml');
  expect(shown.endsWith('  <item>fern</item>\n  <!-- … -->\n</list>')).toBe(true);
});

test('a long example of XML that is made ends with the tags that close it', async () => {
  const list = { type: 'array', example: Array(900).fill('a'.repeat(18)) };
  const schema = { type: 'object', xml: { name: 'thing' }, properties: { one: list, two: list } };
  const shown = await renderResponse({ schema }, 'application/xml');
  expect(shown.endsWith('<!-- … -->\n</thing>')).toBe(true);
});

test('an example of CSV that is made is a table', async () => {
  const properties = { id: { type: 'integer', example: 1 }, name: { type: 'string', example: 'fern' } };
  const schema = { type: 'array', items: { type: 'object', properties } };
  expect(await renderResponse({ schema }, 'text/csv')).toBe('id,name\n1,fern');
});

test('an example of lines of JSON is the text', async () => {
  const lines = '{"id": 1}\n{"id": 2}';
  for (const type of ['application/x-ndjson', 'application/jsonl', 'application/json-seq'])
    expect(await renderResponse({ example: lines }, type)).toBe(lines);
});
