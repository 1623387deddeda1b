/** Variants of images on pages, with an encoder of the test in place of the one of the program. */
import { describe, expect, test } from 'vitest';
import { type EncodedImages, type ImageRecord, packImage, unpackImage } from '../src/images/index.ts';
import type { OpenEncoder } from '../src/index.ts';
import { find, findOne } from './dom.ts';
import { brokenLinks, renderFiles, textOf } from './output.ts';

/** The header of a PNG, and bytes to a size. */
function png(width: number, height: number, bytes = 20_000): Uint8Array {
  const content = new Uint8Array(bytes);
  content.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  const view = new DataView(content.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return content;
}

const site = (
  pages: Record<string, string>,
  images: Record<string, Uint8Array> = { 'a.png': png(2_000, 1_000), 'b.png': png(600, 300) },
  config: object = { images: { variants: 'webp' } },
): Record<string, string | Uint8Array> => ({
  'docs.json': JSON.stringify(
    {
      theme: 'mint',
      name: 'Acme',
      colors: { primary: '#166e3f' },
      navigation: { pages: Object.keys(pages) },
      ...config,
    },
    null,
    1,
  ),
  ...Object.fromEntries(
    Object.entries(pages).map(([path, body]) => [`${path}.mdx`, `---\ntitle: ${path}\n---\n\n${body}`]),
  ),
  ...images,
});

const sizes: Record<string, [number, number]> = { 'a.png': [2_000, 1_000], 'b.png': [600, 300] };

/** Variants whose bytes name the image and their width. */
function recordOf(path: string, widths: readonly number[]): ImageRecord {
  const [width, height] = sizes[path] ?? [2_000, 1_000];
  const fitting = [...new Set(widths.map((each) => Math.min(each, width)))];
  const variants = fitting.map((each) => ({ width: each, content: Buffer.from(`${path} ${each}`) }));
  return { width, height, variants, fault: null };
}

/** An encoder that notes what it is asked for, and keeps records in `kept`. */
function encoder(
  change: (path: string, record: ImageRecord) => ImageRecord | { fault: string } | null = (_, record) =>
    record,
  fault: string | null = null,
) {
  const asked: string[][] = [];
  const kept = new Map<string, Uint8Array>();
  const openEncoder: OpenEncoder = async () => ({
    name: 'test 1',
    get: (key) => kept.get(key) ?? null,
    put: (key, record) => void kept.set(key, record),
    async encode(requests): Promise<EncodedImages> {
      asked.push(requests.map(({ path }) => path));
      const images = new Map(
        requests.flatMap(({ path, widths }) => {
          const made = change(path, recordOf(path, widths));
          if (made === null) return [];
          const answer = 'variants' in made ? { record: packImage(made) } : { fault: made.fault };
          return [[path, answer] as const];
        }),
      );
      return { images, fault };
    },
  });
  return { openEncoder, asked, kept };
}

/** Pictures with what their two children say. */
const pictures = (html: string) =>
  find(html, { tag: 'picture' }).map(({ children: [source, image] }) => ({
    source: source?.attributes ?? {},
    image: image?.attributes ?? {},
  }));

/** What a name is, and how wide its file is, of each variant. */
const variantsOf = (srcset = '') => srcset.split(', ').map((variant) => variant.split(' '));

const IN_COLUMN = '(min-width: 800px) 720px, calc(100vw - 40px)';
const NAMED = /^(?:\.\.\/)?_offprint\/images\/[0-9a-f]{20}\.webp$/;

describe('an image with variants', () => {
  test('is a picture with the original and its size as fallback, and the files are in the output', async () => {
    const output = await renderFiles(
      site({ index: '![A](/a.png)', 'deep/two': 'x\n\n![B](/b.png)' }),
      encoder(),
    );
    const [first] = pictures(textOf(output, 'index.html'));
    const named = expect.stringMatching(NAMED);
    expect(first?.image).toMatchObject({ src: 'a.png', alt: 'A', width: '2000', height: '1000' });
    expect(first?.source).toMatchObject({ type: 'image/webp', sizes: IN_COLUMN });
    expect(variantsOf(first?.source.srcset)).toEqual([
      [named, '720w'],
      [named, '1440w'],
    ]);
    const [second] = pictures(textOf(output, 'deep/two.html'));
    expect(second?.image).toMatchObject({ src: '../b.png', width: '600', height: '300' });
    expect(variantsOf(second?.source.srcset)).toEqual([[named, '600w']]);
    const files = [...output.files].filter(([path]) => path.startsWith('_offprint/images/'));
    expect(files.map(([, content]) => String(content)).sort()).toEqual([
      'a.png 1440',
      'a.png 720',
      'b.png 600',
    ]);
    for (const { source } of [first, second].filter((one) => one !== undefined))
      for (const [url = ''] of variantsOf(source.srcset))
        expect(output.files.has(url.replace('../', '')), url).toBe(true);
    expect(brokenLinks(output)).toEqual([]);
    expect(output.result.encoder).toBe('test 1');
    expect(output.result.warnings).toEqual([]);
  });

  test('has the name of the original in Markdown, llms-full.txt and the search', async () => {
    const output = await renderFiles(site({ index: '![A picture](/a.png)' }), encoder());
    expect(textOf(output, 'index.md')).toContain('a.png');
    expect(textOf(output, 'llms-full.txt')).toContain('a.png');
    for (const [path, content] of output.files)
      if (/\.(?:md|txt|xml)$/.test(path)) expect(String(content), path).not.toContain('_offprint/images');
  });

  test('all images of a site are encoded in one request, each once', async () => {
    const { openEncoder, asked } = encoder();
    await renderFiles(site({ index: 'Text.', one: '![A](a.png)', two: '![A](/a.png) ![B](/b.png)' }), {
      openEncoder,
    });
    expect(asked).toEqual([['a.png', 'b.png']]);
  });

  test('kept records are not encoded again, and the files come in the same order', async () => {
    const { openEncoder, asked } = encoder();
    const files = site({ index: 'Text.', one: '![A](a.png)', two: '[to](/one) ![A](/a.png) ![B](/b.png)' });
    const first = await renderFiles(files, { openEncoder });
    const second = await renderFiles(files, { openEncoder });
    expect(asked).toHaveLength(1);
    expect([...second.files]).toEqual([...first.files]);
  });

  test('the width of the page says how wide it is shown, else its own width stays what browsers take', async () => {
    const body = [
      '<img src="/a.png" width="320" alt="x" />',
      '<img src="/a.png" className="h-40" alt="x" />',
      '<img src="/a.png" className="dark:hidden rounded-lg" alt="x" />',
      '<img src="/b.png" alt="x" />',
    ];
    const output = await renderFiles(site({ index: body.join('\n\n') }), encoder());
    const found = pictures(textOf(output, 'index.html')).map(({ source }) => source.sizes);
    expect(found).toEqual(['320px', '2000px', IN_COLUMN, '600px']);
  });
});

test.each([
  ['small files', '![x](/s.png)'],
  ['drawings', '![x](/d.svg)'],
  ['files that only claim to be images', '![x](/text.png)'],
  ['a picture of the author', '<picture><source srcSet="/b.png" /><img src="/a.png" alt="x" /></picture>'],
  ['variants of the author', '<img src="/a.png" srcSet="/b.png 2x" alt="x" />'],
  ['images with buttons', '<img src="/a.png" actions="copy" alt="x" />'],
])('%s are shown as they are', async (_, body) => {
  const { openEncoder, asked } = encoder();
  const images = {
    'a.png': png(2_000, 1_000),
    'b.png': png(600, 300),
    's.png': png(2_000, 1_000, 5_000),
    'd.svg': Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><!--${'x'.repeat(20_000)}--></svg>`,
    ),
    'text.png': Buffer.alloc(20_000, 'text'),
  };
  const output = await renderFiles(site({ index: body }, images), { openEncoder });
  expect(asked).toEqual([]);
  expect(textOf(output, 'index.html')).not.toContain('_offprint/images');
});

test('an image of a component that browsers run stays the one that the component shows there', async () => {
  const body =
    'export const Shot = () => { const [on, setOn] = useState(false); return <button onClick={() => setOn(!on)}><img src="/a.png" alt="x" />{on ? "a" : "b"}</button>; };\n\n<Shot />';
  const output = await renderFiles(site({ index: body }), encoder());
  const html = textOf(output, 'index.html');
  expect(findOne(html, { role: 'img', name: 'x' }).attributes.src).toBe('a.png');
  expect(find(html, { tag: 'picture' })).toEqual([]);
});

describe('without the option', () => {
  const off = site({ index: '![A](/a.png)' }, undefined, {});

  test('no encoder is opened, and the output is the same with and without one', async () => {
    let opened = 0;
    const openEncoder: OpenEncoder = async () => {
      opened += 1;
      return { missing: 'no.' };
    };
    const plain = await renderFiles(off);
    const output = await renderFiles(off, { openEncoder });
    expect(opened).toBe(0);
    expect([...output.files]).toEqual([...plain.files]);
    expect(output.result.encoder).toBeNull();
  });

  test('style sheet, script and headers name nothing of it', async () => {
    const { files } = await renderFiles(off);
    for (const [path, content] of files) {
      if (!/\.(?:css|js|html)$|_headers$/.test(path)) continue;
      expect(String(content), path).not.toMatch(/picture\{|picture > img|_offprint\/images/);
    }
  });
});

describe('what cannot be encoded', () => {
  const files = site({ index: 'Text.\n\n![A](/a.png)\n\n![B](/b.png)' });

  test('an unknown format is a warning at its line', async () => {
    const { openEncoder, asked } = encoder();
    const bad = site({ index: '![A](/a.png)' }, undefined, { images: { variants: 'jxl' } });
    const { result } = await renderFiles(bad, { openEncoder });
    expect(asked).toEqual([]);
    const line =
      String(bad['docs.json'])
        .split('\n')
        .findIndex((text) => text.includes('"variants"')) + 1;
    expect(result.warnings).toEqual([
      expect.objectContaining({ file: 'docs.json', line, code: 'config-value' }),
    ]);
  });

  test('without an encoder, one warning names the key, and originals are shown', async () => {
    const { files: made, result } = await renderFiles(files, {
      openEncoder: async () => ({ missing: 'it is gone.' }),
    });
    expect(pictures(textOf({ files: made }, 'index.html'))).toEqual([]);
    expect(result.warnings).toEqual([
      expect.objectContaining({
        file: 'docs.json',
        code: 'images-not-encoded',
        message: expect.stringContaining('it is gone.'),
      }),
    ]);
  });

  test('an image that cannot be read is a warning at its place; the others have variants', async () => {
    const broken = encoder((path, record) =>
      path === 'a.png' ? { width: 0, height: 0, variants: [], fault: 'the end is missing' } : record,
    );
    for (const round of ['first', 'kept']) {
      const { files: made, result } = await renderFiles(files, broken);
      expect(pictures(textOf({ files: made }, 'index.html')), round).toHaveLength(1);
      expect(result.warnings, round).toEqual([
        expect.objectContaining({
          file: 'index.mdx',
          line: 7,
          code: 'image-not-encoded',
          message:
            '`a.png` has no smaller variants and is shown as it is: it cannot be read: the end is missing.',
        }),
      ]);
      expect(result.isFinal, round).toBe(true);
    }
    expect(broken.asked).toEqual([['a.png', 'b.png']]);
  });

  test('a limit of the machine is a warning, and the export is not one that others would make', async () => {
    const slow = encoder((path, record) =>
      path === 'a.png' ? { fault: 'it needs more than 20 s of CPU time' } : record,
    );
    const { result } = await renderFiles(files, slow);
    expect(result.warnings.map(({ line, code }) => [line, code])).toEqual([[7, 'image-not-encoded']]);
    expect(result.isFinal).toBe(false);
    await renderFiles(files, slow);
    expect(slow.asked).toEqual([['a.png', 'b.png'], ['a.png']]);
  });

  test('if encoding stops, the rest is one warning', async () => {
    const { result } = await renderFiles(
      files,
      encoder((path, record) => (path === 'a.png' ? record : null), 'it stopped.'),
    );
    expect(result.warnings.map(({ file, code }) => [file, code])).toEqual([
      ['docs.json', 'images-not-encoded'],
    ]);
    expect(result.isFinal).toBe(false);
  });

  test('images beyond the limits are not decoded', async () => {
    const { openEncoder, asked } = encoder();
    const huge = { 'a.png': png(10_000, 6_000), 'b.png': png(40_000, 10) };
    const { result } = await renderFiles(site({ index: '![A](/a.png)\n\n![B](/b.png)' }, huge), {
      openEncoder,
    });
    expect(asked).toEqual([]);
    expect(result.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('more than 50 million pixels'),
      expect.stringContaining('a side of more than 30000 pixels'),
    ]);
  });
});

describe('a record', () => {
  const record = packImage(recordOf('a.png', [720, 1_440]));

  test('gives what was packed', () => {
    expect(unpackImage(record)).toEqual(recordOf('a.png', [720, 1_440]));
  });

  test.each([
    ['nothing', new Uint8Array()],
    ['a cut end', record.subarray(0, -1)],
    ['more at the end', Buffer.concat([record, Buffer.from('x')])],
    ['no JSON', Buffer.from('\x04\0\0\0{{{{')],
    ['another form', Buffer.concat([Buffer.from([4, 0, 0, 0]), Buffer.from('null')])],
    ['sizes that are none', packHead('{"width":1,"height":1,"variants":[[720,-5]],"fault":null}')],
    [
      'too many variants',
      packHead(`{"width":1,"height":1,"variants":[${Array(9).fill('[1,0]').join()}],"fault":null}`),
    ],
  ])('%s is none', (_, bytes) => {
    expect(unpackImage(bytes)).toBeNull();
  });
});

function packHead(head: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(head));
  return Buffer.concat([length, Buffer.from(head)]);
}
