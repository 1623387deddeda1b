/** What a page of an operation shows of much, and what it leaves to other files. */
import { describe, expect, test } from 'vitest';
import { memorySource, renderSite } from '../src/index.ts';
import type { Warning } from '../src/warning.ts';
import { find, findOne } from './dom.ts';
import { apiSite, type Output, renderFiles, textOf } from './output.ts';
import { openSearch } from './search-site.ts';

const siteOf = (operation: object, schemas: object = {}): Record<string, string> =>
  apiSite({
    openapi: '3.1.0',
    info: { title: 'API', version: '1' },
    paths: { '/things': { post: { summary: 'Operation', ...operation } } },
    components: { schemas },
  });

const media = (content: object): object => ({ content: { 'application/json': content } });
const render = (operation: object, schemas?: object): Promise<Output> =>
  renderFiles(siteOf(operation, schemas));
const page = (output: Output): string => textOf(output, 'api-reference/operation.html');
const copy = (output: Output): string => textOf(output, 'api-reference/operation.md');

describe('nested fields of a named schema', () => {
  const part = { type: 'object', properties: { inner: { type: 'string', description: 'Inside.' } } };
  /** A body with `count` fields, the last one with fields of its own. */
  const bodyOf = (count: number): Promise<Output> => {
    const plain = Array.from({ length: count - 1 }, (_, at) => [`p${at}`, { type: 'string' }]);
    const properties = { ...Object.fromEntries(plain), last: { $ref: '#/components/schemas/Part' } };
    return render({ requestBody: media({ schema: { type: 'object', properties } }) }, { Part: part });
  };

  test('are on the page with 49 fields', async () => {
    const output = await bodyOf(49);
    expect(page(output)).toContain('Inside.');
    expect(output.files.has('api-reference/schemas/part.js')).toBe(false);
  });

  test('are loaded from the page of the schema with 50', async () => {
    const output = await bodyOf(50);
    expect(page(output)).not.toContain('Inside.');
    expect(find(page(output), { tag: 'a', attributes: { href: 'schemas/part.html' } })).toHaveLength(1);
    expect(textOf(output, 'api-reference/schemas/part.js')).toContain('Inside.');
    expect(textOf(output, 'api-reference/schemas/part.html')).toContain('Inside.');
  });
});

test('alternatives without a tab are links to the pages of their schemas', async () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 33 }, (_, at) => [
      `Kind${at}`,
      { type: 'object', properties: { [`own${at}`]: {} } },
    ]),
  );
  const oneOf = [
    ...Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}` })),
    { type: 'string' },
  ];
  const output = await render({ requestBody: media({ schema: { oneOf } }) }, schemas);
  expect(copy(output)).toContain('+4: [Kind30](');
  expect(copy(output)).toContain('`string`');
  expect(find(page(output), { tag: 'a', attributes: { href: 'schemas/kind32.html' } })).toHaveLength(1);
  expect(textOf(output, 'api-reference/schemas/kind32.html')).toContain('own32');
});

test('alternatives of a request body are on the page in front of a response with many fields', async () => {
  const alternative = (name: string): object => ({
    type: 'object',
    properties: { [name]: { type: 'string', description: `About ${name}.` } },
  });
  const fields = Array.from({ length: 60 }, (_, at) => [`p${at}`, { type: 'string' }]);
  const output = await render(
    {
      requestBody: media({
        schema: { anyOf: ['Seats', 'Period'].map((name) => ({ $ref: `#/components/schemas/${name}` })) },
      }),
      responses: {
        200: { description: 'Done.', ...media({ schema: { properties: Object.fromEntries(fields) } }) },
      },
    },
    { Seats: alternative('seats'), Period: alternative('period') },
  );
  for (const text of ['About seats.', 'About period.', 'p59']) expect(page(output)).toContain(text);
  expect(output.files.has('api-reference/schemas/seats.js')).toBe(false);
});

