import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { type ChangedFile, diffOf } from './diff.ts';

const root = mkdtempSync(join(tmpdir(), 'offprint-diff-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;

const file = (path: string, before: string | null, content: string | null): ChangedFile => ({
  path,
  before: before === null ? null : Buffer.from(before),
  content: content === null ? null : Buffer.from(content),
});

/** What `git apply` makes of the state before: every file there is then, by path. */
function applied(files: ChangedFile[]): Record<string, string> {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  for (const { path, before } of files) {
    if (before === null) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), before);
  }
  const { diff } = diffOf(files);
  if (diff !== '') {
    execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
      cwd: folder,
      input: diff,
      // Else a repository around the folder would be taken for its own.
      env: { PATH: process.env.PATH ?? '', GIT_CEILING_DIRECTORIES: root, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
}

const wanted = (files: ChangedFile[]) =>
  Object.fromEntries(
    files.flatMap(({ path, content }) => (content === null ? [] : [[path, content.toString('utf8')]])),
  );

test('git makes the new state out of the old one by the diff, whatever names and ends of lines', () => {
  const files = [
    file('a.mdx', 'one\ntwo\nthree\n', 'one\n2\nthree\n'),
    file('deep/er/new.mdx', null, 'hello\n'),
    file('old.mdx', 'bye\n', null),
    file('with blanks.mdx', 'a\n', 'b\n'),
    file('ünï"code\\.mdx', 'a\n', 'b\n'),
    file('new ünï"code\\.mdx', null, 'b\n'),
    file('no-newline.mdx', 'a\nb', 'a\nc'),
    file('gains-newline.mdx', 'a', 'a\n'),
    file('crlf.mdx', 'a\r\nb\r\n', 'a\r\nc\r\n'),
    file('mixed.mdx', 'a\r\nb\n\rc\u2028d\ne\ff\n', 'a\nb\n\rc\u2028D\ne\ff\n'),
    file('emptied.mdx', 'a\n', ''),
    file('filled.mdx', '', 'a\n'),
    file('looks-like.mdx', '-- a\n++ b\n@@ c\n', '--- a\n+++ b\n@@ -1 +1 @@\n'),
    file('same.mdx', 'same\n', 'same\n'),
  ];
  expect(applied(files)).toEqual(wanted(files));
});

test('files that are empty when they come or go are named, without lines', () => {
  const { files } = diffOf([file('new.mdx', null, ''), file('old.mdx', '', null)]);
  expect(files).toMatchObject([
    { path: 'new.mdx', kind: 'added', additions: 0, deletions: 0 },
    { path: 'old.mdx', kind: 'deleted', additions: 0, deletions: 0 },
  ]);
});

test('git makes the new state out of the old one for any texts', () => {
  const line = fc.constantFrom('a', 'b', 'c', '', ' ', '-a', '+a', '\\ No newline at end of file', 'a\r');
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('', '\n'))
    .map(([lines, end]) => lines.join('\n') + end);
  fc.assert(
    // Many files for each start of Git.
    fc.property(fc.array(fc.tuple(text, text), { minLength: 30, maxLength: 30 }), (texts) => {
      const files = texts.map(([before, after], at) => file(`${at}.mdx`, `x${before}`, `x${after}`));
      expect(applied(files)).toEqual(wanted(files));
    }),
    { numRuns: 4 },
  );
});

test('texts whose least difference cannot be found in time are replaced whole', () => {
  const lines = (seed: number) =>
    Array.from({ length: 60_000 }, (_, index) => String((index * seed) % 65_521)).join('\n');
  const [before, after] = [lines(7_919), `${lines(104_729)}\n`];
  const files = [file('a.mdx', before, after), file('b.mdx', 'a\n', 'b\n')];
  const [first] = diffOf(files).files;
  expect(first).toMatchObject({ additions: 60_000, deletions: 60_000 });
  expect(applied(files)).toEqual(wanted(files));
});
