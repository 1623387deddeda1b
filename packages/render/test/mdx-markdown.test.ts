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
