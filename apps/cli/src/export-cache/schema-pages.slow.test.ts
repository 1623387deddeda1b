import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Exports, exportsOf, replaced } from './page-cache.fixture.ts';

let work: string;
let docs: string;
let exports: Exports;

function write(path: string, content: string): void {
  mkdirSync(dirname(join(docs, path)), { recursive: true });
  writeFileSync(join(docs, path), content);
}
const edit = (path: string, from: string, to: string): void =>
  write(path, replaced(join(docs, path), from, to));

/** More fields than a page shows in place, so that inner schemas have pages of their own. */
function description(): string {
  const fields = (count: number, start: string, type: (at: number) => object) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${start}${at}`, type(at)]));
  const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const nullable = (name: string): object => ({ anyOf: [ref(name), { type: 'null' }], default: null });
  const schemas: Record<string, object> = {
    Whole: { type: 'object', properties: fields(40, 'part', (at) => ref(`Part${at}`)) },
    Other: { type: 'object', properties: fields(40, 'part', (at) => nullable(`Part${at}`)) },
    Leaf: { type: 'object', properties: fields(20, 'leaf', () => ({ type: 'string' })) },
  };
  for (let at = 0; at < 40; at++)
    schemas[`Part${at}`] = {
      type: 'object',
      properties: { ...fields(12, `field${at}x`, () => ({ type: 'integer' })), leaf: ref('Leaf') },
    };
  const operation = (name: string): object => ({
    post: {
      summary: `Make ${name}`,
      requestBody: { content: { 'application/json': { schema: ref(name) } } },
      responses: { 200: { description: 'Made' } },
    },
  });
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths: { '/whole': operation('Whole'), '/other': operation('Other') },
    components: { schemas },
  });
}

const OTHER = 'api/other.mdx';

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'offprint-schema-pages-'));
  docs = join(work, 'docs');
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

beforeEach(async () => {
  for (const folder of ['docs', 'cache']) rmSync(join(work, folder), { recursive: true, force: true });
  write('index.mdx', '---\ntitle: Home\n---\n\nText.\n');
  write('last.mdx', '---\ntitle: Last\n---\n\n[Part](/api/schemas/part39) and [Leaf](/api/schemas/leaf).\n');
  write('api/whole.mdx', '---\ntitle: Whole\nopenapi: "POST /whole"\n---\n\nText.\n');
  write(OTHER, '---\ntitle: Other\nopenapi: "POST /other"\n---\n\nText.\n');
  write('openapi.json', description());
  const pages = ['index', 'api/whole', 'api/other', 'last'];
  write(
    'docs.json',
    JSON.stringify({
      name: 'Docs',
      theme: 'mint',
      colors: { primary: '#123456' },
      api: { openapi: 'openapi.json' },
      navigation: { groups: [{ group: 'Start', pages }] },
    }),
  );
  exports = exportsOf(docs, work, 'https://docs.example.com');
  const made = await exports.warm();
  expect(made.renderedPages, 'pages of schemas').toBeGreaterThan(made.pageCount);
});

/** Compares an export after a change with one without a cache; returns the pages that were rendered. */
async function compare(): Promise<number> {
  const { renderedPages, ...warm } = await exports.warm();
  const { renderedPages: _, ...cold } = await exports.cold();
  expect(warm).toEqual(cold);
  return renderedPages;
}

test.each<[string, () => unknown, number | null]>([
  ['the text of a page', () => edit('index.mdx', 'Text.', 'Other text.'), 1],
  ['the text of a page of an operation', () => edit('api/whole.mdx', 'Text.', 'Other text.'), 1],
  ['a page that links to a page of a schema', () => edit('last.mdx', 'and', 'or'), 1],
  ['a title', () => edit(OTHER, 'title: Other', 'title: Another'), 1],
  ['the order of the navigation', () => edit('docs.json', '"api/other","last"', '"last","api/other"'), 0],
  ['the first operation, which makes most of them', () => edit('api/whole.mdx', '/whole', '/other'), null],
  ['an operation that is shown no longer', () => edit(OTHER, 'openapi: "POST /other"\n', ''), null],
  ['the description', () => edit('openapi.json', 'field0x0', 'renamed'), null],
])(
  'with pages of schemas, an export after a change is the one without a cache: %s',
  async (_, change, rendered) => {
    change();
    const count = await compare();
    // null: any number of pages
    if (rendered !== null) expect(count).toBe(rendered);
    edit('index.mdx', 'Home', 'Start');
    expect(await compare()).toBe(1);
  },
);
