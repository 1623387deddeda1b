import { expect, test } from 'vitest';
import { reportMarkdown } from './report-markdown.ts';

const empty = {
  failed: false,
  checks: [],
  pages: {
    added: [],
    removed: [],
    changed: [],
    edited: [],
    layout: [],
    undetermined: [],
    renamed: [],
    unchanged: 1,
  },
  links: { hasAnchors: true, total: 0, broken: [] },
  queries: [],
};
const context = { title: 'Docs', previewUrl: null, detailsUrl: null };
const link = {
  url: '/a',
  anchor: null,
  kind: 'page' as const,
  cause: 'removed' as const,
  place: null,
  before: { file: 'a.mdx', line: null },
  now: null,
  lastServedAt: null,
};

test('a report without changes is two lines', () => {
  expect(reportMarkdown(empty, context)).toBe(
    '### Docs: passed\n\n0 pages added, 0 removed, 0 edited. All checks passed.\n',
  );
});

test('broken links are rows with URL, cause and place', () => {
  const text = reportMarkdown(
    {
      ...empty,
      failed: true,
      checks: [{ check: 'links', level: 'fail', found: 1 }],
      links: {
        hasAnchors: true,
        total: 2,
        broken: [
          link,
          { ...link, anchor: 'x', cause: 'anchor-changed', place: { file: 'a.mdx', line: 3 }, now: 'y' },
        ],
      },
    },
    { ...context, previewUrl: 'https://p.example.com/' },
  );
  expect(text).toContain('### Docs: failed');
  expect(text).toContain('[Preview](https://p.example.com/)');
  expect(text).toContain('links: 1 (fail)');
  expect(text).toContain('| `/a` | nothing is there | `a.mdx` (before) |');
  expect(text).toContain('| `/a#x` | the anchor changed, now `y` | `a.mdx:3` |');
});

test('texts of the docs stay code: no markup, no mention, no other row, no direction of text', () => {
  const hostile = 'x`|\n\n# @everyone <img src=x> \u202e[a](b)``';
  const text = reportMarkdown(
    {
      ...empty,
      pages: { ...empty.pages, added: [hostile] },
      links: { hasAnchors: true, total: 1, broken: [{ ...link, url: hostile }] },
      queries: [{ query: hostile, expect: 'a', before: 1, after: null }],
    },
    context,
  );
  const code = "`x'¦  # @everyone <img src=x>  [a](b)''`";
  expect(text).toContain(`| ${code} | nothing is there |`);
  expect(text).toContain(`| ${code} | \`/a\` | 1 | not found |`);
  expect(text).not.toContain('\u202e');
  for (const line of text.split('\n')) expect((line.match(/`/g) ?? []).length % 2).toBe(0);
});

test('long lists are cut, so that a forge accepts the comment', () => {
  const broken = Array.from({ length: 1_000 }, (_, at) => ({ ...link, url: `/${'x'.repeat(300)}${at}` }));
  const text = reportMarkdown({ ...empty, links: { hasAnchors: true, total: 1_000, broken } }, context);
  expect(text).toContain('and 950 more.');
  expect(text.length).toBeLessThan(60_000);
});
