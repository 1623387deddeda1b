import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder, makeFolderSync } from './make-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-folder-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.each([
  ['makeFolder', makeFolder],
  ['makeFolderSync', async (path: string, mode?: number) => makeFolderSync(path, mode)],
])('%s', (_name, make) => {
  test('creates the missing parents and returns what it created, parents first', async () => {
    mkdirSync(join(root, 'a'));
    expect(await make(join(root, 'a/b/c'), 0o700)).toEqual([join(root, 'a/b'), join(root, 'a/b/c')]);
    expect(statSync(join(root, 'a/b')).mode & 0o777).toBe(0o700);
    expect(await make(join(root, 'a/b/c'))).toEqual([]);
  });

  test('accepts a link to a folder and rejects a file in its place', async () => {
    mkdirSync(join(root, 'folder'));
    symlinkSync(join(root, 'folder'), join(root, 'link'));
    writeFileSync(join(root, 'file'), '');
    expect(await make(join(root, 'link/new'))).toEqual([join(root, 'link/new')]);
    await expect(make(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(join(root, 'file/new'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  test('creates a folder once if several callers create it together', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => make(join(root, 'x/y/z'))));
    expect(made.flat().sort()).toEqual([join(root, 'x'), join(root, 'x/y'), join(root, 'x/y/z')]);
  });

  test.skipIf(!existsSync('/proc/self'))('fails in a file system that accepts no folder', async () => {
    await expect(make('/proc/offprint/data/blobs')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
