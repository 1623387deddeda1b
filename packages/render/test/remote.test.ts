import { describe, expect, test } from 'vitest';
import type { FetchRemote, RemoteAnswer } from '../src/index.ts';
import { find, findOne, valuesOf } from './dom.ts';
import { brokenLinks, renderFiles, textOf } from './output.ts';

const PNG = new Uint8Array(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const files = (pages: Record<string, string>, config: object = {}, more: Record<string, string> = {}) => ({
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    colors: { primary: '#166e3f' },
    navigation: { pages: Object.keys(pages) },
    ...config,
  }),
  ...Object.fromEntries(Object.entries(pages).map(([path, content]) => [`${path}.mdx`, content])),
  ...more,
});

/** A web that holds these files, and a record of what it was asked. */
function web(holds: Record<string, RemoteAnswer>): { fetchRemote: FetchRemote; asked: string[][] } {
  const asked: string[][] = [];
  return {
    asked,
    async fetchRemote(requests) {
      asked.push(requests.map(({ url }) => url));
      return new Map(
        requests.flatMap(({ url }) => (holds[url] === undefined ? [] : [[url, holds[url]] as const])),
      );
    },
  };
}

/** Path of a copy from a page at the top. */
const copyOf = (extension: string): RegExp => new RegExp(`^_offprint/remote/[0-9a-f]{20}\\.${extension}$`);

const image = (content: Uint8Array, type = 'image/png'): RemoteAnswer => ({ content, type });

test('images of other hosts are copied into the export, each fetched once for all pages', async () => {
  const { fetchRemote, asked } = web({
    'https://img.example/a.png': image(PNG),
    'https://img.example/b.png?x=1&y=2': image(text('GIF89a and more')),
  });
  const output = await renderFiles(
    files({
      'deep/one':
        '![A](https://img.example/a.png)\n\n<img src="https://img.example/b.png?x=1&y=2#part" alt="B" />',
      two: '<Frame><img src="//img.example/a.png" alt="A" /></Frame>',
      three: 'Text.',
    }),
    { fetchRemote },
  );
  expect(asked).toEqual([['https://img.example/a.png', 'https://img.example/b.png?x=1&y=2']]);
  const copies = [...output.files.keys()].filter((path) => path.startsWith('_offprint/remote/'));
  expect(copies.map((path) => path.replace(/^.*\./, ''))).toEqual(expect.arrayContaining(['gif', 'png']));
  expect(copies).toHaveLength(2);
  const picture = { role: 'img', name: 'A' };
  expect(findOne(textOf(output, 'deep/one.html'), picture).attributes.src).toMatch(
    /^\.\.\/_offprint\/remote\/[0-9a-f]{20}\.png$/,
  );
  expect(findOne(textOf(output, 'two.html'), picture).attributes.src).toMatch(copyOf('png'));
  expect(brokenLinks(output)).toEqual([]);
  expect(output.result.warnings.filter(({ code }) => code === 'remote-file')).toEqual([]);
  expect(output.result.pageCount).toBe(3);
});

test('what cannot be had stays a link, and the warning says why', async () => {
  const { fetchRemote } = web({
    'https://img.example/a.png': { fault: 'img.example did not answer within 10 s' },
  });
  const output = await renderFiles(files({ a: 'Line.\n\n![A](https://img.example/a.png)' }), { fetchRemote });
  expect(valuesOf(textOf(output, 'a.html'), 'href')).toContain('https://img.example/a.png');
  expect(output.result.warnings).toContainEqual(
    expect.objectContaining({
      file: 'a.mdx',
      line: 3,
      code: 'remote-file',
      message: expect.stringContaining('img.example did not answer within 10 s'),
    }),
  );
});

test('if fetching is not allowed, nothing is requested, and pages are unchanged', async () => {
  const output = await renderFiles(files({ a: '![A](https://img.example/a.png)' }));
  expect(valuesOf(textOf(output, 'a.html'), 'href')).toContain('https://img.example/a.png');
  expect([...output.files.keys()].some((path) => path.startsWith('_offprint/remote/'))).toBe(false);
});

