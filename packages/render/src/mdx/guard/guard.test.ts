import { expect, test } from 'vitest';
import { parseMdx } from '../parse/parse.ts';
import type { SyntaxNode } from '../parse/syntax.ts';
import { guard } from './guard.ts';

function countElements(root: SyntaxNode): number {
  let count = 0;
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type.startsWith('mdxJsx')) count++;
    stack.push(...(node.children ?? []));
  }
  return count;
}

test('a generated page keeps all of its tags, of which each line has many', () => {
  const line = `<div class="signature"><span class="kind">a</span>${'<a href="#b" class="type">B</a>: C] }<br />'.repeat(40)}</div>`;
  const warnings: string[] = [];
  const root = parseMdx(`${line}\n\n`.repeat(200), {
    file: 'a.mdx',
    firstLine: 0,
    frontMatter: false,
    warn: ({ code }) => void warnings.push(code),
  });
  expect(warnings).toEqual([]);
  expect(countElements(root)).toBe(200 * 82);
});

test.each<[string, string]>([
  ['an element over several lines', '<div class="a">\n\nx\n\n</div>\n\n'],
  ['a tag as a block', '<b>x</b>\n\n'],
  ['behind an expression', '{1}<b>x</b>\n\n'],
  ['behind marks of a quote and a list', '> 1. - <b>x</b>\n\n'],
  ['between headings', '# a\n<b>x</b>\n\n'],
  ['a fragment', '<>x</>\n\n'],
  ['not closed', 'x <b>\n\n'],
  ['closed by another name', 'x <a></b>\n\n'],
  ['closed by an escape', 'x <b>\\</b>\n\n'],
  ['closed in code', 'x <b>`</b>`\n\n'],
  ['closed in a formula', 'x <b> $</b>$\n\n'],
  ['closed in an expression', 'x <b> {"</b>"}\n\n'],
  ['closed in a link', 'x <b> [a](</b>)\n\n'],
  ['closed in an attribute', 'x <b c="</b>">\n\n'],
  ['closed on another line', 'x <b\n>y</b\n>\n\n'],
  ['closed in text', 'x <b> />\n\n'],
])('of tags that cost time with their square, no more than 5,000 are left: %s', (_, text) => {
  expect(guard(text.repeat(5_000)).faults).toEqual([]);
  const guarded = guard(text.repeat(5_100));
  expect(guarded.faults).toMatchObject([{ message: expect.stringContaining('more than 5000 tags') }]);
  expect([...guarded.text.matchAll(/<[A-Za-z>]/g)]).toHaveLength(5_000);
});

test.each<[string, string]>([
  ['nothing', ''],
  ['blanks', ' \n\t'],
  ['a comment', '/* x */'],
  ['comments and blanks', ` /* x */\n/*${' '.repeat(200)}*/ `],
])('a chain of values that are not closed is cut, with %s between name and value', (_, between) => {
  const chain = `<a b=${between}{`.repeat(30);
  const guarded = guard(chain);
  expect([...guarded.text.matchAll(/\{/g)]).toHaveLength(4);
});

test.each<[string, string]>([
  ['a comment without an end', '=/* x {'],
  ['a comment that is too long', `=/*${' '.repeat(201)}*/{`],
  ['the end of a comment only', '= x */{'],
  ['a path', '/{'],
])('a brace behind %s does not start a value', (_, text) => {
  expect(guard(text.repeat(30)).sentinels).toBeNull();
});
