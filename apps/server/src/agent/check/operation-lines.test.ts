import { expect, test } from 'vitest';
import { lineKey, operationLines } from './operation-lines.ts';
import { listOperations } from './operation-list.ts';
import { readDescription } from './read-description.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'A', description: 'paths:' },
  paths: {
    '/a/{id}': { parameters: [], get: { summary: 'Get A', responses: {} }, put: { responses: {} } },
    "/it's": { post: { tags: ['Other'], responses: { 200: { get: {}, description: 'x' } } } },
  },
  components: { paths: { '/b': { get: {} } } },
  webhooks: { 'a.made': { post: { summary: 'Made' } } },
};

const placed = (text: string) => Object.fromEntries(operationLines(text));

test('the lines of operations are found in indented JSON', () => {
  const text = JSON.stringify(DOCUMENT, null, 2);
  const lines = text.split('\n');
  const places = operationLines(text);
  const of = (group: string, name: string, method: string) => {
    const { from, to } = places.get(lineKey(group, name, method))!;
    return JSON.parse(
      `{${lines
        .slice(from - 1, to)
        .join('\n')
        .replace(/,$/, '')}}`,
    );
  };
  expect(of('paths', '/a/{id}', 'GET')).toEqual({ get: DOCUMENT.paths['/a/{id}'].get });
  expect(of('paths', '/a/{id}', 'put')).toEqual({ put: DOCUMENT.paths['/a/{id}'].put });
  expect(of('paths', "/it's", 'post')).toEqual({ post: DOCUMENT.paths["/it's"].post });
  expect(of('webhooks', 'a.made', 'post')).toEqual({ post: DOCUMENT.webhooks['a.made'].post });
  expect(places.size).toBe(4);
});

test('the lines of operations are found in YAML, with any line ends, quotes and comments', () => {
  const text = `openapi: 3.1.0
info:
  description: |
    paths:
      /no:
        get:
paths:
  # the first
  /a/{id}:
    get: # reads
      description: |
        get:
          post:

      responses: {}
    put:
      responses: {}

  '/it''s':
    "post":
      responses: {}
components:
  paths: {}
`;
  const places = {
    [lineKey('paths', '/a/{id}', 'get')]: { from: 10, to: 15 },
    [lineKey('paths', '/a/{id}', 'put')]: { from: 16, to: 17 },
    [lineKey('paths', "/it's", 'post')]: { from: 20, to: 21 },
  };
  expect(placed(text)).toEqual(places);
  expect(placed(text.replaceAll('\n', '\r\n'))).toEqual(places);
});

test('a file on one line, and one that is not a description, has no lines of operations', () => {
  expect(placed(JSON.stringify(DOCUMENT))).toEqual({});
  expect(placed('{\n"paths": [\n')).toEqual({});
  expect(placed(`${' '.repeat(100_000)}x\n`.repeat(20))).toEqual({});
});

test('operations are listed in pages, with a filter over names, summaries and tags', () => {
  const places = operationLines(JSON.stringify(DOCUMENT, null, 2));
  const ask = (filter = '', page = 1, document: object = DOCUMENT) => {
    const text = JSON.stringify({ openapi: '3.1.0', ...document });
    const read = readDescription({ 'api.json': text }, 'api.json');
    return 'fault' in read ? read : listOperations(read.description, { filter, page, places });
  };
  expect(ask()).toEqual({
    text: "4 operations\nGET /a/{id} - Get A (lines 10-13)\nPUT /a/{id} (lines 14-16)\nPOST /it's (lines 19-29)\nWEBHOOK a.made - Made (lines 41-43)",
  });
  expect(ask('OTHER it')).toEqual({ text: "1 of 4 operations\nPOST /it's (lines 19-29)" });
  expect(ask('nothing')).toEqual({ fault: 'None of the 4 operations matches "nothing".' });
  expect(ask('', 2)).toEqual({ fault: 'Page 2 of the list was not found: the last one is 1.' });
  expect(ask('', 1, {})).toEqual({ fault: 'The API description has no operation.' });
  const many = {
    paths: Object.fromEntries(Array.from({ length: 401 }, (_, at) => [`/p${at}`, { get: {} }])),
  };
  const last = ask('', 3, many);
  expect(last).toEqual({ text: '401 operations, 401-401\nGET /p400' });
  const first = ask('', 1, many);
  expect('text' in first && first.text.split('\n')).toHaveLength(202);
  expect(first).toHaveProperty(
    'text',
    expect.stringMatching(/\(page 1 of 3; continue with page=2, or pass a filter\)$/),
  );
});