test.each([
  ['a page instead of an image', text('<!doctype html><script>alert(1)</script>'), 'image/png'],
  [
    'an SVG with a script',
    text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    'image/svg+xml',
  ],
  [
    'an SVG with a prefixed script',
    text('<svg xmlns:s="http://www.w3.org/2000/svg"><s:script>1</s:script></svg>'),
    'image/svg+xml',
  ],
  [
    'an SVG with a handler',
    text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    'image/svg+xml',
  ],
  [
    'an SVG with a handler after a slash',
    text('<svg xmlns="http://www.w3.org/2000/svg"><g/onclick="alert(1)"></g></svg>'),
    'image/svg+xml',
  ],
  [
    'an SVG with external entities',
    text('<!DOCTYPE svg [<!ENTITY x SYSTEM "y">]><svg xmlns="http://www.w3.org/2000/svg"/>'),
    'image/svg+xml',
  ],
  [
    'an SVG with a link that runs, written in entities',
    text('<svg xmlns="http://www.w3.org/2000/svg"><a href="java&#115;cript:alert(1)"/></svg>'),
    'image/svg+xml',
  ],
  [
    'an SVG that animates a link',
    text('<svg xmlns="http://www.w3.org/2000/svg"><a><set attributeName="href" to="#"/></a></svg>'),
    'image/svg+xml',
  ],
  [
    'an SVG in UTF-16',
    new Uint8Array(Buffer.from('\ufeff<svg onload="alert(1)"/>', 'utf16le')),
    'image/svg+xml',
  ],
  [
    'an SVG that embeds HTML',
    text('<svg xmlns="http://www.w3.org/2000/svg"><foreignObject/></svg>'),
    'image/svg+xml',
  ],
  ['a program', text('MZ\u0000\u0000'), 'image/png'],
  ['nothing', new Uint8Array(), 'image/png'],
])('%s is not taken', async (_name, content, type) => {
  const { fetchRemote } = web({ 'https://img.example/a': { content, type } });
  const output = await renderFiles(files({ a: '![A](https://img.example/a)' }), { fetchRemote });
  expect([...output.files.keys()].filter((path) => path.startsWith('_offprint/remote/'))).toEqual([]);
  expect(output.result.warnings.map(({ code }) => code)).toContain('remote-file');
});

test('a plain SVG is an image', async () => {
  const { fetchRemote } = web({
    'https://img.example/a': image(
      text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'),
    ),
  });
  const output = await renderFiles(files({ a: '![A](https://img.example/a)' }), { fetchRemote });
  expect(findOne(textOf(output, 'a.html'), { role: 'img', name: 'A' }).attributes.src).toMatch(copyOf('svg'));
});

test('the logo, icons, descriptions and style sheets that docs.json names are copied', async () => {
  const { fetchRemote } = web({
    'https://cdn.example/logo.svg': image(text('<svg xmlns="http://www.w3.org/2000/svg"/>')),
    'https://cdn.example/icon.png': image(PNG),
    'https://cdn.example/api.json': {
      content: text(
        '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{"summary":"Get it"}}}}',
      ),
      type: 'application/json',
    },
    'https://cdn.example/css/site.css': {
      content: text(
        '@import "../more.css" screen;\n.a { background: url(img/a.png) } .b { background: url("gone.png") }',
      ),
      type: 'text/css; charset=utf-8',
    },
    'https://cdn.example/more.css': {
      content: text('.c { src: url(//fonts.example/f.woff2#x) }'),
      type: 'text/css',
    },
    'https://cdn.example/css/img/a.png': image(PNG),
    'https://fonts.example/f.woff2': { content: text('wOF2....'), type: 'font/woff2' },
  });
  const output = await renderFiles(
    files(
      { a: 'Text.' },
      {
        logo: { light: 'https://cdn.example/logo.svg', dark: 'https://cdn.example/logo.svg' },
        favicon: 'https://cdn.example/icon.png',
        navigation: {
          groups: [
            { group: 'G', pages: ['a'] },
            { group: 'API', openapi: 'https://cdn.example/api.json' },
          ],
        },
      },
      { 'deep/style.css': '.local { color: red } @import url("https://cdn.example/css/site.css");' },
    ),
    { fetchRemote },
  );
  const html = textOf(output, 'a.html');
  expect(valuesOf(html, 'src', { tag: 'img' })).toContainEqual(expect.stringMatching(copyOf('svg')));
  expect(valuesOf(html, 'href', { tag: 'link', attributes: { rel: 'icon' } })).toEqual([
    expect.stringMatching(copyOf('png')),
  ]);
  expect([...output.files.keys()].some((path) => path.endsWith('/get-it.html'))).toBe(true);
  expect(textOf(output, 'deep/style.css')).toMatch(
    /^\.local \{ color: red \} @import url\("\.\.\/_offprint\/remote\/[0-9a-f]{20}\.css"\);$/,
  );
  const sheets = [...output.files]
    .filter(([path]) => /_offprint\/remote\/.*\.css$/.test(path))
    .map(([path]) => textOf(output, path));
  expect(sheets.sort()).toEqual(
    [
      expect.stringMatching(/^\.c \{ src: url\("[0-9a-f]{20}\.woff2"\) \}$/),
      expect.stringMatching(
        /^@import url\("[0-9a-f]{20}\.css"\) screen;\n\.a \{ background: url\("[0-9a-f]{20}\.png"\) \} \.b \{ background: none \}$/,
      ),
    ].sort((a, b) => String(a).localeCompare(String(b))),
  );
  expect(brokenLinks(output)).toEqual([]);
});

