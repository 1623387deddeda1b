/** Encoded images that exports of a project leave for the next one. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keptImagesFile, maxKeptImageBytes, openKeptImages } from './kept-images.ts';

let root: string;
let count = 0;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-kept-images-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const newFolder = (): string => {
  const folder = join(root, String(++count));
  mkdirSync(folder);
  return folder;
};
const record = (text: string, bytes = text.length): Uint8Array => Buffer.alloc(bytes, text);
const text = (content: Uint8Array | null): string | null =>
  content === null ? null : Buffer.from(content).toString();

/** A folder with these images. */
function leave(entries: Readonly<Record<string, Uint8Array>>): string {
  const folder = newFolder();
  const images = openKeptImages(null);
  for (const [key, content] of Object.entries(entries)) images.put(key, content);
  images.keep(folder);
  return folder;
}

test('what was put is there for the next export', () => {
  const next = openKeptImages(leave({ a: record('first'), b: record('second') }));
  expect([next.get('a'), next.get('b'), next.get('c')].map(text)).toEqual(['first', 'second', null]);
});

test('without new images, nothing is written', () => {
  const next = openKeptImages(leave({ a: record('first') }));
  next.get('a');
  const folder = newFolder();
  next.keep(folder);
  expect(() => statSync(join(folder, keptImagesFile))).toThrow('ENOENT');
});

test('images that an export does not use stay for those that do', () => {
  const next = openKeptImages(leave({ a: record('first'), b: record('second') }));
  next.put('c', record('third'));
  const folder = newFolder();
  next.keep(folder);
  const last = openKeptImages(folder);
  expect(['a', 'b', 'c'].map((key) => text(last.get(key)))).toEqual(['first', 'second', 'third']);
});

test('when the file is full, images leave it that were not used for the longest time', () => {
  const half = Math.floor(maxKeptImageBytes / 2) - 1_000_000;
  let folder = leave({ old: record('o', half) });
  for (const key of ['new', 'newer']) {
    const images = openKeptImages(folder);
    images.put(key, record('n', half));
    folder = newFolder();
    images.keep(folder);
  }
  expect(statSync(join(folder, keptImagesFile)).size).toBeLessThanOrEqual(maxKeptImageBytes);
  const last = openKeptImages(folder);
  expect(['old', 'new', 'newer'].map((key) => last.get(key)?.byteLength ?? null)).toEqual([null, half, half]);
});

test('a damaged image is missing, the others are not; a damaged head is as no file', () => {
  const folder = leave({ a: record('first'), b: record('second') });
  const file = join(folder, keptImagesFile);
  const bytes = readFileSync(file);
  bytes[bytes.length - 1] = 0;
  writeFileSync(file, bytes);
  const damaged = openKeptImages(folder);
  expect([damaged.get('a'), damaged.get('b')].map(text)).toEqual(['first', null]);
  for (const content of [Buffer.alloc(0), Buffer.from('no head'), bytes.subarray(0, 20)]) {
    writeFileSync(file, content);
    expect(openKeptImages(folder).get('a')).toBeNull();
  }
  expect(openKeptImages(newFolder()).get('a')).toBeNull();
});
