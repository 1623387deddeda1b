import { describe, expect, test } from 'vitest';
import { toolBench } from '../../../../../test/support/tool-context.ts';

const FILES = {
  'a.mdx': 'one\nTwo words\nthree\nfour\nfive two\n',
  'b/c.md': 'It’s “two” — here\r\nlast\r\n',
  'x.png': Uint8Array.of(0xff, 0x74, 0x77, 0x6f),
};

describe('search', () => {
  test('finds text in any case, with typographic marks as typed', async () => {
    const { text } = toolBench(FILES);
    expect(await text('search', { query: 'TWO' })).toBe(
      '3 lines in 2 files\na.mdx:2: Two words\na.mdx:5: five two\nb/c.md:1: It’s “two” — here',
    );
    expect(await text('search', { query: 'it\'s "two" - HERE' })).toContain('b/c.md:1:');
    expect(await text('search', { query: "It's", case_sensitive: true })).toBe('0 lines in 0 files');
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