test('no file of the export names another host as something to load', async () => {
  const { fetchRemote } = web({
    'https://cdn.example/a.css': {
      content: text('@import url(https://evil.example/x.css); a { b: url(https://evil.example/y) }'),
      type: 'text/css',
    },
  });
  const output = await renderFiles(
    files({ a: 'Text.' }, {}, { 'a.css': '@import "https://cdn.example/a.css";' }),
    { fetchRemote },
  );
  for (const [path, content] of output.files) {
    if (path.endsWith('.css')) expect(String(content), path).not.toContain('evil.example');
  }
});

test('style sheets that load each other without end are cut off', async () => {
  let count = 0;
  const fetchRemote: FetchRemote = async (requests) =>
    new Map(
      requests.map(({ url }) => {
        count++;
        return [url, { content: text(`@import "${url}x.css";`), type: 'text/css' }];
      }),
    );
  await renderFiles(files({ a: 'Text.' }, {}, { 'a.css': '@import "https://cdn.example/a.css";' }), {
    fetchRemote,
  });
  expect(count).toBe(4);
});

test('the same web gives the same bytes in the same order', async () => {
  const site = files({
    a: '![A](https://i.example/1)',
    b: '![B](https://i.example/2)',
    c: '![A](https://i.example/1)',
  });
  const holds = { 'https://i.example/1': image(PNG), 'https://i.example/2': image(text('GIF89a')) };
  const one = await renderFiles(site, { fetchRemote: web(holds).fetchRemote });
  const two = await renderFiles(site, { fetchRemote: web(holds).fetchRemote });
  expect([...two.files]).toEqual([...one.files]);
});

test('a font that docs.json names by its family only is fetched with its style sheet', async () => {
  const sheet = 'https://fonts.googleapis.com/css2?family=Open+Sans:wght@400;500;600;700&display=swap';
  const { fetchRemote } = web({
    [sheet]: {
      content: text(
        "@font-face { font-family: 'Open Sans'; src: url(https://fonts.gstatic.com/s/o.woff2) format('woff2') }",
      ),
      type: 'text/css',
    },
    'https://fonts.gstatic.com/s/o.woff2': { content: text('wOF2....'), type: 'font/woff2' },
  });
  const site = files({ a: 'Text.' }, { fonts: { family: 'Open Sans' } });
  const output = await renderFiles(site, { fetchRemote });
  expect(output.result.warnings).toEqual([]);
  const path = valuesOf(textOf(output, 'a.html'), 'href', { tag: 'link' }).find((href) =>
    copyOf('css').test(href),
  );
  expect(textOf(output, path ?? '')).toMatch(/url\("[0-9a-f]{20}\.woff2"\)/);
  const own = [...output.files.keys()].find((name) => /^_offprint\/site-.*\.css$/.test(name)) ?? '';
  expect(textOf(output, own)).toContain('--font-body:"Open Sans"');
  const without = await renderFiles(site);
  expect(without.result.warnings.map(({ code }) => code)).toEqual(['font-missing']);
});

