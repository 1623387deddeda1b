import { describe, expect, test } from 'vitest';
import { treeOf } from '../../../../../test/support/docs-tree.ts';
import { toolBench } from '../../../../../test/support/tool-context.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import type { BaseEntry } from '../workspace/workspace.ts';

const numbered = (count: number): string =>
  `${Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n')}\n`;

const HOSTILE = [
  '../x.mdx',
  'a/../../x.mdx',
  '/etc/passwd',
  'a\\b.mdx',
  'a\0b.mdx',
  '.git/config',
  'a//b.mdx',
  '.GIT/x',
  'a\ud800.mdx',
  `${'x'.repeat(300)}.mdx`,
];

describe('list_files', () => {
  const files = {
    'docs.json': '{}',
    'guides/a.mdx': 'a',
    'guides/deep/b.md': 'bb',
    'x.png': Uint8Array.of(255),
  };

  test('lists paths and bytes, of a folder or by a glob', async () => {
    const { text } = toolBench(files);
    expect(await text('list_files', {})).toBe(
      '4 files below the docs root\ndocs.json 2\nguides/a.mdx 1\nguides/deep/b.md 2\nx.png 1',
    );
    expect(await text('list_files', { path: './guides/' })).toContain('2 files below guides\n');
    expect(await text('list_files', { glob: '*.{md,mdx}' })).toContain('guides/deep/b.md 2');
    expect(await text('list_files', { glob: 'guides/*.mdx' })).not.toContain('b.md ');
    expect(await text('list_files', { path: 'guides', glob: 'deep/**' })).toContain('guides/deep/b.md');
  });

  test('reports what is left out, and in which folders', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`${at < 20 ? 'api' : 'guides'}/${at}.mdx`, 'x']),
    );
    const answer = await toolBench(many).text('list_files', { limit: 5 });
    expect(answer.split('\n').filter((line) => /^(api|guides)\/\d+\.mdx 1$/.test(line))).toHaveLength(5);
    expect(answer).toContain('[25 more.');
    expect(answer).toContain('api/ 20 files\nguides/ 10 files');
  });

  test('shows links and submodules as such', async () => {
    const { entries } = treeOf({ 'a.mdx': 'a' });
    const link = (path: string, kind: 'symlink' | 'submodule'): [string, BaseEntry] => [
      path,
      { path, kind, executable: false, bytes: 9, content: null },
    ];
    const base = { entries: new Map([...entries, link('l.mdx', 'symlink'), link('sub', 'submodule')]) };
    const bench = toolBench({}, { workspace: createWorkspace(base, new Map()) });
    expect(await bench.text('list_files', {})).toContain(
      'l.mdx (symlink, not followed)\nsub (submodule, not followed)',
    );
    expect(await bench.refusal('read_file', { path: 'l.mdx' })).toContain('is a symlink');
    expect(await bench.refusal('write_file', { path: 'l.mdx', content: 'x', mode: 'overwrite' })).toContain(
      'symlink',
    );
    expect(await bench.refusal('write_file', { path: 'sub/x.mdx', content: 'x', mode: 'create' })).toContain(
      'submodule',
    );
  });

  test('refuses folders outside and globs that are none', async () => {
    const { refusal } = toolBench(files);
    for (const path of ['..', '../..', '/etc', 'guides/../..']) await refusal('list_files', { path });
    expect(await refusal('list_files', { path: 'nope' })).toContain('Folder nope not found');
    expect(await refusal('list_files', { glob: '*'.repeat(300) })).toContain('300 characters');
  });
});

