import { expect, test } from 'vitest';
import { renderBody } from './mdx-page.ts';

test('an address that was typed as it is stays so in the Markdown twin', () => {
  const { markdown } = renderBody(
    'See https://docs.example.com and [here](https://e.example), or me@e.example.\n',
  );
  expect(markdown).toBe('See https://docs.example.com and [here](https://e.example), or me@e.example.\n');
});
