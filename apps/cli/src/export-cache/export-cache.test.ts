import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directorySource } from '@offprint/render/source-directory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Cache, cacheFolder } from './cache-folder.ts';
import { findExport, keepExport, type ReadDates, readInput } from './export-cache.ts';

const OPTIONS = { siteUrl: null, label: undefined, commit: undefined, path: undefined, unlisted: true };
const OUTCOME = { pageCount: 1, version: 'v', sha256: 'x', sizeBytes: 6, siteUrl: null, warnings: [] };
const BUNDLE = Buffer.from('bundle');
const OLD = new Date(Date.now() - 60_000);

let work: string;
let docs: string;
let folder: string;
let cache: Cache;
/** A file with BUNDLE, and the one to which the bundle of an entry is written. */
let file: string;
let found: string;

beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'offprint-export-cache-'));
  docs = join(work, 'docs');
  folder = join(work, 'cache');
  mkdirSync(join(docs, 'snippets'), { recursive: true });
  for (const name of ['docs.json', 'index.mdx', 'snippets/note.mdx', 'logo.svg', 'style.css', 'api.yaml']) {
    writeFileSync(join(docs, name), `${name} as first written`);
    utimesSync(join(docs, name), OLD, OLD);
  }
  cache = cacheFolder(folder);
  file = join(work, 'bundle');
  found = join(work, 'found');
  writeFileSync(file, BUNDLE);
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

function keyOf(options: object = OPTIONS): string {
  const input = readInput(docs, directorySource(docs), options, cache);
  expect(input).not.toBeNull();
  return input?.key ?? '';
}
const noDates = async () => undefined;
const find = (key: string, readDates: ReadDates = noDates) =>
  findExport({ key, wantsDates: null }, readDates, cache, found);

