import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksOf, inlinesOf } from './markdown-blocks.ts';

test('headings, lists, code, quotations and paragraphs are blocks', () => {
  const text = `## Done

I changed
two pages:

1. \`a.mdx\`
2. b.mdx
   and its link

- one
* two

> quoted
> twice

---
\`\`\`mdx
# not a heading
\`\`\`
`;
  expect(blocksOf(text)).toEqual([
    { kind: 'heading', text: 'Done' },
    { kind: 'paragraph', text: 'I changed\ntwo pages:' },
    { kind: 'list', isOrdered: true, start: 1, items: ['`a.mdx`', 'b.mdx\nand its link'] },
    { kind: 'list', isOrdered: false, start: 1, items: ['one', 'two'] },
    { kind: 'quote', text: 'quoted\ntwice' },
    { kind: 'rule' },
    { kind: 'code', text: '# not a heading' },
  ]);
  expect(blocksOf('```\nstill being written')).toEqual([{ kind: 'code', text: 'still being written' }]);
});

test('marks inside of lines; HTML, snake_case and unfinished marks are text', () => {
  expect(inlinesOf('a **b** *c* _d_ `e*f*` [g](https://h.example/i) ![j](k.png)')).toEqual([
    { kind: 'text', text: 'a ' },
    { kind: 'strong', text: 'b' },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', text: 'c' },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', text: 'd' },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: 'e*f*' },
    { kind: 'text', text: ' ' },
    { kind: 'link', text: 'g', href: 'https://h.example/i' },
    { kind: 'text', text: ' ' },
    { kind: 'image', text: 'j' },
  ]);
  for (const text of ['<b onclick="x()">', 'my_snake_case', '2 * 3 * 4', '**open', '[no](', 'a `open']) {
    expect(inlinesOf(text)).toEqual([{ kind: 'text', text }]);
  }
});

test('no word of any text is lost', () => {
  const piece = fc.constantFrom(
    'a',
    'bc ',
    '*',
    '**',
    '_',
    '`',
    '```',
    '[',
    '](',
    ')',
    '!',
    '\n',
    '> ',
    '- ',
    '1. ',
    '# ',
  );
  const lettersOf = (value: unknown) =>
    JSON.stringify(value)
      .replace(/"(?:kind|isOrdered|start)":(?:"\w+"|\w+)|"\w+":|\\n/g, '')
      .replace(/[^abc]/g, '');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      const inline = inlinesOf(text.replaceAll('](', ' '));
      expect(lettersOf(inline)).toBe(text.replace(/[^abc]/g, ''));
    }),
  );
});

test.each(['*a', '[a](', '`a', '_a _', '**a', '![', '> - # '])(
  'a long line of %j is parsed in linear time',
  (text) => {
    const long = text.repeat(30_000 / text.length);
    for (const block of blocksOf(long)) if ('text' in block) inlinesOf(block.text);
  },
);