test('scripts that a page or docs.json names are copied, and run from the site', async () => {
  const script = (content: string): RemoteAnswer => ({ content: text(content), type: 'text/javascript' });
  const { fetchRemote } = web({
    'https://cdn.example/page.js': script('page()'),
    'https://cdn.example/all.js': script('all()'),
    'https://cdn.example/page-instead': { content: text('<html></html>'), type: 'text/javascript' },
    'https://cdn.example/wrong-type': { content: text('x()'), type: 'text/plain' },
  });
  const site = files(
    {
      a: '<script src="https://cdn.example/page.js"></script>\n\nText.',
      b: 'Text.\n\n<script src="https://cdn.example/page-instead"></script>\n\n<script src="https://cdn.example/wrong-type"></script>',
    },
    { scripts: [{ src: 'https://cdn.example/all.js' }] },
  );
  const output = await renderFiles(site, { fetchRemote });
  const scriptsOf = (page: string): string[] =>
    valuesOf(textOf(output, page), 'src', {
      tag: 'script',
      attributes: { src: copyOf('js'), defer: true },
    }).map((path) => textOf(output, path));
  expect(scriptsOf('a.html').sort()).toEqual(['all()', 'page()']);
  expect(scriptsOf('b.html')).toEqual(['all()']);
  expect(output.result.warnings.map(({ code, file }) => `${code} ${file}`)).toEqual([
    'removed-element b.mdx',
    'removed-element b.mdx',
  ]);
  const without = await renderFiles(site);
  expect([...without.files.keys()].some((path) => path.startsWith('_offprint/remote/'))).toBe(false);
});

test('videos, their posters and icons by address are copied; embedded sites stay links', async () => {
  const mp4 = new Uint8Array(Buffer.from('\0\0\0\x18ftypmp42', 'latin1'));
  const { fetchRemote } = web({
    'https://v.example/a.mp4': { content: mp4, type: 'video/mp4' },
    'https://v.example/b.mp4': { content: mp4.slice(0, 11), type: 'video/mp4' },
    'https://v.example/poster.png': image(PNG),
    'https://v.example/icon.svg': image(
      text('<svg xmlns="http://www.w3.org/2000/svg"><path d="M1 1"/></svg>'),
    ),
  });
  const body = [
    '<video src="https://v.example/a.mp4" poster="https://v.example/poster.png" controls />',
    '<video controls><source src="https://v.example/b.mp4" type="video/mp4" /></video>',
    '<Card title="C" icon="https://v.example/icon.svg" img="https://v.example/poster.png">Text</Card>',
    '<iframe src="https://video.example/embed/1" title="Talk" />',
  ];
  const output = await renderFiles(files({ a: body.join('\n\n') }), { fetchRemote });
  const html = textOf(output, 'a.html');
  const film = { src: copyOf('mp4'), poster: copyOf('png') };
  expect(find(html, { tag: 'video', attributes: film })).toHaveLength(1);
  expect(find(html, { tag: 'source', attributes: { src: copyOf('mp4') } })).toHaveLength(1);
  expect(find(html, { tag: 'img', class: 'icon', attributes: { src: copyOf('svg') } })).toHaveLength(1);
  expect(findOne(html, { role: 'link', name: /^Talk/ }).attributes.href).toBe(
    'https://video.example/embed/1',
  );
  expect(find(html, { tag: 'iframe' })).toEqual([]);
  expect(brokenLinks(output)).toEqual([]);
  expect(output.result.warnings.map(({ code }) => code)).toEqual(['remote-frame']);
});

