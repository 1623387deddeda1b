/** Values files that cannot be edited are rejected before the export. */
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

const talk = { say() {}, progress() {}, done() {} };
const context = { talk, signal: new AbortController().signal };
const targetOf = (pin: boolean, below: string[] = []) => fileTarget(path, { pin, reapply: false, below });
const check = () =>
  targetOf(true)
    .check(context)
    .then(
      () => null,
      (error: unknown) => error as CliError,
    );

test('the check does not change a valid values file and does not create a missing one', async () => {
  expect(await check()).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
  const text = 'staticExport:\n  enabled: true # on\n';
  writeFileSync(path, text);
  expect(await check()).toBeNull();
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(readdirSync(folder)).toEqual(['values.yaml']);
});

test.each([
  ['a list', '- staticExport: {}\n', /values\.yaml:1: the file must contain a map/],
  [
    'staticExport by an alias',
    'a: &a { b: 1 }\nstaticExport: *a\n',
    /values\.yaml:2: staticExport must be a map/,
  ],
  [
    'a version that is a map',
    'staticExport:\n  version: { a: 1 }\n',
    /values\.yaml:2: .*version must be a string/,
  ],
  [
    'a value of staticExport that others repeat',
    'a: 1\nstaticExport:\n  enabled: &off false\nsite: { https: *off }\n',
    /values\.yaml:2: staticExport cannot be edited without changing other values/,
  ],
])('%s is rejected with its line before the export', async (_, text, message) => {
  writeFileSync(path, text);
  const error = await check();
  expect(error?.exitCode).toBe(2);
  expect(error?.message).toMatch(message);
  expect(error?.message).toMatch(/Nothing was exported$/);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test.each([
  ['a number', 'staticExport:\n  version: 1.0 # pin\n', 'version: "2" # pin'],
  ['a year in JSON', '{"staticExport": {"version": 2026}}', '"version": "2"'],
  ['a word that is not a string', 'staticExport: { version: no }\n', 'version: "2"'],
  ['what an alias names', 'v: &v "1"\nstaticExport:\n  version: *v\n', '  version: "2"\n'],
  ['what a merge brings', 'x: &x { version: "1" }\nstaticExport:\n  <<: *x\n', '\n  version: "2"\n'],
])('a version that is %s is a pin, too, and moves along', async (_, text, written) => {
  path = join(folder, text.startsWith('{') ? 'values.json' : 'values.yaml');
  writeFileSync(path, text);
  const bundle = { bundleUrl: 'https://o.example.com/b', sha256: 'a'.repeat(64), version: '2' };
  const target = targetOf(false);
  await target.check(context);
  expect(await target.apply(bundle, context)).toEqual([{ place: path, changed: true }]);
  expect(readFileSync(path, 'utf8')).toContain(written);
  expect(await target.apply(bundle, context)).toEqual([{ place: path, changed: false }]);
});

test.each([
  ['missing', 'staticExport: {}\n'],
  ['null', 'staticExport: { version: ~ }\n'],
  ['empty', 'staticExport: { version: "" }\n'],
])('a version that is %s pins nothing and stays so', async (_, text) => {
  writeFileSync(path, text);
  const bundle = { bundleUrl: 'https://o.example.com/b', sha256: 'a'.repeat(64), version: '2' };
  await targetOf(false).apply(bundle, context);
  expect(readFileSync(path, 'utf8')).not.toContain('"2"');
});

test('values of a subchart are written below its key, and refused without it', async () => {
  const text = 'offprint:\n  staticExport: { enabled: true }\n';
  writeFileSync(path, text);
  const error = await check();
  expect(error?.exitCode).toBe(2);
  expect(error?.message).toMatch(/values\.yaml:1: .*Set the values key to offprint\s+Nothing was exported/);
  expect(readFileSync(path, 'utf8')).toBe(text);
  const bundle = { bundleUrl: 'https://o.example.com/b', sha256: 'a'.repeat(64), version: '2' };
  await targetOf(true, ['offprint']).apply(bundle, context);
  expect(readFileSync(path, 'utf8')).toBe(
    `offprint:\n  staticExport: { enabled: true, bundleUrl: "https://o.example.com/b", version: "2", sha256: "${'a'.repeat(64)}" }\n`,
  );
});

test('a folder instead of the values file is rejected', async () => {
  mkdirSync(path);
  const error = await check();
  expect(error?.exitCode).toBe(2);
  expect(error?.message).toMatch(/values\.yaml is a folder. Name the values file in it/);
});

const isRoot = process.getuid?.() === 0;
if (isRoot) process.stderr.write('apps/cli/src/publish/file.test.ts: root can write to every folder\n');

test.skipIf(isRoot)(
  `a folder that is not writable is rejected${isRoot ? ' (not: root writes anyway)' : ''}`,
  async () => {
    writeFileSync(path, 'staticExport: {}\n');
    chmodSync(folder, 0o500);
    const error = await check();
    expect(error?.exitCode).toBe(2);
    expect(error?.message).toContain(`Cannot write to ${folder} (EACCES)`);
  },
);