describe('read_file', () => {
  test('gives the text as it is, under one line that says which part', async () => {
    const { text, context } = toolBench({ 'a.mdx': numbered(10) });
    expect(await text('read_file', { path: 'a.mdx', start_line: 3, max_lines: 2 })).toBe(
      'a.mdx lines 3-4 of 10 (continue with start_line=5)\nline 3\nline 4',
    );
    expect(context.memory.readPaths).toEqual([]);
    expect(await text('read_file', { path: './a.mdx' })).toBe(
      `a.mdx lines 1-10 of 10\n${numbered(10).trimEnd()}`,
    );
    expect(context.memory.readPaths).toEqual(['a.mdx']);
  });

  test('counts a file as read when its parts reach the end, and not before', async () => {
    const { text, context } = toolBench({ 'a.mdx': numbered(900) });
    await text('read_file', { path: 'a.mdx', start_line: 401 });
    await text('read_file', { path: 'a.mdx', start_line: 801 });
    expect(context.memory.readPaths).toEqual([]);
    await text('read_file', { path: 'a.mdx' });
    await text('read_file', { path: 'a.mdx', start_line: 401 });
    expect(context.memory.readPaths).toEqual([]);
    await text('read_file', { path: 'a.mdx', start_line: 801 });
    expect(context.memory.readPaths).toEqual(['a.mdx']);
    expect(context.memory.readParts).toEqual([]);
  });

  test('names invisible characters and line ends, and leaves them', async () => {
    const { text } = toolBench({ 'a.mdx': 'one\r\nt\u200bwo\r\n\u202ethree\r\n' });
    const answer = await text('read_file', { path: 'a.mdx' });
    const [head, ...rest] = answer.split('\n');
    expect(head).toContain('\\u{200B} x1 (line 2)');
    expect(head).toContain('\\u{202E} x1 (line 3)');
    expect(head).toContain('Windows line endings');
    expect(rest).toEqual(['one', 't\u200bwo', '\u202ethree']);
  });

  test('cuts at 50 KB and at 2,000 lines, and says how to continue', async () => {
    const { text, refusal } = toolBench({
      'wide.mdx': `${'é'.repeat(200)}\n`.repeat(500),
      'long.mdx': 'x\n'.repeat(5000),
      'line.mdx': `short\n${'ü'.repeat(400_000)}\nend\n`,
    });
    const wide = await text('read_file', { path: 'wide.mdx', max_lines: 2000 });
    expect(Buffer.byteLength(wide)).toBeLessThan(51 * 1024);
    expect(wide).toContain('lines 1-127 of 500 (continue with start_line=128)');
    expect((await text('read_file', { path: 'long.mdx', max_lines: 2000 })).split('\n')).toHaveLength(2001);
    const line = await text('read_file', { path: 'line.mdx', start_line: 2 });
    expect(line).toContain(
      'lines 2-2 of 3 (line 2 has 400000 characters; these are 1-25600; continue with start_line=2, start_column=25601)',
    );
    const next = await text('read_file', { path: 'line.mdx', start_line: 2, start_column: 390_001 });
    expect(next).toBe(
      `line.mdx lines 2-2 of 3 (line 2 has 400000 characters; these are 390001-400000; continue with start_line=3)\n${'ü'.repeat(10_000)}`,
    );
    expect(await refusal('read_file', { path: 'line.mdx', start_line: 2, start_column: 400_001 })).toContain(
      '400001 is after its end',
    );
    expect(Buffer.byteLength(line)).toBeLessThan(51 * 1024);
    expect(line).not.toContain('\ufffd');
    expect(await refusal('read_file', { path: 'long.mdx', start_line: 5001 })).toContain('has 5000 lines');
  });

  test('refuses files that are missing or not text, and suggests what may be meant', async () => {
    const { refusal } = toolBench({ 'guides/intro.mdx': 'x', 'a.png': Uint8Array.of(0xff, 0xfe) });
    expect(await refusal('read_file', { path: 'intro.md' })).toContain('guides/intro.mdx');
    expect(await refusal('read_file', { path: 'guides' })).toContain('folder of 1 file.');
    expect(await refusal('read_file', { path: 'a.png' })).toContain('not a text file');
    for (const path of [...HOSTILE, '__proto__', 'constructor', 'toString'])
      await refusal('read_file', { path });
  });
});