describe('a description of another host', () => {
  const URL_OF = 'https://api.example/openapi.json';
  const operation = (written: object): object => ({
    openapi: '3.1.0',
    info: { title: 'API', version: '1' },
    paths: { '/a': { get: { summary: 'Get it', ...written } } },
  });
  const described = (
    written: object,
    more: Record<string, string> = {},
    group: object = { group: 'API', openapi: URL_OF },
  ) => {
    const content = text(JSON.stringify(operation(written), null, 1));
    const { fetchRemote, asked } = web({ [URL_OF]: { content, type: 'application/json' } });
    const navigation = { groups: [{ group: 'G', pages: ['a'] }, group] };
    return { site: files({ a: 'Text.' }, { navigation }, more), fetchRemote, asked };
  };

  test('has the pages of its operations, also of single entries', async () => {
    const entry = { group: 'API', pages: [`${URL_OF} GET /a`] };
    for (const group of [undefined, entry]) {
      const { site, fetchRemote, asked } = described({ description: 'About.' }, {}, group);
      const output = await renderFiles(site, { fetchRemote });
      expect(textOf(output, 'api-reference/get-it.html')).toContain('About.');
      expect(output.result.warnings).toEqual([]);
      expect(asked).toEqual([[URL_OF]]);
    }
  });

  test('gives its operation to a page whose front matter names it', async () => {
    const page = (url: string) =>
      `---\ndescription: See ${url}\nopenapi: "${url} GET /a"\n---\n\nBytes of the page: é.`;
    const answer = { content: text(JSON.stringify(operation({ responses: {} }))), type: 'application/json' };
    const { fetchRemote, asked } = web({ [URL_OF]: answer });
    const missing = 'https://api.example/none.json';
    const output = await renderFiles(
      files({ a: page(URL_OF), b: page(URL_OF).replace('/a"', '/none"'), c: page(missing) }),
      { fetchRemote },
    );
    expect(asked).toEqual([[URL_OF, missing]]);
    const html = textOf(output, 'a.html');
    expect(findOne(html, { tag: 'h1' }).text).toBe('Get it');
    findOne(html, { tag: 'p', text: `See ${URL_OF}` });
    findOne(html, { tag: 'p', text: 'Bytes of the page: é.' });
    expect(output.result.warnings.map(({ file, code, message }) => [file, code, message])).toEqual([
      ['b.mdx', 'operation-missing', expect.stringContaining('does not contain GET /none')],
      ['c.mdx', 'remote-file', expect.stringContaining('could not be downloaded')],
      ['c.mdx', 'remote-description', expect.stringContaining(missing)],
    ]);
    const offline = await renderFiles(files({ a: page(URL_OF) }));
    expect(offline.result.warnings).toMatchObject([
      { file: 'a.mdx', code: 'remote-description', message: expect.stringContaining(URL_OF) },
    ]);
  });

  test('without permission is one warning that names it', async () => {
    const { site } = described({});
    const output = await renderFiles(site);
    expect(output.result.warnings).toMatchObject([
      { code: 'remote-description', message: expect.stringContaining(URL_OF) },
    ]);
    expect([...output.files.keys()].some((path) => path.startsWith('api-reference/'))).toBe(false);
  });

  test('refers to nothing but itself: neither to files of the docs nor to URLs', async () => {
    const secret = { 'secret.json': '{"description": "Internal", "type": "string"}' };
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '../../secret.json' },
        b: { $ref: 'https://169.254.169.254/latest' },
        c: { $ref: '#/components/schemas/None' },
      },
    };
    const body = { requestBody: { content: { 'application/json': { schema } } } };
    const { site, fetchRemote, asked } = described(body, secret);
    const output = await renderFiles(site, { fetchRemote });
    expect(asked).toEqual([[URL_OF]]);
    expect(textOf(output, 'api-reference/get-it.html')).not.toContain('Internal');
    expect(output.result.warnings.map(({ file, code, message }) => [file, code, message])).toEqual([
      ['docs.json', 'description-reference', expect.stringMatching(`In ${URL_OF}, line 18: .*secret.json`)],
      ['docs.json', 'description-reference', expect.stringMatching(`In ${URL_OF}, line 21: .*169.254`)],
      ['docs.json', 'description-reference', expect.stringMatching(`In ${URL_OF}, line 24: .*None`)],
    ]);
  });

  test('gets Markdown only: its x-mint has no MDX, no path and only texts as front matter', async () => {
    const { site, fetchRemote } = described({
      description: 'See `a`.\n\n- <b>bold</b> {1 + 1} <Card title="No">x</Card>',
      'x-mint': {
        content: '<Note>From MDX</Note>\n\nexport const a = 1',
        href: '/index',
        metadata: {
          title: 'Own title',
          mode: 'custom',
          canonical: 'https://evil.example',
          url: 'https://evil.example',
        },
      },
    });
    const output = await renderFiles(site, { fetchRemote });
    const html = textOf(output, 'api-reference/get-it.html');
    expect(html).not.toMatch(/From MDX|evil\.example/);
    expect(findOne(html, { tag: 'h1' }).text).toBe('Own title');
    expect(findOne(html, { id: 'content' }).text).toContain('bold {1 + 1} <Card title="No">x</Card>');
  });
});
