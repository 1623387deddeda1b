/** Compares the documentation with the code that it describes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { warningCodes } from '../packages/render/src/warning-codes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

function sources(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

test('docs/publish/sources.mdx explains every reason to omit a file', () => {
  const [, reasons = ''] =
    /reason:((?:\s+\| '[a-z-]+')+);/.exec(read('apps/server/src/platform/git/materialise.ts')) ?? [];
  const codes = Array.from(reasons.matchAll(/'(.+?)'/g), (match) => `source-${match[1]}`);
  expect(codes.length).toBeGreaterThan(5);
  const page = read('docs/publish/sources.mdx');
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

test('every test that the threat model names exists, and each attack has one', () => {
  const page = read('docs/operate/threat-model.mdx');
  const named = [...page.matchAll(/`([\w./-]+\.test\.ts)`/g)].map((match) => match[1]!);
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const rows = page
    .split('\n')
    .filter((line) => line.split(' | ').length === 3 && !/^\| (?:---|attack|mistake) /.test(line));
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => !row.includes('.test.ts`'))).toEqual([]);
});

test('docs/write/warnings.mdx explains every code of a warning, and each can occur', () => {
  // The record of the codes names all of them by itself.
  const record = read('packages/render/src/warning-codes.ts');
  const text = (sources('packages/render/src') + sources('apps/server/src')).replace(record, '');
  const codes = [...read('docs/write/warnings.mdx').matchAll(/^\| (`[^|]+) \|/gm)]
    .flatMap((match) => [...match[1]!.matchAll(/`([a-z0-9-]+)`/g)])
    .map((match) => match[1]!);
  expect(codes.filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  expect([...new Set(codes)].sort()).toEqual(warningCodes);
});
