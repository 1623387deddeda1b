import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_GIT_LIMITS } from '../../platform/git/policy.ts';
import { FOLDER_LIMITS, readFolder, readText, writeChanges } from './folder.ts';

let folder: string;
let outside: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-folder-'));
  outside = mkdtempSync(join(tmpdir(), 'offprint-outside-'));
  writeFileSync(join(outside, 'secret.mdx'), 'secret');
  mkdirSync(join(folder, 'guides'));
  writeFileSync(join(folder, 'index.mdx'), 'index');
  writeFileSync(join(folder, 'guides', 'a.mdx'), 'a');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(outside, { recursive: true, force: true });
});

const text = (bytes: Uint8Array | null | undefined) => (bytes ? Buffer.from(bytes).toString() : null);

describe('readFolder', () => {
  test('leaves out dot folders and node_modules and follows no link', async () => {
    for (const name of ['.git', 'node_modules', '.offprint']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'x.mdx'), 'x');
    }
    symlinkSync(outside, join(folder, 'linked'));
    symlinkSync(join(outside, 'secret.mdx'), join(folder, 'guides', 'link.mdx'));
    const { entries } = await readFolder(folder);
    expect([...entries.keys()]).toEqual(['guides/a.mdx', 'guides/link.mdx', 'index.mdx', 'linked']);
    expect(entries.get('guides/link.mdx')).toMatchObject({ kind: 'symlink', content: null });
    expect([...entries.values()].map(({ content }) => text(content))).not.toContain('secret');
  });

  test('has as many files as a repository on the server', () => {
    expect(FOLDER_LIMITS.files).toBe(DEFAULT_GIT_LIMITS.files);
  });

  test('reads large files that the renderer reads whole and only lists others', async () => {
    writeFileSync(join(folder, 'docs.json'), ' '.repeat(2_400_000));
    writeFileSync(join(folder, 'video.mp4'), ' '.repeat(2_400_000));
    const { entries } = await readFolder(folder);
    expect(entries.get('docs.json')?.content).toHaveLength(2_400_000);
    expect(entries.get('video.mp4')).toMatchObject({ bytes: 2_400_000, content: null });
  });

  test('refuses too many files or bytes', async () => {
    await expect(readFolder(folder, { ...FOLDER_LIMITS, files: 1 })).rejects.toThrow('more than 1 files');
    await expect(readFolder(folder, { ...FOLDER_LIMITS, bytes: 3 })).rejects.toThrow('Pass the folder');
  });

  test('reads one file by name and no link in its place', async () => {
    mkdirSync(join(folder, '.offprint'));
    writeFileSync(join(folder, '.offprint', 'AGENTS.md'), 'rules');
    symlinkSync(outside, join(folder, '.mintlify'));
    expect(await readText(folder, '.offprint/AGENTS.md')).toBe('rules');
    expect(await readText(folder, '.mintlify/secret.mdx')).toBeNull();
  });
});

describe('writeChanges', () => {
  const change = (path: string, after: string | null) => ({
    path,
    kind: 'modified' as const,
    before: null,
    after,
  });

  test('writes, makes and deletes, and leaves nothing else behind', async () => {
    chmodSync(join(folder, 'index.mdx'), 0o755);
    const base = await readFolder(folder);
    await writeChanges(folder, base, [
      change('index.mdx', 'new'),
      change('guides/a.mdx', null),
      change('new/b.mdx', 'b'),
    ]);
    expect(readFileSync(join(folder, 'index.mdx'), 'utf8')).toBe('new');
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
      'guides',
      'index.mdx',
      'new',
      'new/b.mdx',
    ]);
  });

  test('writes nothing at all when one file has changed since it was read', async () => {
    const base = await readFolder(folder);
    writeFileSync(join(folder, 'guides', 'a.mdx'), 'by somebody else');
    await expect(
      writeChanges(folder, base, [change('index.mdx', 'new'), change('guides/a.mdx', 'mine')]),
    ).rejects.toThrow('guides/a.mdx');
    expect(readFileSync(join(folder, 'index.mdx'), 'utf8')).toBe('index');
  });

  test('does not write over a file that has come since, or one that is gone', async () => {
    const base = await readFolder(folder);
    writeFileSync(join(folder, 'late.mdx'), 'late');
    rmSync(join(folder, 'index.mdx'));
    await expect(writeChanges(folder, base, [change('late.mdx', 'mine')])).rejects.toThrow('late.mdx');
    await expect(writeChanges(folder, base, [change('index.mdx', 'mine')])).rejects.toThrow('index.mdx');
  });

  test('writes through no link, neither of a file nor of a folder', async () => {
    const base = await readFolder(folder);
    rmSync(join(folder, 'guides'), { recursive: true });
    symlinkSync(outside, join(folder, 'guides'));
    writeFileSync(join(outside, 'a.mdx'), 'a');
    await expect(writeChanges(folder, base, [change('guides/a.mdx', 'mine')])).rejects.toThrow(
      'guides/a.mdx',
    );
    await expect(writeChanges(folder, base, [change('guides/n.mdx', 'mine')])).rejects.toThrow(
      'guides/n.mdx',
    );
    expect(readdirSync(outside).sort()).toEqual(['a.mdx', 'secret.mdx']);
    expect(readFileSync(join(outside, 'a.mdx'), 'utf8')).toBe('a');
  });

  test('refuses a path that leaves the folder', async () => {
    const base = await readFolder(folder);
    await expect(writeChanges(folder, base, [change('../away.mdx', 'x')])).rejects.toThrow('../away.mdx');
  });
});
