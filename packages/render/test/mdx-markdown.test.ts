import { expect, test } from 'vitest';
import { renderBody } from './mdx-page.ts';

test('an address that was typed as it is stays so in the Markdown twin', () => {
  const { markdown } = renderBody(
    'See https://docs.example.com and [here](https://e.example), or me@e.example.\n',
  );
  expect(markdown).toBe('See https://docs.example.com and [here](https://e.example), or me@e.example.\n');
});

test.each(['ParamField query="secret"', 'ResponseField name="secret"'])(
  'a hidden <%s> is neither on the page nor in its Markdown copy',
  (field) => {
    const tag = field.split(' ', 1)[0];
    const { html, markdown } = renderBody(`Before.\n\n<${field} hidden>Zanzibar</${tag}>\n\nAfter.\n`);
    expect(html).not.toContain('Zanzibar');
    expect(markdown).toBe('Before.\n\nAfter.\n');
  },
);

test.each([
  ['a list', '- one\n- two', '- `x` (object):\n\n  - one\n  - two\n'],
  ['other fields', '<ResponseField name="y">Y</ResponseField>', '- `x` (object):\n\n  - `y`: Y\n'],
  ['a code block', '```\ncode\n```', '- `x` (object):\n\n  ```\n  code\n  ```\n'],
  ['a text', 'Text\n\n- one', '- `x` (object): Text\n\n  - one\n'],
  ['text with a hyphen', '-1 by default', '- `x` (object): -1 by default\n'],
])('the description of a field in the Markdown copy can start with %s', (_name, content, expected) => {
  const { markdown } = renderBody(
    `<ResponseField name="x" type="object">\n\n${content}\n\n</ResponseField>\n`,
  );
  expect(markdown).toBe(expected);
});

test.each([
  ['Two\n\nparagraphs', '- [A](../a.md): Two paragraphs\n'],
  ['- one\n- two', '- [A](../a.md)\n\n  - one\n  - two\n'],
  ['Text\n\n```sh\nrun\n```', '- [A](../a.md)\n\n  Text\n\n  ```sh\n  run\n  ```\n'],
])('the content %j of a card keeps its blocks in the Markdown copy', (content, expected) => {
  const { markdown } = renderBody(`<Card title="A" href="/a">\n\n${content}\n\n</Card>\n`, { pages: ['a'] });
  expect(markdown).toBe(expected);
});
