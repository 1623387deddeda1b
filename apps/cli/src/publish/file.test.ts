/** What keeps a bundle out of a values file is told before anything is exported. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CliError } from '../errors.ts';
import { fileTarget } from './file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-values-'));
  path = join(folder, 'values.yaml');
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

const check = () =>
  fileTarget(path, { pin: true, reapply: false })
    .check(new AbortController().signal)
    .then(
      () => null,
      (error: unknown) => error as CliError,
    );

test('a file that a bundle can be written into is left as it is, and one that is missing is not made', async () => {
  expect(await check()).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
  const text = 'staticExport:\n  enabled: true # on\n';
  writeFileSync(path, text);
  expect(await check()).toBeNull();
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(readdirSync(folder)).toEqual(['values.yaml']);
});

test.each([
  ['a list', '- staticExport: {}\n', /values\.yaml:1: the file holds no map of values/],
  [
    'staticExport by an alias',
    'a: &a { b: 1 }\nstaticExport: *a\n',
    /values\.yaml:2: staticExport is no map/,
  ],
  [
    'a value of staticExport that others repeat',
    'a: 1\nstaticExport:\n  enabled: &off false\nsite: { https: *off }\n',
    /values\.yaml:2: staticExport is written in a way that cannot be changed without changing more/,
  ],
])('%s is told with its line', async (_, text, message) => {
  writeFileSync(path, text);
  const error = await check();
  expect(error?.exitCode).toBe(2);
  expect(error?.message).toMatch(message);
  expect(error?.message).toMatch(/nothing was exported$/);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('a folder in the place of the file is told', async () => {
  mkdirSync(path);
  const error = await check();
  expect(error?.exitCode).toBe(2);
  expect(error?.message).toMatch(/values\.yaml is a folder; name the values file in it/);
});

const isRoot = process.getuid?.() === 0;
if (isRoot) process.stderr.write('apps/cli/src/publish/file.test.ts: root may write into every folder\n');

test.skipIf(isRoot)(
  `a folder that takes no file is told${isRoot ? ' (not: root writes anyway)' : ''}`,
  async () => {
    writeFileSync(path, 'staticExport: {}\n');
    chmodSync(folder, 0o500);
    const error = await check();
    expect(error?.exitCode).toBe(2);
    expect(error?.message).toContain(`${folder} takes no file (EACCES)`);
  },
);
