import { crc32, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { find } from './dom.ts';
import { type Output, renderFiles, textOf } from './output.ts';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="#ff0000"/></svg>';

const render = (pages: Record<string, string>, config: object = {}, files: Record<string, string> = {}) =>
  renderFiles({
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: 'Acme',
      colors: { primary: '#0055cc' },
      navigation: { groups: [{ group: 'Guides', pages: Object.keys(pages) }] },
      ...config,
    }),
    ...Object.fromEntries(Object.entries(pages).map(([path, text]) => [`${path}.mdx`, text])),
    ...files,
  });

const images = (output: Output): string[] =>
  [...output.files.keys()].filter((path) => path.startsWith('_offprint/og/'));
const metaOf = (output: Output, page: string, name: string): string | undefined =>
  find(textOf(output, page), { tag: 'meta' }).find(
    ({ attributes }) => attributes.property === name || attributes.name === name,
  )?.attributes.content;
const imageOf = (output: Output, page: string): string | undefined =>
  metaOf(output, page, 'og:image')?.replace('https://docs.example.com/', '');

/** Decodes a PNG by the standard: signature, chunk checks, palette or truecolour, filters 0 and 2. */
function decode(file: string | Uint8Array | undefined) {
  const bytes = Buffer.from(file as Uint8Array);
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    expect(crc32(bytes.subarray(at + 4, at + 8 + length)), type).toBe(bytes.readUInt32BE(at + 8 + length));
    chunks.set(type, bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  expect([...chunks.keys()].at(-1)).toBe('IEND');
  const header = chunks.get('IHDR')!;
  const [width, height, depth, kind] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]];
  expect(depth).toBe(8);
  const step = kind === 3 ? 1 : 3;
  const raw = inflateSync(chunks.get('IDAT')!);
  expect(raw.length).toBe((width * step + 1) * height);
  const rows: number[][] = [];
  for (let y = 0; y < height; y++) {
    const from = y * (width * step + 1);
    const filter = raw[from];
    const row = [...raw.subarray(from + 1, from + 1 + width * step)];
    rows.push(filter === 2 ? row.map((value, x) => (value + (rows[y - 1]?.[x] ?? 0)) & 255) : row);
  }
  const palette = chunks.get('PLTE');
  const colorAt = (x: number, y: number): string => {
    const at = kind === 3 ? 3 * rows[y]![x]! : 3 * x;
    const from = kind === 3 ? palette! : Buffer.from(rows[y]!);
    return from.toString('hex', at, at + 3);
  };
  return { width, height, colorAt };
}

test('a site has one image for all of its pages, of the size in the tags', async () => {
  const output = await render({ a: '---\ntitle: A\n---\nText.', b: '---\ntitle: B\n---\nText.' });
  expect(images(output)).toHaveLength(1);
  expect(imageOf(output, 'a.html')).toBe(images(output)[0]);
  expect(imageOf(output, 'b.html')).toBe(images(output)[0]);
  const meta = (name: string) => metaOf(output, 'a.html', `og:image:${name}`);
  expect([meta('width'), meta('height'), meta('alt')]).toEqual(['1200', '630', 'Acme']);
  const { width, height, colorAt } = decode(output.files.get(images(output)[0]!));
  expect([width, height]).toEqual([1200, 630]);
  expect(colorAt(600, 628), 'the accent below').toBe('0055cc');
  expect(colorAt(20, 300), 'the ground').toBe('ffffff');
});

test('each page has its own where docs.json says how they look', async () => {
  const pages = {
    a: '---\ntitle: A\n---\nText.',
    b: '---\ntitle: B\n---\nText.',
    c: '---\ntitle: C\n---\nText.',
  };
  const output = await render(pages, { thumbnails: { appearance: 'dark' } });
  expect(new Set(['a', 'b', 'c'].map((page) => imageOf(output, `${page}.html`))).size).toBe(3);
  expect(images(output)).toHaveLength(3);
  for (const path of images(output)) expect(decode(output.files.get(path)).colorAt(20, 300)).toBe('0c0d0f');
  expect(metaOf(output, 'b.html', 'og:image:alt')).toBe('B');
});

