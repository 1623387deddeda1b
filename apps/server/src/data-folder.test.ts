/** A data folder that cannot be used: the error names the path and the setting. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withDataFolder } from './data-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offprint-data-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('names the path, the data folder and the setting', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(withDataFolder(file, mkdir(join(file, 'postgres')))).rejects.toMatchObject({
    name: 'StartError',
    message: `A part of the path is not a folder: ${join(file, 'postgres')}. The data folder is ${file}. To use another one, set OFFPRINT_DATA_DIR.`,
  });
});

test('does not change errors of other paths, or other errors', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(withDataFolder(join(folder, 'data'), mkdir(join(file, 'x')))).rejects.toMatchObject({
    code: 'ENOTDIR',
  });
  const other = new Error('other');
  await expect(withDataFolder(folder, Promise.reject(other))).rejects.toBe(other);
});
