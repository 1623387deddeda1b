import { describe, expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

const PAGE = 'api-reference/operation';

async function render(operation: object, more: object = {}) {
  const paths = { '/things': { post: { summary: 'Operation', ...operation } } };
  return renderFiles(apiSite({ openapi: '3.1.0', info: { title: 'API', version: '1' }, paths, ...more }));
}

type Output = Awaited<ReturnType<typeof render>>;
const shown = (output: Output, at?: string, page = PAGE): string[] =>
  outline(textOf(output, `${page}.html`), `${page}.html`, at);

const text = { type: 'string' };
const bodyOf = (schema: object) => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
});

test('externalDocs of a schema are shown', async () => {
  const output = await render({
    ...bodyOf({
      type: 'object',
      externalDocs: { url: 'https://example.com/body', description: 'The body' },
      properties: { a: { ...text, externalDocs: { url: 'https://example.com/a' } } },
    }),
  });
  expect(shown(output, '# Request body')).toEqual([
    'application/json',
    'Related topics: The body',
    'a · string',
    '  Related topics: https://example.com/a',
  ]);
});

describe('the descriptions of', () => {
  test('a list and its items are both shown', async () => {
    const items = { ...text, description: 'The name of a tag.' };
    const described = { type: 'array', description: 'Tags of the thing.', items };
    const map = { type: 'object', additionalProperties: described };
    const output = await render(
      bodyOf({ type: 'object', properties: { tags: described, map, plain: { type: 'array', items } } }),
    );
    expect(shown(output, '# Request body').slice(1)).toEqual([
      'tags · string[]',
      '  Tags of the thing.',
      '  [*] The name of a tag.',
      'map · map of string[]',
      '  The name of a tag.',
      '  .* Tags of the thing.',
      'plain · string[]',
      '  The name of a tag.',
    ]);
  });

  test('a list with examples of its items are shown', async () => {
    const dates = { type: 'array', items: { type: 'string', format: 'date', example: '2023-10-29' } };
    const output = await render(bodyOf({ type: 'object', properties: { dates } }));
    expect(shown(output, '# Request body').slice(1)).toEqual([
      'dates · string<date>[]',
      '  Example: 2023-10-29',
    ]);
  });

  test('a parameter and its schema are both shown', async () => {
    const schema = { ...text, description: 'An id of 8 letters.' };
    const output = await render({
      parameters: [{ name: 'a', in: 'query', description: 'Id of the thing.', schema }],
    });
    expect(shown(output, 'parameter-a')).toEqual([
      'a · string · query',
      '  Id of the thing.',
      '  An id of 8 letters.',
    ]);
  });
});

test('a parameter says if its value may be empty or have reserved characters', async () => {
  const parameters = [
    { name: 'a', in: 'query', allowEmptyValue: true, schema: text },
    { name: 'b', in: 'query', allowReserved: true, schema: text },
  ];
  expect(shown(await render({ parameters }), '# Query parameters')).toEqual([
    'a · allowEmptyValue · string · query',
    'b · allowReserved · string · query',
  ]);
});

describe('examples of responses', () => {
  const content = { 'application/json': { schema: text, example: 'received' } };
  const responses = { 200: { description: 'Done.', content } };

  test('of callbacks are shown', async () => {
    const callbacks = { done: { '{$url}': { post: { responses } } } };
    expect(shown(await render({ callbacks }), '# Callbacks')).toEqual(
      expect.arrayContaining(['  > Example: application/json', '    "received"']),
    );
  });

  test('of webhooks are shown', async () => {
    const output = await render({}, { webhooks: { event: { post: { summary: 'Event', responses } } } });
    const [page = ''] = [...output.files.keys()].filter((path) => path.endsWith('/event.html'));
    expect(shown(output, '# Expected response', page.replace(/\.html$/, ''))).toEqual(
      expect.arrayContaining(['> Example: application/json', '  "received"']),
    );
  });

  test('in XML are made as XML, with the names of the schema', async () => {
    const properties = {
      id: { type: 'integer', xml: { attribute: true } },
      name: { ...text, xml: { name: 'title' } },
    };
    const schema = { type: 'object', xml: { name: 'thing' }, properties };
    const output = await render({
      responses: { 200: { description: 'Done.', content: { 'application/xml': { schema } } } },
    });
    expect(textOf(output, `${PAGE}.md`)).toContain(
      '```xml 200\n<?xml version="1.0" encoding="UTF-8"?>\n<thing id="1">\n  <title>&lt;string&gt;</title>\n</thing>\n```',
    );
  });
});

test('a list of XML with nodeType element has an element around its items', async () => {
  const items = { ...text, xml: { name: 'book' } };
  const books = { type: 'array', xml: { nodeType: 'element', name: 'books' }, items };
  const schema = { type: 'object', xml: { name: 'library' }, properties: { list: books } };
  const output = await render({
    responses: { 200: { description: 'Done.', content: { 'application/xml': { schema } } } },
  });
  const xml = '<library>\n  <books>\n    <book>&lt;string&gt;</book>\n  </books>\n</library>';
  expect(textOf(output, `${PAGE}.md`)).toContain(xml);
});

test('externalDocs and tags of channels, servers, operations and messages are shown', async () => {
  const described = (name: string) => ({ type: 'object', description: `About ${name}.` });
  const documentation = (name: string) => ({
    externalDocs: { url: `https://example.com/${name}` },
    tags: [{ name: `${name}-a` }, { $ref: '#/components/tags/shared' }],
  });
  const description = {
    asyncapi: '3.0.0',
    info: { title: 'Events', version: '1' },
    servers: { main: { host: 'example.com', protocol: 'kafka', ...documentation('server') } },
    operations: {
      send: { action: 'send', channel: { $ref: '#/channels/things' }, traits: [documentation('operation')] },
    },
    components: { tags: { shared: { name: 'shared', description: 'A *shared* tag.' } } },
    channels: {
      things: {
        ...{ title: 'Things', address: 'things' },
        ...documentation('channel'),
        bindings: { ws: { query: { ...described('the query'), properties: { q: text } } } },
        messages: {
          made: {
            payload: text,
            headers: { ...described('the headers'), properties: { h: text } },
            ...documentation('message'),
          },
        },
      },
    },
  };
  const files = apiSite(JSON.stringify(description));
  const config = (files['docs.json'] ?? '').replace('"openapi"', '"asyncapi"');
  const output = await renderFiles({ ...files, 'docs.json': config });
  const [page = ''] = [...output.files.keys()].filter((path) => path.endsWith('/things.html'));
  const lines = shown(output, undefined, page.replace(/\.html$/, ''));
  const after = (line: string): string[] => lines.slice(lines.indexOf(line), lines.indexOf(line) + 4);
  for (const name of ['server', 'operation', 'message'])
    expect(after('tags:').length > 0 && after(`- ${name}-a`), name).toEqual([
      `- ${name}-a`,
      '- shared A shared tag.',
      `Related topics: https://example.com/${name}`,
      ...lines.slice(lines.indexOf(`- ${name}-a`) + 3, lines.indexOf(`- ${name}-a`) + 4),
    ]);
  expect(lines).toContain('Related topics: https://example.com/channel');
  expect(lines).toEqual(expect.arrayContaining(['About the query.', 'About the headers.']));
});
