import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeBundle } from '../src/bundle-file.ts';
import { bundleFile, createPacker, verifyBundle } from '../src/index.ts';
import { head, pack } from './craft.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-bundle-file-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const noise = Buffer.concat(Array.from({ length: 700 }, (_, i) => hash('sha512', String(i), 'buffer')));
const site = (files: number): [string, string | Uint8Array][] =>
  Array.from({ length: files }, (_, i) => [
    `p/${i}.html`,
    i % 3 === 0 ? noise.subarray(i) : `<p>ü ${i}</p>`.repeat(2000),
  ]);

async function packToFile(files: [string, string | Uint8Array][]) {
  const file = join(root, 'site.tar.gz');
  const sink = bundleFile(file);
  try {
    const packer = createPacker({ sink });
    for (const [path, content] of files) packer.add(path, content);
    return { file, index: await packer.finish(head) };
  } finally {
    await sink.close();
  }
}

it('has the bytes of the artifact, with a thread or without', async () => {
  for (const count of [1, 30, 600]) {
    const files = site(count);
    const { index, bundle } = await pack(files);
    const written = await packToFile(files);
    expect(written.index).toEqual(index);
    expect(Buffer.compare(readFileSync(written.file), bundle)).toBe(0);
    await verifyBundle(written.file, { sha256: index.bundle.sha256 });
    rmSync(written.file);
    rmSync(`${written.file}.chunks`);
  }
});

it('has the same bytes whether the event loop runs between the files or not, with large files too', async () => {
  const files = site(200);
  const large = 'text of a large file '.repeat(400_000);
  const { index } = await pack([...files, ['large.txt', large]]);
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const file = join(root, 'site.tar.gz');
  const sink = bundleFile(file);
  const packer = createPacker({ sink });
  for (const [path, content] of files) {
    packer.add(path, content);
    await turn();
  }
  await packer.addLarge('large.txt', large);
  expect(await packer.finish(head)).toEqual(index);
  await sink.close();
});

it('replaces no file', async () => {
  writeFileSync(join(root, 'site.tar.gz'), 'there');
  expect(() => bundleFile(join(root, 'site.tar.gz'))).toThrow('EEXIST');
  expect(existsSync(join(root, 'site.tar.gz.chunks'))).toBe(false);
});

it.each([5, 600])('rejects with the error of the system after %i files', async (count) => {
  // every write to this device fails
  const full = () => openSync('/dev/full', 'r+');
  const sink = writeBundle({ bundle: full(), chunks: full() });
  const packer = createPacker({ sink });
  for (const [path, content] of site(count)) packer.add(path, content);
  await expect(packer.finish(head)).rejects.toMatchObject({ code: 'ENOSPC' });
  await sink.close();
});
