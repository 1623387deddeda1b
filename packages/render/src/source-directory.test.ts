import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { directorySource } from './source-directory.ts';
import { SourceError } from './warning.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-source-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array = 'x'): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}

describe('a source of a folder', () => {
  test('lists regular files with POSIX paths by code unit', () => {
    for (const path of ['b.mdx', 'a/z.md', 'a.mdx', 'B.mdx', 'é.mdx', 'a/b/c.png']) write(path);
    const source = directorySource(root);
    expect(source.paths).toEqual(['B.mdx', 'a.mdx', 'a/b/c.png', 'a/z.md', 'b.mdx', 'é.mdx']);
    expect(source.has('a/z.md')).toBe(true);
    expect(source.size('a/z.md')).toBe(1);
    expect(source.size('missing')).toBe(0);
  });

  test('too many open files are an error of the machine, not of a file or a folder', () => {
    write('a.md');
    const script = `
      import { closeSync, openSync } from 'node:fs';
      const { directorySource } = await import(${JSON.stringify(new URL('./source-directory.ts', import.meta.url).href)});
      const source = directorySource(process.argv[1]);
      try { for (;;) openSync('/dev/null'); } catch {}
      for (const act of [() => source.read('a.md'), () => directorySource(process.argv[1])])
        try { act(); } catch (error) { process._rawDebug(error.code); }`;
    const { stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script, root],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('EMFILE\nEMFILE\n');
  });

  test('reads text without a byte order mark and with replaced invalid bytes', () => {
    write('bom.md', new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff]));
    expect(directorySource(root).readText('bom.md')).toBe('a�');
  });

  test('never follows a link: neither file nor folder nor a broken one, and each gives a warning', () => {
    const outside = mkdtempSync(join(tmpdir(), 'offprint-outside-'));
    writeFileSync(join(outside, 'secret.md'), 'secret');
    write('page.md');
    symlinkSync(join(outside, 'secret.md'), join(root, 'file.md'));
    symlinkSync(outside, join(root, 'folder'));
    symlinkSync(join(root, 'nowhere'), join(root, 'broken.md'));
    symlinkSync('.', join(root, 'circle'));
    const source = directorySource(root);
    expect(source.paths).toEqual(['page.md']);
    expect(source.links).toEqual(['broken.md', 'circle', 'file.md', 'folder']);
    expect(source.warnings.map(({ file, code }) => `${file} ${code}`)).toEqual([
      'broken.md symlink-ignored',
      'circle symlink-ignored',
      'file.md symlink-ignored',
      'folder symlink-ignored',
    ]);
    rmSync(outside, { recursive: true });
  });

  test('refuses a file that became a link after the listing', () => {
    write('page.md', 'fine');
    const source = directorySource(root);
    unlinkSync(join(root, 'page.md'));
    symlinkSync('/etc/hostname', join(root, 'page.md'));
    expect(() => source.read('page.md')).toThrow(SourceError);
    expect(source.size('page.md')).toBe(0);
  });

  test('reads nothing but listed paths', () => {
    write('page.md');
    const source = directorySource(root);
    for (const path of ['../page.md', '/etc/passwd', 'a/../page.md', './page.md', '']) {
      expect(source.has(path)).toBe(false);
      expect(() => source.read(path)).toThrow('source file not found');
    }
  });

  test('skips .git and node_modules at any depth', () => {
    for (const path of [
      '.git/config',
      'a/.git/config',
      'node_modules/x/readme.md',
      'a/node_modules/y.md',
      'ok.md',
    ]) {
      write(path);
    }
    expect(directorySource(root).paths).toEqual(['ok.md']);
  });

  test('leaves out file names that are not valid UTF-8, with a warning', () => {
    write('ok.md');
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0x2e, 0x6d, 0x64])]), 'x');
    const source = directorySource(root);
    expect(source.paths).toEqual(['ok.md']);
    expect(source.warnings).toMatchObject([{ code: 'unsafe-path' }]);
  });

  test('refuses more files than the limit and a folder that is not there', () => {
    for (let index = 0; index < 12; index++) write(`${index}.md`);
    expect(() => directorySource(root, 10)).toThrow(expect.objectContaining({ code: 'too-many-files' }));
    expect(() => directorySource(join(root, 'nowhere'))).toThrow(
      expect.objectContaining({ code: 'source-missing' }),
    );
  });

  test('errors name the file of the source, never the path on this machine', () => {
    write('page.md');
    const source = directorySource(root);
    unlinkSync(join(root, 'page.md'));
    expect(() => source.read('page.md')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(root) }),
    );
    expect(() => source.read('page.md')).toThrow('page.md');
  });
});