describe('the key of an export', () => {
  test('is the same while nothing changes', () => {
    expect(keyOf()).toBe(keyOf());
  });

  test.each(['docs.json', 'index.mdx', 'snippets/note.mdx', 'logo.svg', 'style.css', 'api.yaml'])(
    'changes with %s',
    (name) => {
      const before = keyOf();
      appendFileSync(join(docs, name), '.');
      expect(keyOf()).not.toBe(before);
    },
  );

  test('changes with a file of the same size, whose time was set back', () => {
    const before = keyOf();
    writeFileSync(join(docs, 'index.mdx'), 'index.mdx as later written');
    utimesSync(join(docs, 'index.mdx'), OLD, OLD);
    expect(keyOf()).not.toBe(before);
  });

  test('changes with a file that is written twice in the same moment', () => {
    writeFileSync(join(docs, 'index.mdx'), 'one');
    const { mtime } = statSync(join(docs, 'index.mdx'));
    const before = keyOf();
    writeFileSync(join(docs, 'index.mdx'), 'two');
    utimesSync(join(docs, 'index.mdx'), mtime, mtime);
    expect(keyOf()).not.toBe(before);
  });

  test.each([
    ['a new file', () => writeFileSync(join(docs, 'new.mdx'), '')],
    ['a removed file', () => rmSync(join(docs, 'style.css'))],
    ['a renamed file', () => renameSync(join(docs, 'style.css'), join(docs, 'styles.css'))],
    ['a symbolic link, about which an export warns', () => symlinkSync('index.mdx', join(docs, 'link.mdx'))],
  ])('changes with %s', (_, change) => {
    const before = keyOf();
    change();
    expect(keyOf()).not.toBe(before);
  });

  test('changes with each option that the bundle depends on', () => {
    const keys = [
      {},
      { siteUrl: 'https://docs.acme.test' },
      { label: '2.1' },
      { commit: 'abc' },
      { path: ['index'] },
      { unlisted: false },
    ].map((change) => keyOf({ ...OPTIONS, ...change }));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('stays the same when files only have a new time', () => {
    const before = keyOf();
    const now = new Date(Date.now() - 30_000);
    utimesSync(join(docs, 'index.mdx'), now, now);
    expect(keyOf()).toBe(before);
  });

  test('needs no folder that can be created', () => {
    cache = cacheFolder('/proc/offprint/cache');
    cache.put('a'.repeat(64), [BUNDLE]);
    expect(cache.get('a'.repeat(64))).toBeNull();
  });

  test('needs no folder that can be written', () => {
    const before = keyOf();
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, 'not a folder');
    expect(keyOf()).toBe(before);
  });
});

describe('a kept export', () => {
  const keep = (key: string, dates?: Record<string, string>) =>
    keepExport(key, { outcome: OUTCOME, file }, dates, cache);

  test('is found with its bundle', async () => {
    const key = keyOf();
    keep(key);
    expect(await find(key)).toEqual(OUTCOME);
    expect(readFileSync(found)).toEqual(BUNDLE);
  });

  test('is not found after the dates that it shows have changed', async () => {
    const key = keyOf();
    keep(key, { 'index.mdx': '2026-08-14T09:30:00Z' });
    const findWith = (date: string) => find(key, async () => ({ 'index.mdx': date }));
    expect(await findWith('2026-08-14T09:30:00Z')).not.toBeNull();
    rmSync(found);
    expect(await findWith('2026-08-15T09:30:00Z')).toBeNull();
    expect(await find(key)).toBeNull();
    expect(existsSync(found)).toBe(false);
  });

  test.each([
    ['truncated', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
    ['empty', () => Buffer.alloc(0)],
    ['with one changed bit', (bytes: Buffer) => bytes.map((byte, at) => (at === 60 ? byte ^ 1 : byte))],
    ['of another key', (_: Buffer, other: Buffer) => other],
    ['written by another program', () => Buffer.from('hello')],
  ])('is not used when its entry is %s', async (_, damage) => {
    const key = keyOf();
    keep(key);
    const other = keyOf({ ...OPTIONS, label: 'other' });
    keepExport(other, { outcome: { ...OUTCOME, version: 'other' }, file }, undefined, cache);
    const entry = join(folder, key);
    writeFileSync(entry, damage(readFileSync(entry), readFileSync(join(folder, other))));
    expect(await find(key)).toBeNull();
    expect(readdirSync(folder)).not.toContain(key);
    expect(existsSync(found)).toBe(false);
  });

  test('is found with warnings and a bundle of several pieces', async () => {
    const key = keyOf();
    const warning = {
      file: 'index.mdx',
      line: 1,
      code: 'broken-link' as const,
      message: 'x'.repeat(700_000),
    };
    const outcome = { ...OUTCOME, warnings: [warning, warning, warning] };
    const bundle = Buffer.alloc(3_000_000, 'bundle');
    writeFileSync(file, bundle);
    keepExport(key, { outcome, file }, undefined, cache);
    expect(await find(key)).toEqual(outcome);
    expect(readFileSync(found).equals(bundle)).toBe(true);
  });

  test('can be read by its user only', () => {
    const key = keyOf();
    keep(key);
    expect(statSync(join(folder, key)).mode & 0o077).toBe(0);
    expect(statSync(folder).mode & 0o077).toBe(0);
  });
});

describe('the folder of the cache', () => {
  test('keeps what was used last when it is full', () => {
    const small = cacheFolder(folder, 1_000);
    const use = (key: string, seconds: number) => {
      const time = new Date(Date.now() - seconds * 1_000);
      utimesSync(join(folder, key), time, time);
    };
    for (const key of ['a', 'b', 'c']) small.put(key, [Buffer.alloc(250)]);
    use('a', 30);
    use('b', 20);
    use('c', 10);
    small.get('a');
    small.put('d', [Buffer.alloc(250)]);
    expect(readdirSync(folder).sort()).toEqual(['a', 'c', 'd']);
  });

  test('takes no entry that fills more than half of it', () => {
    const small = cacheFolder(folder, 1_000);
    small.put('a', [Buffer.alloc(500)]);
    expect(small.get('a')).toBeNull();
  });

  test('removes what an interrupted command left', () => {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, '.unfinished-1-x');
    writeFileSync(file, '');
    const old = new Date(Date.now() - 7_200_000);
    utimesSync(file, old, old);
    cache.put('a', [Buffer.from('a')]);
    expect(readdirSync(folder)).toEqual(['a']);
  });
});
