/** Variants of images in exports of the command, with what earlier exports left and without. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { imageFile } from '../../../../test/support/images.ts';
import { type Exports, exportsOf, replaced } from './page-cache.fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'offprint-image-cache-'));
let work: string;
let docs: string;
let exports: Exports;
let count = 0;

const write = (path: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(join(docs, path)), { recursive: true });
  writeFileSync(join(docs, path), content);
};
const edit = (path: string, from: string, to: string): void =>
  write(path, replaced(join(docs, path), from, to));

async function expectSame(): Promise<{ cached: boolean; renderedPages: number }> {
  const warm = await exports.warm();
  const before = exports.encoded.length;
  const cold = await exports.cold();
  exports.encoded.length = before;
  expect(warm.sha256).toBe(cold.sha256);
  expect(warm.warnings).toEqual(cold.warnings);
  return warm;
}

beforeEach(() => {
  work = join(root, String(++count));
  docs = join(work, 'docs');
  write(
    'docs.json',
    JSON.stringify({
      name: 'Docs',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: { pages: ['index', 'one', 'two', 'three'] },
      images: { variants: 'webp' },
      errors: { '404': { description: '![C](/img/c.png)' } },
    }),
  );
  write('img/a.png', imageFile(1_600, 700, 1));
  write('img/b.png', imageFile(500, 400, 2));
  write('img/c.png', imageFile(800, 400, 3));
  write('img/bad.png', imageFile(900, 400, 4).subarray(0, 15_000));
  write('index.mdx', '---\ntitle: Home\n---\n\n![A](/img/a.png) [one](/one#PART)\n');
  write('one.mdx', '---\ntitle: One\n---\n\n## Part\n\n![B](/img/b.png)\n');
  write('two.mdx', '---\ntitle: Two\n---\n\n![Bad](/img/bad.png)\n\nText.\n');
  write('three.mdx', '---\ntitle: Three\n---\n\n[two](/two#none)\n\nText.\n');
  exports = exportsOf(docs, work, 'https://docs.example.com');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('an edited export has the bytes and warnings of a cold one, and unchanged images are not encoded again', async () => {
  await expectSame();
  expect(exports.encoded.sort()).toEqual(['img/a.png', 'img/b.png', 'img/bad.png']);
  exports.encoded.length = 0;

  expect((await expectSame()).cached).toBe(true);
  edit('one.mdx', '## Part', 'More.\n\n## Part');
  expect((await expectSame()).renderedPages).toBeLessThan(4);
  edit('three.mdx', 'Text.', '![B](/img/b.png)');
  expect((await expectSame()).renderedPages).toBe(1);
  edit('index.mdx', 'title: Home', 'title: Start');
  expect((await expectSame()).renderedPages).toBe(1);
  expect(exports.encoded).toEqual([]);

  write('img/b.png', imageFile(500, 400, 9));
  await expectSame();
  expect(exports.encoded).toEqual(['img/b.png']);
  exports.encoded.length = 0;

  edit('three.mdx', '![B](/img/b.png)', '![C](/img/c.png)');
  expect((await expectSame()).renderedPages).toBe(1);
  expect(exports.encoded).toEqual(['img/c.png']);

  edit('docs.json', '"variants":"webp"', '"variants":"avif"');
  await expectSame();
  edit('docs.json', ',"images":{"variants":"avif"}', '');
  await expectSame();
});

test('a damaged record is encoded again', async () => {
  await exports.warm();
  const cache = join(work, 'cache');
  for (const name of readdirSync(cache)) {
    const bytes = readFileSync(join(cache, name));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(join(cache, name), bytes);
  }
  exports.encoded.length = 0;
  edit('index.mdx', 'title: Home', 'title: Start');
  await expectSame();
  expect(exports.encoded.sort()).toEqual(['img/a.png', 'img/b.png', 'img/bad.png']);
});

test('a record that is gone is made again where only the page of an earlier export needs it', async () => {
  await exports.warm();
  for (const name of readdirSync(join(work, 'cache'))) {
    const file = join(work, 'cache', name);
    if (/"variants":\[\[|"fault":/.test(readFileSync(file, 'latin1').slice(0, 200))) rmSync(file);
  }
  exports.encoded.length = 0;
  // The page with the image is known; only its link has to be written in another way.
  edit('one.mdx', '## Part', '## Part {#PART}');
  await expectSame();
  expect(exports.encoded).toContain('img/a.png');
});
