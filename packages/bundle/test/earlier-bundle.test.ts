import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundleFile } from '../src/bundle-file.ts';
import { isDamagedBundle } from '../src/damaged-bundle.ts';
import {
  type ChunkTable,
  type EarlierBundle,
  openEarlierBundle,
  parseChunkTable,
} from '../src/earlier-bundle.ts';
import { createPacker, type FileContent } from '../src/packer.ts';

const HEAD = {
  site: { domain: '', name: 'Docs', url: '' },
  version: '1',
  commit: null,
  renderer: { name: 'offprint', version: '1' },
  redirects: [],
  features: {},
  connect: [],
};

let work: string;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'offprint-earlier-'));
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

/** Text of a page that differs for each number, and is compressed to a third or so. */
const text = (number: number): string =>
  Array.from({ length: 900 }, (_, at) => `word${(at * 7919 + number * 104729) % 5000}`).join(' ');

/** Pages, an image, one file of several chunks and one that is compressed. */
function files(): Map<string, FileContent> {
  const all = new Map<string, FileContent>();
  for (let number = 0; number < 120; number++) all.set(`guide/page-${number}.html`, text(number));
  all.set(`${'long/'.repeat(40)}é.html`, text(200));
  all.set('logo.png', Buffer.alloc(300_000, text(201)));
  all.set('llms-full.txt', Array.from({ length: 80 }, (_, number) => text(number)).join('\n'));
  all.set('empty.txt', '');
  return all;
}

async function write(
  name: string,
  contents: ReadonlyMap<string, FileContent>,
  earlier: EarlierBundle | null = null,
): Promise<{ file: string; table: ChunkTable }> {
  const file = join(work, name);
  const sink = bundleFile(file, earlier);
  try {
    const packer = createPacker({ sink });
    for (const [path, content] of contents) packer.add(path, content);
    const index = await packer.finish(HEAD);
    return { file, table: parseChunkTable(JSON.stringify({ index, keys: packer.chunkKeys() })) };
  } finally {
    await sink.close();
  }
}

/** The same files, those of the earlier bundle without their content. */
function stored(
  contents: ReadonlyMap<string, FileContent>,
  earlier: EarlierBundle,
): Map<string, FileContent> {
  return new Map([...contents].map(([path, content]) => [path, earlier.file(path) ?? content]));
}

test('a bundle of stored files is the earlier one', async () => {
  const first = await write('first', files());
  const earlier = openEarlierBundle(first.file, first.table);
  const again = await write('again', stored(files(), earlier), earlier);
  earlier.close();
  expect(again.table).toEqual(first.table);
  expect(readFileSync(again.file).equals(readFileSync(first.file))).toBe(true);
});

test.each([
  ['a changed page', (all: Map<string, FileContent>) => all.set('guide/page-50.html', 'changed')],
  ['a page more', (all: Map<string, FileContent>) => all.set('guide/page-500.html', text(500))],
  ['a page less', (all: Map<string, FileContent>) => all.delete('guide/page-3.html')],
  [
    'a changed part of a large file',
    (all: Map<string, FileContent>) => all.set('llms-full.txt', `x${text(1)}`),
  ],
  ['a changed image', (all: Map<string, FileContent>) => all.set('logo.png', Buffer.alloc(400_000, text(9)))],
])('with %s, it is the bundle that new files give', async (_, change) => {
  const first = await write('first', files());
  const changed = files();
  change(changed);
  const cold = await write('cold', changed);
  const earlier = openEarlierBundle(first.file, first.table);
  const before = files();
  const mixed = new Map(
    [...changed].map(([path, content]) => {
      const isSame = before.get(path)?.toString() === content.toString();
      return [path, (isSame ? earlier.file(path) : null) ?? content];
    }),
  );
  const warm = await write('warm', mixed, earlier);
  earlier.close();
  expect(warm.table).toEqual(cold.table);
  expect(readFileSync(warm.file).equals(readFileSync(cold.file))).toBe(true);
});

test('a stored file is its content', async () => {
  const first = await write('first', files());
  const earlier = openEarlierBundle(first.file, first.table);
  for (const [path, content] of files())
    expect(Buffer.from(earlier.file(path)!.read()).equals(Buffer.from(content.toString()))).toBe(true);
  expect(earlier.file('other.html')).toBeNull();
  earlier.close();
});

test.each([
  ['changed', (bytes: Buffer) => bytes.fill(7, bytes.length / 2, bytes.length / 2 + 9)],
  ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
])('a bundle that was %s is reported and not copied', async (_, damage) => {
  const first = await write('first', files());
  writeFileSync(first.file, damage(readFileSync(first.file)));
  const earlier = openEarlierBundle(first.file, first.table);
  const again = write('again', stored(files(), earlier), earlier);
  await expect(again.catch((error) => isDamagedBundle(error))).resolves.toBe(true);
  earlier.close();
});

test('a bundle without its manifest is not opened', async () => {
  const first = await write('first', files());
  writeFileSync(first.file, Buffer.alloc(10));
  expect(() => openEarlierBundle(first.file, first.table)).toThrow('damaged');
});
