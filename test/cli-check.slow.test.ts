/** `offprint check` as people and pipelines run it: by its output and exit code. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const BIN = fileURLToPath(new URL('../apps/cli/bin/offprint.mjs', import.meta.url));
const DOCS = fileURLToPath(new URL('../docs', import.meta.url));

let work: string;

function check(...args: string[]) {
  const child = spawnSync(process.execPath, [BIN, 'check', ...args], {
    cwd: work,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: work },
  });
  return { code: child.status, out: child.stdout, err: child.stderr };
}

function site(name: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(work, name, path, '..'), { recursive: true });
    writeFileSync(join(work, name, path), text);
  }
  return name;
}

const CONFIG = JSON.stringify({
  theme: 'mint',
  name: 'Checked',
  colors: { primary: '#0f766e' },
  navigation: { pages: ['index'] },
});

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'offprint-check-'));
  site('sound', { 'docs.json': CONFIG, 'index.mdx': '## Fine\n', 'other.mdx': 'Not listed.\n' });
  site('faint', { 'docs.json': CONFIG, 'index.mdx': '![](/a.gif)\n', 'a.gif': 'GIF89a' });
  site('broken', {
    'docs.json': CONFIG,
    'index.mdx': '---\ntitle: Home\n---\n\n[Away](/nowhere)\n\n![](/a.gif)\n',
    'a.gif': 'GIF89a',
  });
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe('offprint check', () => {
  test('the documentation of this project has no error and no warning', () => {
    const { code, out } = check(DOCS, '--json', '--strict');
    const { findings } = JSON.parse(out);
    expect(findings.filter(({ severity }: { severity: string }) => severity !== 'info')).toEqual([]);
    expect(code).toBe(0);
  });

  test('errors exit with 1; warnings only with --strict; notes never', () => {
    expect(check('sound', '--strict').code).toBe(0);
    expect([check('faint').code, check('faint', '--strict').code]).toEqual([0, 1]);
    expect(check('broken').code).toBe(1);
  });

  test('findings are listed below their file with line and column, severity and code, without colors', () => {
    const { out } = check('broken');
    expect(out).toMatch(/^index\.mdx\n {2}5 {4}error {4}The link `\/nowhere` .* broken-link\n/);
    expect(out).toMatch(/^ {2}7:1 {2}warning .* image-alt$/m);
    expect(out).toMatch(/^1 page: 1 error, 1 warning, 0 notes \(.*\)$/m);
    expect(out).not.toContain('\x1b');
  });

  test('notes are counted, and listed when asked for', () => {
    expect(check('sound').out).toMatch(/^2 pages: 0 errors, 0 warnings, 1 note; use --all to show the notes/);
    expect(check('sound', '--all').out).toMatch(/^other\.mdx\n {2}note .* unlisted-page\n/);
    expect(check('sound', '--only', 'unlisted-page').out).toContain('unlisted-page');
  });

  test('codes are chosen and left out', () => {
    expect(check('broken', '--ignore', 'broken-link').code).toBe(0);
    expect(check('broken', '--only', 'image-alt,heading-jump').out).not.toContain('broken-link');
    expect(check('broken', '--strict', '--ignore', 'broken-link', '--ignore', 'image-alt').code).toBe(0);
  });

  test('--json is one line of the documented form', () => {
    const { out, code } = check('broken', '--json');
    expect(out.trimEnd()).not.toContain('\n');
    expect(JSON.parse(out)).toEqual({
      version: 1,
      name: 'Checked',
      pageCount: 1,
      errors: 1,
      warnings: 1,
      notes: 0,
      findings: [
        {
          file: 'index.mdx',
          line: 5,
          column: null,
          severity: 'error',
          code: 'broken-link',
          message: expect.stringContaining('/nowhere'),
        },
        {
          file: 'index.mdx',
          line: 7,
          column: 1,
          severity: 'warning',
          code: 'image-alt',
          message: expect.any(String),
        },
      ],
    });
    expect(code).toBe(1);
  });

  test('a configuration that cannot be read is a finding, a folder that cannot is wrong usage', () => {
    site('invalid', { 'docs.json': '{\n  "name": }' });
    expect(check('invalid', '--json')).toMatchObject({ code: 1 });
    expect(JSON.parse(check('invalid', '--json').out).findings).toMatchObject([
      { file: 'docs.json', line: 2, code: 'invalid-json' },
    ]);
    const missing = check('nothing');
    expect([missing.code, missing.err]).toEqual([
      2,
      'offprint: Folder not found: nothing. Name the folder that contains docs.json.\n',
    ]);
    expect(check('sound', '--nonsense').code).toBe(2);
  });

  test('text of a page cannot steer the terminal', () => {
    site('escapes', { 'docs.json': CONFIG, 'index.mdx': '<a href="/x\u001b[2J\u009b31m\u202e">a</a>\n' });
    const { out } = check('escapes');
    expect(out).toContain('broken-link');
    expect(out).not.toMatch(/[\u001b\u009b\u202e]/);
  });
});

describe('offprint check --against', () => {
  const page = (title: string, body: string) => `---\ntitle: ${title}\n---\n\n${body}\n`;
  const config = (pages: string[]) => JSON.stringify({ ...JSON.parse(CONFIG), navigation: { pages } });
  const exported = (name: string): string => {
    const file = join(work, `${name}.tar.gz`);
    const args = [BIN, 'export', name, '--output', file, '--no-cache'];
    const child = spawnSync(process.execPath, args, {
      cwd: work,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', HOME: work },
    });
    expect(child.stderr + child.stdout, 'the export').toBeTruthy();
    expect(child.status).toBe(0);
    return file;
  };

  test('reports what a bundle served with file and line, and exits with 1 for a broken URL', () => {
    const files = {
      'docs.json': config(['index', 'a', 'b']),
      'index.mdx': page('Home', 'Text.'),
      'a.mdx': page('Apples', '## Green apples\n\nSour.'),
      'b.mdx': page('Pears', 'Sweet.'),
    };
    const bundle = exported(site('served', files));
    expect(check('served', '--against', bundle).code).toBe(0);

    site('reworded', { ...files, 'a.mdx': page('Apples', 'New.\n\n## Red apples') });
    const reworded = check('reworded', '--against', bundle);
    expect(reworded.out).toContain('a.mdx:7  /a#green-apples  anchor-changed, now red-apples');
    expect(reworded.code).toBe(0);

    site('moved', {
      ...files,
      'docs.json': config(['index', 'a', 'c']),
      'c.mdx': files['b.mdx'],
      '.mintignore': 'b.mdx\n',
      '.offprint/queries.yaml': '- { query: pears, expect: /b }\n',
    });
    const moved = check('moved', '--against', bundle, '--json');
    expect(moved.code).toBe(1);
    const { changes } = JSON.parse(moved.out);
    expect(changes.links.broken.map(({ url, cause }: Record<string, string>) => [url, cause])).toEqual([
      ['/b', 'removed'],
    ]);
    expect(changes.queries).toEqual([{ query: 'pears', expect: 'b', before: 1, after: null }]);
    expect(check('moved', '--against', bundle, '--markdown').out).toContain('| `/b` | nothing is there |');
  });

  test('a file that is not a bundle is wrong usage', () => {
    const { code, err } = check('sound', '--against', 'sound/docs.json');
    expect(code).toBe(2);
    expect(err).toContain('sound/docs.json');
    expect(check('sound', '--against', 'none.tar.gz').code).toBe(2);
  });
});
