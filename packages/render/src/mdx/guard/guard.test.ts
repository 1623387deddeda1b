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

const row =
  '    <tr>\n      <td>name</td>\n      <td>[Type](#a.Type)</td>\n      <td colSpan={2}>a\\_b</td>\n    </tr>\n';
const table = `<a name="x"></a>\n\n### Heading\n<table>\n  <tbody>\n${row.repeat(8)}  </tbody>\n</table>\n\n`;

test.each<[string, string, number]>([
  ['of generated tables', table.repeat(500), 500 * 35],
  ['of elements over several lines', '<div class="a">\n\nx\n\n</div>\n\n'.repeat(12_000), 12_000],
  ['of elements in a list', '- x\n\n  <div>\n  <b>x</b>\n  </div>\n\n'.repeat(6_000), 12_000],
])('a page keeps tens of thousands of tags %s', (_, text, elements) => {
  const warnings: string[] = [];
  const root = parseMdx(text, {
    file: 'a.mdx',
    firstLine: 0,
    frontMatter: false,
    warn: ({ code }) => void warnings.push(code),
  });
  expect(warnings).toEqual([]);
  expect(countElements(root)).toBe(elements);
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
