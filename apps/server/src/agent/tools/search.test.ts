import { describe, expect, test } from 'vitest';
import { toolBench } from '../../../../../test/support/tool-context.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import { createPace } from './pace.ts';

const FILES = {
  'a.mdx': 'one\nTwo words\nthree\nfour\nfive two\n',
  'b/c.md': 'It’s “two” — here\r\nlast\r\n',
  'x.png': Uint8Array.of(0xff, 0x74, 0x77, 0x6f),
};

describe('search', () => {
  test('finds text in any case, with typographic marks as typed', async () => {
    const { text } = toolBench(FILES);
    expect(await text('search', { query: 'TWO' })).toBe(
      '3 lines in 2 files\n[Not searched: 1 file without text, such as images and links]\na.mdx:2: Two words\na.mdx:5: five two\nb/c.md:1: It’s “two” — here',
    );
    expect(await text('search', { query: 'it\'s "two" - HERE' })).toContain('b/c.md:1:');
    expect(await text('search', { query: "It's", case_sensitive: true })).toMatch(/^0 lines in 0 files\n/);
    expect(await text('search', { query: 'two', case_sensitive: true, glob: '*.mdx' })).toBe(
      '1 line in 1 file\na.mdx:5: five two',
    );
    expect(await text('search', { query: 'here\nlast' })).toContain('b/c.md:1:');
  });

  test('shows lines around, each once', async () => {
    const { text } = toolBench(FILES);
    expect(await text('search', { query: 'two', context: 1, glob: 'a.mdx' })).toBe(
      '2 lines in 1 file\na.mdx-1- one\na.mdx:2: Two words\na.mdx-3- three\na.mdx-4- four\na.mdx:5: five two\na.mdx-6- ',
    );
  });

  test('a text is literal and a pattern is one', async () => {
    const { text, refusal } = toolBench({ 'a.mdx': 'a.b\naxb\nfoo(1)\r\n' });
    expect(await text('search', { query: 'a.b' })).toBe('1 line in 1 file\na.mdx:1: a.b');
    expect(await text('search', { query: '^a.b$', regex: true })).toContain('2 lines');
    expect(await text('search', { query: 'FOO\\(\\d+\\)$', regex: true })).toContain('a.mdx:3: foo(1)');
    expect(await text('search', { query: 'FOO', regex: true, case_sensitive: true })).toContain('0 lines');
    for (const query of ['(?=a)', '(a', '(.)\\1', 'a{2000}']) {
      expect(await refusal('search', { query, regex: true })).toContain('Invalid pattern');
    }
    expect(await refusal('search', { query: '' })).toContain('query is empty');
    expect(await refusal('search', { query: 'x'.repeat(1001) })).toContain('1001 characters');
  });

  test('patterns that are slow in other engines return a result', async () => {
    const { text } = toolBench({ 'a.mdx': `${'a'.repeat(5000)}!\n`.repeat(20) });
    for (const query of ['^(a+)+$', '(a|a)*b', '(a*)*c', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect(await text('search', { query, regex: true }), query).toMatch(/^\d+ lines? in \d files?/);
    }
    expect(await text('search', { query: 'a', glob: '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b' })).toContain('0 lines');
  });

  test('counts ten thousand lines and shows some', async () => {
    const { text } = toolBench({ 'a.mdx': 'hit\n'.repeat(10_000) });
    const answer = await text('search', { query: 'hit', limit: 3 });
    expect(answer).toBe('10000 lines in 1 file, the first 3\na.mdx:1: hit\na.mdx:2: hit\na.mdx:3: hit');
    expect(
      (await text('search', { query: 'hit', regex: true, limit: 1000, context: 5 })).split('\n').length,
    ).toBeLessThan(2010);
  });

  test('cuts long lines around what was found', async () => {
    const { text } = toolBench({ 'a.mdx': `${'x'.repeat(300_000)}needle${'y'.repeat(300_000)}` });
    for (const regex of [false, true]) {
      const answer = await text('search', { query: regex ? 'x{3}n?' : 'needle', regex });
      expect(answer.length).toBeLessThan(700);
      if (!regex) expect(answer).toContain('needle');
    }
  });

  test('lists files or counts lines of each', async () => {
    const { text } = toolBench({ 'a.mdx': 'hit\nhit\n', 'b.mdx': 'hit\n', 'c.mdx': 'none\n' });
    const ask = (mode: string, limit = 100) => text('search', { query: 'HIT', mode, limit });
    expect(await ask('files')).toBe('3 lines in 2 files\na.mdx\nb.mdx');
    expect(await ask('count')).toBe('3 lines in 2 files\na.mdx: 2\nb.mdx: 1');
    expect(await ask('count', 1)).toBe('3 lines in 2 files, the first 1\na.mdx: 2');
  });

  test('names each text file that was not searched, and why', async () => {
    const files = {
      'a.mdx': 'hit',
      'utf16.mdx': Uint8Array.of(0xff, 0xfe, 0x68, 0),
      'x.png': Uint8Array.of(0xff),
    };
    const { context, text } = toolBench(files);
    const big = { path: 'api.json', kind: 'file' as const, executable: false, bytes: 9e7, content: null };
    const link = { path: 'link.mdx', kind: 'symlink' as const, executable: false, bytes: 9, content: null };
    const entries = new Map([...context.workspace.base.entries, ['api.json', big], ['link.mdx', link]]);
    context.workspace = createWorkspace({ entries }, new Map());
    expect(await text('search', { query: 'hit' })).toBe(
      '1 line in 1 file\n[Not searched: api.json has 90000000 bytes, more than can be read here]\n[Not searched: utf16.mdx is not a text file in UTF-8 (4 bytes)]\n[Not searched: 2 files without text, such as images and links]\na.mdx:1: hit',
    );
  });

  test('shows the default language and version first, with the files of their folders', async () => {
    const navigation = {
      languages: [
        { language: 'de', pages: ['de/a'] },
        {
          language: 'en',
          default: true,
          versions: [
            { version: '2', pages: ['z/a', 'shared'] },
            { version: '1', pages: ['old/a', 'shared'] },
          ],
        },
      ],
    };
    const paths = ['de/a.mdx', 'de/snippets/b.mdx', 'old/a.mdx', 'other.mdx', 'shared.mdx', 'z/a.mdx'];
    const { text } = toolBench({
      'docs.json': JSON.stringify({ navigation }),
      ...Object.fromEntries(paths.map((path) => [path, 'needle'])),
    });
    const found = await text('search', { query: 'needle', mode: 'files' });
    expect(found.split('\n').slice(1)).toEqual([
      'other.mdx',
      'shared.mdx',
      'z/a.mdx',
      'de/a.mdx',
      'de/snippets/b.mdx',
      'old/a.mdx',
    ]);
  });

  test('a budget is CPU time: waiting for others does not use it up', async () => {
    let cpu = 0;
    const pace = createPace(100, new AbortController().signal, () => cpu);
    const wait = () => new Promise((resolve) => setTimeout(resolve, 25));
    for (let step = 0; step < 8; step += 1) {
      await wait();
      cpu += 10;
      expect(await pace.goOn()).toBe(true);
    }
    await wait();
    cpu += 21;
    expect(await pace.goOn()).toBe(false);
  });

  test('holds when the job is cancelled', async () => {
    const controller = new AbortController();
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`${at}.mdx`, `${'ab '.repeat(3000)}\n`.repeat(5)]),
    );
    const { call } = toolBench(files, { signal: controller.signal });
    const search = call('search', { query: '(a|b| )+c', regex: true });
    controller.abort(new Error('cancelled by a person'));
    await expect(search).rejects.toThrow('cancelled by a person');
  });
});

test('finds a text wherever the pieces end in which a long file is searched', async () => {
  for (const before of [2 ** 18 - 3, 2 ** 18, 2 ** 19 - 1]) {
    const { text } = toolBench({ 'a.mdx': `${'x'.repeat(before)}needle\n` });
    for (const case_sensitive of [true, false])
      expect(await text('search', { query: 'needle', case_sensitive, mode: 'count' })).toContain('a.mdx: 1');
  }
});
