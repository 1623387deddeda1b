import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Exports, exportsOf, replaced } from './page-cache.fixture.ts';

let work: string;
let docs: string;
let exports: Exports;

const fileOf = (path: string): string => join(docs, path);

function write(path: string, content: string | object): void {
  mkdirSync(dirname(fileOf(path)), { recursive: true });
  writeFileSync(fileOf(path), typeof content === 'string' ? content : JSON.stringify(content));
}
const edit = (path: string, from: string, to: string): void => write(path, replaced(fileOf(path), from, to));

const GUIDES = 6;
/** Generated and written pages, those of two schemas, and the page that looks for a schema in all files. */
const SHOP = 4 + 2 + 2 + 1;
/** A generated page, that of a schema, and the page that looks for a schema in all files. */
const MAIL = 1 + 1 + 1;
const EVENTS = 2 + 1;

const operation = (id: string, schema: object, more: object = {}): object => ({
  operationId: id,
  summary: `Do ${id}`,
  description: `About ${id}.`,
  tags: ['Main'],
  responses: { 200: { description: 'Good', content: { 'application/json': { schema } } } },
  ...more,
});

const fields = (count: number, start: string, type: (at: number) => object): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${start}${at}`, type(at)]));

function describe(title: string, paths: object, schemas: object = {}): object {
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: `https://${title.toLowerCase()}.example.com` }],
    paths,
    components: { schemas },
  };
}

/** A description in three files, with references that lead nowhere and schemas that have pages of their own. */
function writeShop(): void {
  const common = (name: string): object => ({ $ref: `./parts/common.json#/${name}` });
  const broken = { $ref: '#/components/schemas/Missing' };
  write(
    'apis/shop.json',
    describe(
      'Shop',
      {
        '/orders': { get: operation('listOrders', common('Order')), post: operation('addOrder', broken) },
        '/items': { get: operation('listItems', broken) },
        '/large': { get: operation('getLarge', { $ref: '#/components/schemas/Large' }) },
      },
      {
        Large: {
          type: 'object',
          properties: fields(60, 'part', (at) => ({ $ref: `#/components/schemas/Part${at % 2}` })),
        },
        Part0: { type: 'object', properties: fields(60, 'first', () => ({ type: 'integer' })) },
        Part2: { type: 'object', properties: fields(60, 'third', () => ({ type: 'integer' })) },
        Part1: { type: 'object', properties: fields(60, 'second', () => ({ type: 'integer' })) },
      },
    ),
  );
  write('apis/parts/common.json', {
    Order: { type: 'object', properties: { id: { type: 'string' }, money: { $ref: 'money.json' } } },
  });
  write('apis/parts/money.json', { type: 'integer', description: 'In cents.' });
}

const page = (title: string, name: string): string =>
  `---\ntitle: ${title}\nopenapi: "/apis/shop.json ${name}"\n---\n\nOwn text.\n`;

function writeDocs(): void {
  const guides = Array.from({ length: GUIDES }, (_, at) => `guides/g${at}`);
  for (const [at, guide] of guides.entries())
    write(`${guide}.mdx`, `---\ntitle: Guide ${at}\n---\n\nText ${at}.\n`);
  write('index.mdx', '---\ntitle: Home\n---\n\nSee [orders](/shop/main/do-listorders).\n');
  write('shop/first.mdx', page('First', 'GET /items'));
  write('shop/second.mdx', page('Second', 'POST /orders'));
  write('schema.mdx', '---\ntitle: Letter\nopenapi-schema: "apis/mail.json Letter"\n---\n');
  write('any-schema.mdx', '---\ntitle: Order\nopenapi-schema: Part0\n---\n');
  writeShop();
  const to = { type: 'string', description: 'Receiver. See [more](/nowhere).' };
  const letter = { type: 'object', properties: { to } };
  const letterOf = { $ref: '#/components/schemas/Letter' };
  write(
    'apis/mail.json',
    describe('Mail', { '/mail': { get: operation('getMail', letterOf) } }, { Letter: letter }),
  );
  write('apis/mail-overlay.json', {
    overlay: '1.0.0',
    info: { title: 'More', version: '1' },
    actions: [{ target: '$.paths["/mail"].get', update: { description: 'From the overlay.' } }],
  });
  write('apis/events.json', {
    asyncapi: '3.0.0',
    info: { title: 'Events', version: '1' },
    servers: { main: { host: 'events.example.com', protocol: 'wss' } },
    channels: {
      news: { address: '/news', messages: { item: { payload: { type: 'object', title: 'News item' } } } },
      logs: { address: '/logs', messages: { line: { payload: { type: 'string', description: 'A line.' } } } },
    },
    operations: { hear: { action: 'receive', channel: { $ref: '#/channels/news' } } },
  });
  write('data/numbers.json', { openapi: 'a word that makes it look like a description', numbers: [1] });
  write('docs.json', {
    name: 'Docs',
    theme: 'mint',
    colors: { primary: '#123456' },
    api: { openapi: [{ source: 'apis/mail.json', overlays: ['apis/mail-overlay.json'] }] },
    navigation: {
      groups: [
        { group: 'Start', pages: ['index', 'schema', 'any-schema', ...guides] },
        { group: 'Shop', openapi: { source: 'apis/shop.json', directory: 'shop' } },
        { group: 'More', pages: ['shop/first', 'shop/second'] },
        { group: 'Mail', openapi: 'apis/mail.json' },
        { group: 'Events', asyncapi: { source: 'apis/events.json', directory: 'events' } },
      ],
    },
  });
}

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'offprint-description-cache-'));
  docs = join(work, 'docs');
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

