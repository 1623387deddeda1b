import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { wantsDates } from './wants-dates.ts';

const made: string[] = [];
afterEach(() => Promise.all(made.splice(0).map((folder) => rm(folder, { recursive: true }))));

async function docs(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'offprint-wants-'));
  made.push(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

test.each([
  ['docs.json shows them', { 'docs.json': '{"metadata": {"timestamp" : true}}' }, true],
  [
    'a page shows its own',
    { 'docs.json': '{}', 'a/b.mdx': '---\r\ntitle: A\r\ntimestamp: true\r\n---\r\nText' },
    true,
  ],
  ['a page has a feed', { 'docs.json': '{}', 'news.md': '---\nrss: true\n---\n' }, true],
  [
    'nobody shows any',
    { 'docs.json': '{"metadata": {"timestamp": false}}', 'a.mdx': '---\ntimestamp: false\n---\n' },
    false,
  ],
  [
    'a text only speaks of them',
    { 'docs.json': '{}', 'a.mdx': '---\ntitle: A\n---\n\ntimestamp: true\n' },
    false,
  ],
  ['there is no page', {}, false],
] as const)('dates are wanted as %s', async (_name, files, wanted) => {
  expect(await wantsDates(await docs(files as Record<string, string>))).toBe(wanted);
});