describe('paths', () => {
  const pages = { 'guides/intro.mdx': 'Hi', 'guides/index.md': 'All', 'api.json': '{}' };
  const inFolder = { policy: { docsFolder: 'docs', allow: [] } };

  test.each([
    ['/guides/intro.mdx', 'guides/intro.mdx'],
    ['/guides/intro', 'guides/intro.mdx'],
    ['guides/intro/', 'guides/intro.mdx'],
    ['/guides', 'guides/index.md'],
    ['/docs/guides/intro.mdx', 'guides/intro.mdx'],
    ['docs/guides/intro', 'guides/intro.mdx'],
  ])('%s leads to %s', async (given, path) => {
    const { text, context } = toolBench(pages, inFolder);
    expect(await text('read_file', { path: given })).toContain(`${path} lines 1-1 of 1`);
    await text('write_file', { path: given, content: 'New', mode: 'overwrite' });
    expect(context.workspace.changes().map((change) => change.path)).toEqual([path]);
    expect(await text('show_changes', { path: given })).toContain(path);
    await text('delete_file', { path: given });
    expect(context.workspace.has(path)).toBe(false);
  });

  test('a leading slash is the docs root for new files and folders', async () => {
    const { text, context } = toolBench(pages, inFolder);
    await text('write_file', { path: '/docs/new/page.mdx', content: 'x', mode: 'create' });
    await text('move_file', { from: '/guides/intro', to: '/guides/start.mdx' });
    expect(context.workspace.changes().map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'deleted guides/intro.mdx',
      'added guides/start.mdx',
      'added new/page.mdx',
    ]);
    for (const path of ['/', '/docs', 'docs/']) {
      expect(await text('list_files', { path }), path).toContain('guides/start.mdx');
    }
  });

  test('the name of the docs folder stays where a folder of this name is below it', async () => {
    const { text } = toolBench({ ...pages, 'docs/a.mdx': 'inner', 'a.mdx': 'outer' }, inFolder);
    expect(await text('read_file', { path: '/docs/a.mdx' })).toContain('inner');
  });

  test('two slashes and paths of the machine stay refused', async () => {
    const { refusal } = toolBench(pages, inFolder);
    for (const path of [
      '//guides/intro.mdx',
      '/../a.mdx',
      '/docs/../../a.mdx',
      '/.git/config',
      '/etc/passwd',
    ]) {
      await refusal('read_file', { path });
      await refusal('write_file', { path, content: 'x', mode: 'create' });
    }
  });
});

describe('write_file', () => {
  test('creates a file and remembers that its text is known', async () => {
    const { text, context } = toolBench({});
    expect(await text('write_file', { path: 'a/b.mdx', content: '# x\n', mode: 'create' })).toContain(
      'a/b.mdx: created, 4 bytes, 1 line',
    );
    expect(context.workspace.read('a/b.mdx')).toBe('# x\n');
    await text('write_file', { path: 'a/b.mdx', content: '# y\n', mode: 'overwrite' });
    expect(context.workspace.read('a/b.mdx')).toBe('# y\n');
  });

  test('overwrites only what was read to its end, is small, and is there', async () => {
    const { text, refusal, context } = toolBench({
      'a.mdx': 'a\r\nb\r\n',
      'big.mdx': 'x'.repeat(61 * 1024),
      'p.png': Uint8Array.of(255),
    });
    const write = (path: string, mode: string) => ({ path, content: 'new\ntext\n', mode });
    expect(await refusal('write_file', write('a.mdx', 'overwrite'))).toContain('Read all of a.mdx first');
    expect(await refusal('write_file', write('a.mdx', 'create'))).toContain('already exists');
    expect(await refusal('write_file', write('none.mdx', 'overwrite'))).toContain('Use mode=create');
    expect(await refusal('write_file', write('p.png', 'overwrite'))).toContain('not a text file');
    context.memory.readPaths = ['big.mdx'];
    expect(await refusal('write_file', write('big.mdx', 'overwrite'))).toContain('more than 61440');
    await text('read_file', { path: 'a.mdx' });
    await text('write_file', write('a.mdx', 'overwrite'));
    expect(context.workspace.read('a.mdx')).toBe('new\r\ntext\r\n');
  });

  test('refuses what may not be written', async () => {
    const { refusal, context } = toolBench({ 'a.mdx': 'a', 'f/b.mdx': 'b' });
    const create = (path: string, content = 'x') => ({ path, content, mode: 'create' });
    for (const path of [...HOSTILE, '.github/workflows/x.yml', 'AGENTS.md', 'package.json', 'run.sh']) {
      await refusal('write_file', create(path));
    }
    expect(await refusal('write_file', create('f'))).toContain('');
    expect(await refusal('write_file', create('a.mdx/b.mdx'))).toContain('a.mdx is a file, not a folder');
    expect(await refusal('write_file', create('A.mdx'))).toContain('differ only in case');
    expect(await refusal('write_file', create('n.mdx', 'a\0b'))).toContain('NUL');
    expect(await refusal('write_file', create('n.mdx', 'x'.repeat(1024 * 1024 + 1)))).toContain(
      '1048577 bytes',
    );
    expect(context.workspace.changes()).toEqual([]);
  });

  test('stops at 300 changed files', async () => {
    const { text, refusal, context } = toolBench({});
    for (let at = 0; at < 300; at++) context.workspace.write(`p/${at}.mdx`, 'x');
    expect(await refusal('write_file', { path: 'q.mdx', content: 'x', mode: 'create' })).toContain(
      '300 files',
    );
    context.memory.readPaths = ['p/1.mdx'];
    await text('write_file', { path: 'p/1.mdx', content: 'y', mode: 'overwrite' });
  });
});

