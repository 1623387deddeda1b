import { describe, expect, test } from 'vitest';
import { toolBench } from '../../../../../test/support/tool-context.ts';

const PAGE = [
  '---',
  'title: Your workspace',
  'icon: workspace',
  '---',
  'import { workspace } from "/snippets/workspace.mdx"',
  '',
  'A **workspace**, workspaces, Workspace, `workspace` and [the workspace](/workspace/x).',
  '',
  '```js',
  'workspace()',
  '```',
  '<Card title="The workspace" icon="workspace" href="/workspace">{workspace}</Card>',
  '',
].join('\r\n');

describe('replace_in_files', () => {
  test('looks first: a dry run changes nothing and shows what would be', async () => {
    const { text, context } = toolBench({ 'a.mdx': PAGE, 'b.mdx': 'none' });
    const answer = await text('replace_in_files', { find: 'workspace', replace: 'project' });
    expect(answer).toContain(
      '4 occurrences in 1 file would be replaced (dry run: nothing was changed); 2 files searched',
    );
    expect(answer).toContain('  2: title: Your project');
    expect(answer).toContain('a.mdx: 9 in code or names, lines 3, 5, 7, 10, 12');
    expect(context.workspace.changes()).toEqual([]);
  });

  test('changes words of prose and no other byte', async () => {
    const { text, context } = toolBench({ 'a.mdx': PAGE });
    await text('replace_in_files', {
      find: 'workspace',
      replace: 'project',
      case: 'preserve',
      dry_run: false,
    });
    expect(context.workspace.read('a.mdx')).toBe(
      PAGE.replace('Your workspace', 'Your project')
        .replace('**workspace**', '**project**')
        .replace(' Workspace,', ' Project,')
        .replace('the workspace]', 'the project]')
        .replace('The workspace"', 'The project"'),
    );
  });

  test('scope all changes code too, and parts of words when asked', async () => {
    const { text, context } = toolBench({ 'a.mdx': PAGE, 'docs.json': '{"workspace": 1}' });
    await text('replace_in_files', {
      find: 'workspace',
      replace: 'project',
      scope: 'all',
      glob: '**',
      whole_word: false,
      dry_run: false,
    });
    expect(context.workspace.read('a.mdx')).toBe(PAGE.replaceAll('workspace', 'project'));
    expect(context.workspace.read('docs.json')).toBe('{"project": 1}');
  });

  test('puts patterns of replacement in as they are', async () => {
    const { text, context } = toolBench({ 'a.mdx': 'x cat y cat' });
    await text('replace_in_files', { find: 'cat', replace: "$& $1 $$ $' $`", dry_run: false });
    expect(context.workspace.read('a.mdx')).toBe("x $& $1 $$ $' $` y $& $1 $$ $' $`");
  });

  test('a replacement that holds what is found is put in once', async () => {
    const { text, context } = toolBench({ 'a.mdx': 'aa aa aaa' });
    await text('replace_in_files', { find: 'aa', replace: 'aaaa', whole_word: false, dry_run: false });
    expect(context.workspace.read('a.mdx')).toBe('aaaa aaaa aaaaa');
  });

  test('names what it leaves: no Markdown, and files that a job may not write', async () => {
    const { text, context } = toolBench({ 'AGENTS.md': 'cat', 'a.json': '"cat"', 'b.mdx': 'cat' });
    const answer = await text('replace_in_files', {
      find: 'cat',
      replace: 'dog',
      glob: '**',
      dry_run: false,
    });
    expect(answer).toContain('1 occurrence in 1 file replaced');
    expect(answer).toContain('a.json: 1, not Markdown; see scope=all');
    expect(answer).toContain(
      'AGENTS.md cannot be written: it is a file that coding agents take instructions or tools from.',
    );
    expect(context.workspace.changes().map(({ path }) => path)).toEqual(['b.mdx']);
  });

  test('reports places that read the same but are not, and leaves them unchanged', async () => {
    const page =
      'An access token, an access\n  token, an Access Token, an access\u00a0token, `Access token`.\n\naccess\n\ntoken\n';
    const { text, context } = toolBench({ 'a.mdx': page });
    const answer = await text('replace_in_files', { find: 'access token', replace: 'key', dry_run: false });
    expect(answer).toContain('1 occurrence in 1 file replaced');
    expect(answer).toContain('a.mdx: 3 with other case or marks, or across a line break, lines 1, 2');
    expect(context.workspace.read('a.mdx')).toBe(page.replace('access token', 'key'));
  });

  test('a file that would be too large stays, and others are changed', async () => {
    const { text, context } = toolBench({ 'a.mdx': 'cat '.repeat(200_000), 'b.mdx': 'cat' });
    expect(await text('replace_in_files', { find: 'cat', replace: 'elephant', dry_run: false })).toContain(
      'a.mdx would have 1800000 bytes',
    );
    expect(context.workspace.changes().map(({ path }) => path)).toEqual(['b.mdx']);
  });

  test('ten thousand places in one file and a hundred files are changed, and reported in short', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`${at}.mdx`, 'cat and dog\n'.repeat(100)]),
    );
    const { text, context } = toolBench({ ...files, 'big.mdx': 'cat '.repeat(10_000) });
    const answer = await text('replace_in_files', { find: 'cat', replace: 'bird', dry_run: false });
    expect(answer).toContain('20000 occurrences in 101 files replaced');
    expect(Buffer.byteLength(answer)).toBeLessThan(52 * 1024);
    expect(context.workspace.read('big.mdx')).toBe('bird '.repeat(10_000));
  });

  test('more files than a job may change are refused as a whole', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}.mdx`, 'cat']));
    const { refusal, text, context } = toolBench(files);
    context.workspace.write('other.mdx', 'changed before');
    const before = context.workspace.changes();
    expect(await refusal('replace_in_files', { find: 'cat', replace: 'dog', dry_run: false })).toContain(
      '301 files would be changed',
    );
    expect(await text('replace_in_files', { find: 'cat', replace: 'dog' })).toContain(
      '301 files would be changed',
    );
    expect(context.workspace.changes()).toEqual(before);
  });

  test.each([
    ['nothing to find', { find: '', replace: 'x' }, 'find is empty'],
    ['the same text', { find: 'x', replace: 'x' }, 'the same'],
    ['long texts', { find: 'x'.repeat(1001), replace: 'x' }, '1000 characters'],
    ['NUL', { find: 'cat', replace: 'a\0b' }, 'NUL'],
    ['a glob that is none', { find: 'cat', replace: 'x', glob: '[z-a]' }, 'glob'],
  ])('refuses %s', async (_name, input, reason) => {
    const { refusal, context } = toolBench({ 'a.mdx': 'cat' });
    expect(await refusal('replace_in_files', { ...input, dry_run: false })).toContain(reason);
    expect(context.workspace.changes()).toEqual([]);
  });
});