test('a title in a script without a font here is shown by the image of the site', async () => {
  const pages = {
    index: 'Text.',
    ja: '---\ntitle: 日本語\n---\n',
    ar: '---\ntitle: العربية\n---\n',
    ru: '---\ntitle: Привет\n---\n',
  };
  const output = await render(pages, { thumbnails: { appearance: 'light' } });
  const site = imageOf(output, 'index.html');
  expect([imageOf(output, 'ja.html'), imageOf(output, 'ar.html')]).toEqual([site, site]);
  expect(imageOf(output, 'ru.html')).not.toBe(site);
});

test('a site whose name cannot be drawn has no image, and its tags ask for a small card', async () => {
  const output = await render({ a: 'Text.' }, { name: '日本語' });
  expect(images(output)).toEqual([]);
  expect(metaOf(output, 'a.html', 'twitter:card')).toBe('summary');
});

test('nothing is drawn for a site that brings an image of its own', async () => {
  const output = await render(
    { a: 'Text.' },
    { seo: { metatags: { 'og:image': 'https://acme.example/card.png' } } },
  );
  expect(images(output)).toEqual([]);
});

test('the logo is at the top, drawn from its file', async () => {
  const output = await render({ a: 'Text.' }, { logo: '/logo.svg' }, { 'logo.svg': LOGO });
  const { colorAt } = decode(output.files.get(images(output)[0]!));
  expect(colorAt(120, 100)).toBe('ff0000');
});

test.each([
  [
    'entities that multiply',
    '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>',
  ],
  [
    'parts that multiply',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><defs>${Array.from({ length: 20 }, (_, at) => `<g id="g${at + 1}"><use href="#g${at}"/><use href="#g${at}"/></g>`).join('')}<rect id="g0" width="1" height="1"/></defs><use href="#g20"/></svg>`,
  ],
  [
    'a file of this machine',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><image href="/etc/passwd" width="9" height="9"/></svg>',
  ],
  ['no size at all', '<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>'],
  ['no drawing', 'just text'],
  ['a broken drawing', '<svg xmlns="http://www.w3.org/2000/svg"><g>'],
])('a logo of %s costs itself and not the image', async (_name, logo) => {
  const output = await render({ a: 'Text.' }, { logo: '/logo.svg' }, { 'logo.svg': logo });
  expect(decode(output.files.get(images(output)[0]!)).width).toBe(1200);
});

test('long, empty and odd words keep to their place', async () => {
  const odd = [
    'word '.repeat(200),
    'x'.repeat(500),
    '🚀',
    '\u0000\u202e\u200b',
    '"><script>',
    '&amp; <b>',
    'é́́́',
    '’“—…',
  ];
  const pages = Object.fromEntries(
    odd.map((words, at) => [
      `p${at}`,
      `---\ntitle: ${JSON.stringify(words)}\ndescription: ${JSON.stringify(words)}\n---\nText.`,
    ]),
  );
  const output = await render(pages, { thumbnails: { appearance: 'dark' } });
  for (const path of images(output)) {
    const { colorAt } = decode(output.files.get(path));
    for (let y = 180; y < 620; y++) {
      expect(colorAt(70, y), `${path} left of the words at ${y}`).toBe('0c0d0f');
      expect(Number.parseInt(colorAt(1130, y).slice(0, 2), 16), `${path} right of them at ${y}`).toBeLessThan(
        100,
      );
    }
  }
});

test('the same site gives the same images, whatever was drawn before', async () => {
  const pages = { a: '---\ntitle: Alpha\n---\n', b: '---\ntitle: Beta\n---\n' };
  const config = { thumbnails: { appearance: 'light' }, logo: '/logo.svg' };
  const one = await render(pages, config, { 'logo.svg': LOGO });
  await render({ z: '---\ntitle: Something else\n---\n' }, { thumbnails: { appearance: 'dark' } });
  const two = await render(pages, config, { 'logo.svg': LOGO });
  expect([...two.files]).toEqual([...one.files]);
});

test('a background that is not there is a warning, and the images do without it', async () => {
  const output = await render({ a: 'Text.' }, { thumbnails: { background: '/gone.png' } });
  expect(images(output)).toHaveLength(1);
  expect(output.result.warnings.map(({ code, file }) => [code, file])).toEqual([
    ['missing-asset', 'docs.json'],
  ]);
});