describe('show_changes', () => {
  test('shows added, changed and deleted files as a diff that patches the base', async () => {
    const { text, context } = toolBench({ 'a.mdx': numbered(20), 'b.mdx': 'gone\n' });
    expect(await text('show_changes', {})).toBe('No changes.');
    context.workspace.write('a.mdx', numbered(20).replace('line 10\n', 'line ten\nmore\n'));
    context.workspace.write('c.mdx', 'new\n');
    context.workspace.remove('b.mdx');
    const all = await text('show_changes', {});
    expect(all).toContain('3 files changed\nmodified a.mdx\ndeleted b.mdx\nadded c.mdx\n');
    expect(all).toContain(
      '--- a.mdx\n+++ a.mdx\n@@ -7,7 +7,8 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n+more\n line 11\n line 12\n line 13\n',
    );
    expect(all).toContain('--- /dev/null\n+++ c.mdx\n@@ -0,0 +1,1 @@\n+new');
    expect(all).toContain('--- b.mdx\n+++ /dev/null\n(1 line removed)');
    expect(await text('show_changes', { path: 'c.mdx' })).not.toContain('a.mdx');
    expect(await text('show_changes', { path: 'none.mdx' })).toBe('No changes at none.mdx.');
  });

  test('stays small for huge changes', async () => {
    const { text, context } = toolBench({ 'a.mdx': numbered(20_000), 'line.mdx': 'x'.repeat(500_000) });
    context.workspace.write('a.mdx', numbered(20_000).replaceAll('line', 'row'));
    context.workspace.write('line.mdx', 'y'.repeat(500_000));
    const answer = await text('show_changes', {});
    expect(Buffer.byteLength(answer)).toBeLessThan(52 * 1024);
    expect(answer).toMatch(/\[\d+ more lines omitted\. Pass a path/);
  });
});

describe('update_plan and finish', () => {
  test('a plan replaces the one before', async () => {
    const { text, refusal, context } = toolBench({});
    const item = (id: string) => ({ id, text: `do  ${id}`, status: 'completed' });
    expect(await text('update_plan', { items: [item('1'), item('2')] })).toBe(
      'Plan of 2 items, 2 completed.',
    );
    await text('update_plan', { items: [item('3')] });
    expect(context.memory.plan).toEqual([{ id: '3', text: 'do 3', status: 'completed' }]);
    await text('update_plan', { items: [{ id: '\0x', text: 'a\0b\ud800', status: 'pending' }] });
    expect(context.memory.plan).toEqual([{ id: 'x', text: 'ab\ufffd', status: 'pending' }]);
    expect(await refusal('update_plan', { items: [item('1'), item('1')] })).toContain('same id');
  });

  test('finish gives one line of a title, and a question or none', async () => {
    const { call, refusal } = toolBench({});
    expect(
      (await call('finish', { title: ' a\nb\0 ', summary: ' s\0\x1b ', needs_input: null })).finish,
    ).toEqual({
      title: 'a b',
      summary: 's',
      needsInput: null,
    });
    const asked = await call('finish', { title: 'x'.repeat(500), summary: '', needs_input: ' which? ' });
    expect(asked.finish?.needsInput).toBe('which?');
    expect(asked.finish?.title).toHaveLength(120);
    expect(await refusal('finish', { title: ' \n', summary: 's' })).toContain('title is empty');
  });
});
