import { expect, test } from 'vitest';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { readReviewFiles } from './review-files.ts';

function read(queries: string | null, checks: string | null = null) {
  const warnings: Warning[] = [];
  const files = {
    ...(queries === null ? {} : { '.offprint/queries.yaml': queries }),
    ...(checks === null ? {} : { '.offprint/checks.yaml': checks }),
  };
  const found = readReviewFiles(memorySource(files), (warning) => void warnings.push(warning));
  return { ...found, messages: warnings.map(({ message }) => message) };
}

test('queries and levels are read', () => {
  const text = '- query: install\n  expect: /guides/install.mdx\n- { query: " home ", expect: / }\n';
  expect(read(text, 'links: fail\nfiles: off\n')).toEqual({
    queries: [
      { query: 'install', expect: 'guides/install' },
      { query: 'home', expect: 'index' },
    ],
    levels: { links: 'fail', files: 'off' },
    messages: [],
  });
});

test('a site without the files has none', () => {
  expect(read(null)).toEqual({ queries: [], levels: {}, messages: [] });
});

test.each([
  ['a: b', /must be a list/],
  ['- 1', /Entry 1 needs/],
  ['- query: x', /Entry 1 needs/],
  ['- query: [x]\n  expect: y', /Entry 1 needs/],
  ['- [', /not valid YAML/],
  ['- &a x\n- *a\n', /Aliases/],
  [`- ${'x'.repeat(300_000)}`, /larger than/],
])('what is not a list of queries is reported: %.30s', (text, message) => {
  const { queries, messages } = read(text);
  expect(queries).toEqual([]);
  expect(messages[0]).toMatch(message);
});

test('unknown checks and levels are reported', () => {
  const { levels, messages } = read(null, 'links: maybe\n__proto__: fail\nqueries: warn\n');
  expect(levels).toEqual({ queries: 'warn' });
  expect(messages).toHaveLength(2);
});
