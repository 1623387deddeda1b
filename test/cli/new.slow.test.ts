/** A new site is complete, has no problems, and never replaces anything. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BIN } from './command.ts';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-new-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const offprint = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
const names = (dir: string): string[] =>
  readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' }).sort();
const configuration = (dir: string) => JSON.parse(readFileSync(join(root, dir, 'docs.json'), 'utf8'));
const FILES = readdirSync(new URL('../../apps/server/src/projects/starter', import.meta.url), {
  recursive: true,
  encoding: 'utf8',
}).sort();

describe('offprint new', () => {
  test('creates a site that the check finds nothing in, and prints what to run next', () => {
    const made = offprint('new', 'my-docs');
    expect([made.status, made.stdout]).toEqual([0, '']);
    expect(made.stderr).toMatch(/^Created 11 files in my-docs:\n/);
    expect(made.stderr).toMatch(/ dev my-docs\n$/);
    expect(names('my-docs')).toEqual(FILES);
    expect(configuration('my-docs').name).toBe('My Docs');

    const checked = offprint('check', 'my-docs', '--all', '--json');
    expect(checked.status).toBe(0);
    expect(JSON.parse(checked.stdout)).toMatchObject({ pageCount: 6, findings: [] });
  });

  test('uses the name that is given, whatever it contains', () => {
    expect(offprint('new', 'named', '--name', ' Acme "\\ </script> {x} ').status).toBe(0);
    expect(configuration('named').name).toBe('Acme "\\ </script> {x}');
    expect(offprint('check', 'named').status).toBe(0);
    expect(offprint('new', 'unnamed', '--name', ' ')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Use 1 to 100 characters.'),
    });
  });

  test('accepts an empty repository, and replaces none of its files', () => {
    mkdirSync(join(root, 'repository/.git'), { recursive: true });
    writeFileSync(join(root, 'repository/README.md'), '# Docs\n');
    expect(offprint('new', 'repository').status).toBe(0);
    expect(names('repository')).toEqual(['.git', 'README.md', ...FILES].sort());
    expect(readFileSync(join(root, 'repository/README.md'), 'utf8')).toBe('# Docs\n');
  });

  const refused: [string, (dir: string) => void, RegExp][] = [
    [
      'a folder with other files',
      (dir) => {
        mkdirSync(dir);
        writeFileSync(join(dir, 'main.py'), '');
      },
      /The folder \S+ is not empty: it contains main\.py\. Name a new folder: /,
    ],
    [
      'a site',
      (dir) => {
        mkdirSync(dir);
        writeFileSync(join(dir, 'mint.json'), '{}');
      },
      /already contains a site\. Run: .* dev /,
    ],
    ['a file', (dir) => writeFileSync(dir, ''), /Not a folder: .*\. Name a new folder\./],
  ];
  test.each(refused)('leaves %s as it is', (name, prepare, message) => {
    const dir = name.replaceAll(' ', '-');
    prepare(join(root, dir));
    const before = name === 'a file' ? [] : names(dir);
    const { status, stderr } = offprint('new', dir);
    expect(status).toBeGreaterThan(0);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    if (name !== 'a file') expect(names(dir)).toEqual(before);
  });

  test('leaves nothing where a file cannot be written', () => {
    const { status, stderr } = offprint('new', '/proc/offprint-new');
    expect(status).toBe(1);
    expect(stderr).toBe(
      'offprint: Cannot create files in /proc/offprint-new (ENOENT). Name another folder.\n',
    );
  });
});