describe('the description in a Markdown copy', () => {
  /** An operation whose description has about this number of characters. */
  const ofLength = async (length: number): Promise<string> => {
    const extension = 'x'.repeat(length);
    return copy(await render({ 'x-length': extension, responses: { 200: { description: 'Done.' } } }));
  };
  const blocksOf = (markdown: string): string[] =>
    [...markdown.matchAll(/^```json OpenAPI\n([\s\S]*?)\n```$/gm)].map(([, json = '']) => json);

  test('has lines if it is short, is compact if it is longer, and is missing if it is too long', async () => {
    const [short = ''] = blocksOf(await ofLength(1_000));
    expect(short.split('\n').length).toBeGreaterThan(5);
    const [longer = ''] = blocksOf(await ofLength(3_000));
    expect(longer.split('\n')).toHaveLength(1);
    expect(JSON.parse(longer)).toMatchObject({
      paths: { '/things': { post: { responses: { 200: { description: 'Done.' } } } } },
    });
    expect(blocksOf(await ofLength(12_000))).toEqual([]);
  });
});

test('examples are not searched, and fields are', async () => {
  const schema = {
    type: 'object',
    properties: { pelican: { type: 'string', description: 'About herons.' } },
  };
  const output = await render({
    requestBody: media({ schema, example: { pelican: 'flamingo' } }),
    responses: { 200: { description: 'Done.', ...media({ schema, example: { pelican: 'cormorant' } }) } },
  });
  expect(page(output)).toContain('flamingo');
  expect(page(output)).toContain('cormorant');
  const search = openSearch(output);
  for (const word of ['pelican', 'herons'])
    expect((await search.find(word)).pages, word).toEqual(['api-reference/operation.html']);
  for (const word of ['flamingo', 'cormorant']) expect((await search.find(word)).pages, word).toEqual([]);
});

test('the name of a parameter finds the operations that take it before responses that contain it', async () => {
  const zone = { type: 'string', description: 'Where it is.' };
  const schema = { type: 'object', properties: { zone } };
  const responses = { 200: { description: 'Done.', ...media({ schema }) } };
  const parameters = [{ name: 'zone', in: 'query', schema: zone }];
  const paths = {
    ...Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`/a${at}`, { get: { summary: `Get a${at}`, responses } }]),
    ),
    '/b': { get: { summary: 'Get b', parameters, responses: { 200: { description: 'Done.' } } } },
  };
  const output = await renderFiles({
    ...siteOf({}),
    'api.json': JSON.stringify({ openapi: '3.1.0', info: { title: 'API', version: '1' }, paths }),
  });
  expect((await openSearch(output).find('zone')).pages[0]).toBe('api-reference/get-b.html');
});

test('a long example of a list ends with the number of the other items', async () => {
  const list = Array.from({ length: 2_000 }, (_, at) => `item ${at}`);
  const output = await render({
    responses: { 200: { description: 'Done.', ...media({ schema: { type: 'array' }, example: list }) } },
  });
  const shown = findOne(page(output), { tag: 'pre', text: /item 1\b/ }).text;
  expect(shown).toMatch(/"item \d+", "… \+\d+" \]$/);
  expect(shown.length).toBeLessThan(9_000);
  expect(shown).not.toContain('"item 1999"');
});

describe('the size of a description', () => {
  const LIMIT = 64 * 1024 * 1024;
  /** The warnings of a site whose description says that it has this size. */
  const warningsAt = async (size: number): Promise<readonly Warning[]> => {
    const source = memorySource(siteOf({ responses: { 200: { description: 'Done.' } } }));
    const sized = { ...source, size: (path: string) => (path === 'api.json' ? size : source.size(path)) };
    return (await renderSite({ source: sized, siteUrl: 'https://docs.example.com', emit() {} })).warnings;
  };

  test('is at most 64 MB', async () => {
    expect(await warningsAt(LIMIT)).toEqual([]);
    expect(await warningsAt(LIMIT + 1)).toMatchObject([
      { file: 'api.json', code: 'description-too-large', message: expect.stringContaining(String(LIMIT)) },
    ]);
  });
});
