import { describe, expect, test } from 'vitest';
import { toolBench } from '../../../../../test/support/tool-context.ts';

const PAGE = '---\ntitle: A\n---\n\nHe said “hi”  \nand left.\n\nEnd.\n';

describe('edit_file', () => {
  test('returns a diff that has line numbers, and says how the text was found', async () => {
    const { text, context } = toolBench({ 'a.mdx': PAGE });
    const answer = await text('edit_file', {
      path: 'a.mdx',
      old_text: 'He said "hi"\nand left.',
      new_text: 'He said "hi"\nand stayed.',
    });
    expect(answer).toBe(
      'a.mdx: replaced 1 occurrence (matched: folded)\nSyntax: no problems.\n@@ -4,5 +4,5 @@\n \n He said “hi”  \n-and left.\n+and stayed.\n \n End.',
    );
    expect(context.workspace.read('a.mdx')).toBe(PAGE.replace('left', 'stayed'));
  });

  test('a page that no longer parses is reported, and the edit stays', async () => {
    const finding = {
      file: 'a.mdx',
      line: 5,
      code: 'mdx-syntax',
      message: 'Expected a closing tag',
      severity: 'error' as const,
    };
    const seen: string[] = [];
    const { text, context } = toolBench(
      { 'a.mdx': PAGE },
      {
        check: {
          parse: async (_path, page) => {
            seen.push(page);
            return { status: 'checked', findings: [finding] };
          },
        },
      },
    );
    const answer = await text('edit_file', { path: 'a.mdx', old_text: 'End.', new_text: '<Card>' });
    expect(answer).toContain('the change is kept');
    expect(answer).toContain('a.mdx:5 error mdx-syntax Expected a closing tag');
    expect(seen).toEqual([context.workspace.read('a.mdx')]);
    expect(seen[0]).toContain('<Card>');
  });

  test('a check that fails does not undo the edit', async () => {
    const check = {
      parse: async () => {
        throw new Error('no child to be had');
      },
    };
    const { text, context } = toolBench({ 'a.mdx': PAGE }, { check });
    expect(await text('edit_file', { path: 'a.mdx', old_text: 'End.', new_text: 'Fin.' })).toContain(
      'was not checked: no child to be had',
    );
    expect(context.workspace.read('a.mdx')).toContain('Fin.');
  });

  test('JSON that is no longer valid is reported', async () => {
    const { text } = toolBench({ 'docs.json': '{"name": "x"}' });
    expect(await text('edit_file', { path: 'docs.json', old_text: '"x"}', new_text: '"y"' })).toContain(
      'is not valid JSON now',
    );
  });

  test('says where ambiguous text is, and changes nothing', async () => {
    const { refusal, context } = toolBench({ 'a.mdx': 'foo\n'.repeat(10_000) });
    const answer = await refusal('edit_file', { path: 'a.mdx', old_text: 'foo', new_text: 'bar' });
    expect(answer).toContain('10000 times, at lines 1, 2, 3');
    expect(answer.length).toBeLessThan(500);
    expect(context.workspace.changes()).toEqual([]);
  });

  test('replaces ten thousand places, with a diff that is cut', async () => {
    const { text, context } = toolBench({ 'a.mdx': 'foo “x”\n'.repeat(10_000) });
    const answer = await text('edit_file', {
      path: 'a.mdx',
      old_text: 'foo "x"',
      new_text: 'bar "x" $&',
      replace_all: true,
    });
    expect(answer).toContain('replaced 10000 occurrences');
    expect(Buffer.byteLength(answer)).toBeLessThan(52 * 1024);
    expect(context.workspace.read('a.mdx') === 'bar “x” $&\n'.repeat(10_000)).toBe(true);
  });

  test('names places that replace_all left for their marks', async () => {
    const { text } = toolBench({ 'a.mdx': "it's\nit’s\n" });
    expect(
      await text('edit_file', { path: 'a.mdx', old_text: "it's", new_text: 'it is', replace_all: true }),
    ).toContain('Not changed, because typographic characters or spaces differ: lines 2');
  });

  test('a miss shows the lines that are closest', async () => {
    const { refusal } = toolBench({ 'a.mdx': 'Run the installer first.\nThen go.\n' });
    const answer = await refusal('edit_file', {
      path: 'a.mdx',
      old_text: 'Run the installer twice.',
      new_text: 'x',
    });
    expect(answer).toContain('1: Run the installer first.');
  });

  test.each([
    ['an empty old text', { old_text: '', new_text: 'x' }, 'old_text is empty'],
    ['the same text', { old_text: 'End.', new_text: 'End.' }, 'the same'],
    ['NUL', { old_text: 'End.', new_text: 'a\0b' }, 'NUL'],
    [
      'a text that makes the file too large',
      { old_text: 'End.', new_text: 'x'.repeat(1024 * 1024) },
      'Split it',
    ],
  ])('refuses %s', async (_name, input, reason) => {
    const { refusal, context } = toolBench({ 'a.mdx': PAGE });
    expect(await refusal('edit_file', { path: 'a.mdx', ...input })).toContain(reason);
    expect(context.workspace.changes()).toEqual([]);
  });

  test('refuses files that a job may not write, though it may read them', async () => {
    const { refusal, text } = toolBench({ '.github/workflows/a.yml': 'x: y', 'AGENTS.md': 'x' });
    await text('read_file', { path: 'AGENTS.md' });
    expect(
      await refusal('edit_file', { path: '.github/workflows/a.yml', old_text: 'x', new_text: 'z' }),
    ).toContain('CI system');
    expect(await refusal('edit_file', { path: 'AGENTS.md', old_text: 'x', new_text: 'z' })).toContain(
      'instructions',
    );
  });
});
