import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { readArchive } from './archive.ts';
import { packArchive } from './pack-archive.ts';

const files = {
  'index.mdx': Buffer.from('# Grüße\n'),
  [`${'deep/'.repeat(30)}page.mdx`]: Buffer.alloc(512, 'x'),
  'a.svg': Buffer.alloc(0),
};

test('an archive reads back as it was packed, here and by tar', async () => {
  const found: Record<string, string> = {};
  await readArchive(Readable.from([packArchive(files)]), async ({ path, content }) => {
    found[path] = await text(content);
  });
  expect(found).toEqual(Object.fromEntries(Object.entries(files).map(([path, it]) => [path, String(it)])));
  const listed = execFileSync('tar', ['tzf', '-'], { input: packArchive(files), encoding: 'utf8' });
  expect(listed.trim().split('\n').sort()).toEqual(Object.keys(files).sort());
});

test('the same files give the same bytes, in whatever order; a path that leaves gives none', () => {
  const turned = Object.fromEntries(Object.entries(files).reverse());
  expect(packArchive(turned).equals(packArchive(files))).toBe(true);
  expect(() => packArchive({ '../x': Buffer.from('x') })).toThrow('path');
});
