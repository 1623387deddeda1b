import { expect, it } from 'vitest';
import { parseMdx } from './parse.ts';
import type { SyntaxNode } from './syntax.ts';

function shape(node: SyntaxNode): string {
  if (node.children === undefined) return node.value ?? node.type;
  const inside = node.children.map(shape).join('');
  return node.type === 'root' || node.type === 'paragraph'
    ? inside
    : `<${node.type}>${inside}</${node.type}>`;
}

const parsed = (text: string) =>
  parseMdx(text, { file: 'a.mdx', firstLine: 0, frontMatter: false, warn: () => {} });

it.each([
  ['**注意：**以下', '<strong>注意：</strong>以下'],
  ['称为**“分片”**的小包', '称为<strong>“分片”</strong>的小包'],
  ['**컨텍스트(MCP)**은 표준', '<strong>컨텍스트(MCP)</strong>은 표준'],
  [
    '**开発（nightly）**を使い、**安定（release）**では',
    '<strong>开発（nightly）</strong>を使い、<strong>安定（release）</strong>では',
  ],
  ['**[연결](/a)**을 보세요', '<strong><link>연결</link></strong>을 보세요'],
  ['문장.**굵게**는 **(하나)**와', '문장.<strong>굵게</strong>는 <strong>(하나)</strong>와'],
  ['***중요!***다음', '<emphasis><strong>중요!</strong></emphasis>다음'],
])('reads the emphasis of %s, which has no space outside', (text, expected) => {
  expect(shape(parsed(text))).toBe(expected);
});

it.each([
  ['가격*(세금)은 값*(기타)', '가격*(세금)은 값*(기타)'],
  ['\\*\\*注意：\\*\\*以下', '**注意：**以下'],
  ['`**注意：**以下`', '**注意：**以下'],
  ['**Note:**see', '**Note:**see'],
  ['**注意：**以下⸀', '<strong>注意：</strong>以下⸀'],
])('keeps the text of %s', (text, expected) => {
  expect(shape(parsed(text))).toBe(expected);
});

it('keeps letters in code and attributes beside asterisks, and columns', () => {
  const root = parsed('```js\nf("**注：**以")\n```\n\n<Card title="**注：**以">한 **(a)**은 <b>x</b></Card>');
  const [code, card] = root.children ?? [];
  expect(code?.value).toBe('f("**注：**以")');
  expect(card?.attributes?.[0]?.value).toBe('**注：**以');
  const element = card?.children?.at(-1) ?? card;
  expect(JSON.stringify(root)).not.toMatch(/[\u2e00-\u2e4f]/);
  expect(element?.position?.start.line).toBe(5);
});