beforeEach(async () => {
  for (const folder of ['docs', 'cache']) rmSync(join(work, folder), { recursive: true, force: true });
  writeDocs();
  exports = exportsOf(docs, work, 'https://docs.example.com');
  await exports.warm();
});

/** Compares an export after a change with one without a cache; returns the pages that were rendered. */
async function compare(): Promise<number> {
  const { renderedPages, ...warm } = await exports.warm();
  const { renderedPages: _, ...cold } = await exports.cold();
  expect(warm).toEqual(cold);
  return renderedPages;
}

test.each<[string, () => unknown, number | null]>([
  ['a field', () => edit('apis/mail.json', 'Receiver.', 'Who gets it.'), MAIL],
  ['a summary, which the navigation shows', () => edit('apis/mail.json', 'Do getMail', 'Get mail'), MAIL],
  ['the URL of a server', () => edit('apis/mail.json', 'https://mail.', 'https://letters.'), MAIL],
  ['an overlay', () => edit('apis/mail-overlay.json', 'From the', 'By the'), MAIL],
  ['a file of a description', () => edit('apis/parts/common.json', '"id"', '"key"'), SHOP],
  ['a file of a file of a description', () => edit('apis/parts/money.json', 'cents', 'euros'), SHOP],
  ['a removed file of a description', () => rmSync(fileOf('apis/parts/money.json')), SHOP + 1],
  ['an operation that is shown no longer', () => edit('apis/shop.json', '"post"', '"x-post"'), SHOP - 1],
  ['the path of an operation', () => edit('apis/shop.json', '"/orders"', '"/all-orders"'), SHOP],
  [
    'the id of an operation to which a page links',
    () => edit('apis/shop.json', 'Do listOrders', 'List orders'),
    SHOP + 1,
  ],
  ['a field of a schema with a page of its own', () => edit('apis/shop.json', 'first7', 'renamed'), SHOP],
  ['a reference that leads nowhere now', () => edit('apis/shop.json', 'schemas/Part1', 'schemas/None'), SHOP],
  [
    'a reference that leads somewhere now',
    () => edit('apis/shop.json', 'schemas/Missing', 'schemas/Part0'),
    SHOP,
  ],
  [
    'another schema with a page of its own',
    () =>
      edit(
        'apis/shop.json',
        '"part2":{"$ref":"#/components/schemas/Part0"}',
        '"part2":{"$ref":"#/components/schemas/Part2"}',
      ),
    null,
  ],
  ['a channel', () => edit('apis/events.json', 'A line.', 'One line.'), EVENTS],
  ['a description that cannot be read', () => write('apis/mail.json', '{'), 2],
  ['a file that only looks like a description', () => edit('data/numbers.json', '[1]', '[2]'), 0],
  ['the page that reports a defect of the description', () => edit('shop/first.mdx', 'Own', 'The'), SHOP],
  ['a page that would report it', () => edit('shop/second.mdx', 'Own', 'The'), 1],
  [
    'the page that reports it, and the description',
    () => {
      edit('shop/first.mdx', 'Own', 'The');
      edit('apis/shop.json', 'first7', 'renamed');
    },
    SHOP,
  ],
  ['a removed page that reports it', () => rmSync(fileOf('shop/first.mdx')), SHOP - 1],
  ['a removed page that would report it', () => rmSync(fileOf('shop/second.mdx')), 0],
  [
    'a description that refers to a file of another one',
    () => edit('apis/mail.json', '#/components/schemas/Letter', './parts/common.json#/Order'),
    null,
  ],
  [
    'an added description',
    () => write('apis/zoo.json', describe('Zoo', {}, { Zebra: { type: 'string' } })),
    2,
  ],
  [
    'a removed description',
    () => {
      rmSync(fileOf('apis/events.json'));
      edit('docs.json', 'apis/events.json', 'apis/none.json');
    },
    null,
  ],
  [
    'a renamed description',
    () => {
      renameSync(fileOf('apis/events.json'), fileOf('apis/streams.json'));
      edit('docs.json', 'apis/events.json', 'apis/streams.json');
    },
    null,
  ],
])(
  'pages of other descriptions are kept, and the export is the one without a cache: %s',
  async (_, change, rendered) => {
    change();
    const count = await compare();
    // null: any number of pages
    if (rendered !== null) expect(count).toBe(rendered);
    edit('guides/g1.mdx', 'Text 1', 'Other text');
    expect(await compare()).toBe(1);
  },
);
