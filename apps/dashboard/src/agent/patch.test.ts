import { describe, expect, test } from 'vitest';
import { parsePatch } from './patch.ts';

const lines = (diff: string) =>
  parsePatch(diff).hunks.map((hunk) =>
    hunk.lines.map(({ kind, before, after, text }) => [kind, before, after, text]),
  );

describe('parsePatch', () => {
  test('numbers the lines of both sides through several hunks', () => {
    const diff =
      'diff --git a/a.mdx b/a.mdx\n--- a/a.mdx\n+++ b/a.mdx\n@@ -2,3 +2,4 @@ # Title\n one\n-two\n+zwei\n+drei\n three\n@@ -10 +11 @@\n-old\n+new\n';
    expect(lines(diff)).toEqual([
      [
        ['context', 2, 2, 'one'],
        ['removed', 3, null, 'two'],
        ['added', null, 3, 'zwei'],
        ['added', null, 4, 'drei'],
        ['context', 4, 5, 'three'],
      ],
      [
        ['removed', 10, null, 'old'],
        ['added', null, 11, 'new'],
      ],
    ]);
    expect(parsePatch(diff)).toMatchObject({ before: 'a.mdx', after: 'a.mdx', isBinary: false });
  });

  test('takes lines that look like headers for what the counts say they are', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/evil\n-@@ -1 +1 @@\n+++ b/evil\n+\n';
    expect(lines(diff)).toEqual([
      [
        ['removed', 1, null, '-- a/evil'],
        ['removed', 2, null, '@@ -1 +1 @@'],
        ['added', null, 1, '++ b/evil'],
        ['added', null, 2, ''],
      ],
    ]);
    expect(parsePatch(diff)).toMatchObject({ before: 'x', after: 'x' });
  });

  test('knows new, deleted, renamed and binary files', () => {
    expect(parsePatch('--- /dev/null\n+++ b/new.mdx\n@@ -0,0 +1 @@\n+x\n')).toMatchObject({
      before: null,
      after: 'new.mdx',
    });
    expect(parsePatch('--- a/old.mdx\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n')).toMatchObject({
      before: 'old.mdx',
      after: null,
    });
    expect(parsePatch('rename from a.mdx\nrename to b.mdx\n')).toMatchObject({
      before: 'a.mdx',
      after: 'b.mdx',
      hunks: [],
    });
    expect(parsePatch('Binary files a/x.png and b/x.png differ\n').isBinary).toBe(true);
  });

  test('keeps the note on a missing line end and ends with a diff that was cut', () => {
    expect(
      lines('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n'),
    ).toEqual([
      [
        ['removed', 1, null, 'a'],
        ['note', null, null, 'No newline at end of file'],
        ['added', null, 1, 'b'],
        ['note', null, null, 'No newline at end of file'],
      ],
    ]);
    expect(lines('@@ -1,500 +1,500 @@\n-a')).toEqual([[['removed', 1, null, 'a']]]);
    expect(lines('')).toEqual([]);
  });
});
