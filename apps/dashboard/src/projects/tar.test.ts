/// <reference types="node" />
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { docsIn } from './picked-folder.ts';
import { packFiles, type TarFile } from './tar.ts';

const file = (path: string, text = path): TarFile => ({ path, content: new Blob([text]) });

test('the archive unpacks to the same files with tar, whatever their names and sizes', async () => {
  const files = [
    file('docs.json', '{}'),
    file('empty.mdx', ''),
    file('block.txt', 'x'.repeat(512)),
    file('big.bin', 'y'.repeat(2_500_001)),
    file('guides/größe und mehr.mdx'),
    file(`${'a'.repeat(60)}/${'b'.repeat(60)}/split.mdx`),
    file(`${'c'.repeat(120)}.mdx`),
    file(`${'d/'.repeat(130)}deep.mdx`),
  ];
  const shares: number[] = [];
  const packed = await packFiles(files, (share) => shares.push(share));
  expect(shares.at(-1)).toBe(1);
  const folder = mkdtempSync(join(tmpdir(), 'tar-'));
  try {
    writeFileSync(join(folder, 'a.tar.gz'), Buffer.from(await packed.arrayBuffer()));
    execFileSync('tar', ['xzf', 'a.tar.gz'], { cwd: folder });
    for (const { path, content } of files)
      expect(readFileSync(join(folder, path), 'utf8') === (await content.text()), path).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the docs of a picked folder are those around the topmost docs.json, without files that tools left there', () => {
  const docs = docsIn([
    file('README.md'),
    file('.git/config'),
    file('site/docs.json'),
    file('site/index.mdx'),
    file('site/.env.local'),
    file('site/node_modules/a/docs.json'),
    file('site/examples/docs.json'),
  ]);
  expect(docs).toMatchObject({ root: 'site', leftOut: 4 });
  expect((docs as { files: TarFile[] }).files.map(({ path }) => path)).toEqual([
    'docs.json',
    'examples/docs.json',
    'index.mdx',
  ]);
});

test('a folder without docs, or with two, is refused with a sentence', () => {
  expect(docsIn([file('README.md')])).toMatch(/No docs\.json/);
  expect(docsIn([file('a/docs.json'), file('b/mint.json')])).toMatch(/in a, b/);
});
