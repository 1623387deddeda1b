import { describe, expect, test } from 'vitest';
import { warningsOf } from './warnings.fixture.ts';

describe('a code block without a closing fence is reported where it starts', () => {
  test.each<[string, number, string, string]>([
    ['fewer marks at its end', 3, '````', 'a\n\n````sh\nb\n```\n\n## Heading\n'],
    ['nothing at its end', 1, '```', '```js\na\n\nb\n'],
    ['words behind the marks at its end', 1, '```', '```js\na\n``` end\n\nb\n'],
    ['other marks at its end', 1, '~~~', '~~~\na\n```\n'],
    ['in a list', 3, '```', '- a\n\n  ```js\n  b\n'],
    ['after a heading id that is rewritten', 3, '```', '## A {#b}\n\n```js\na\n'],
  ])('%s', (_, line, marks, text) => {
    expect(warningsOf(text)).toMatchObject([
      {
        code: 'unclosed-fence',
        line,
        message: expect.stringMatching(`rest of the text.*line of ${marks}\\.$`),
      },
    ]);
  });
  test('in an element that it contains the end of', () => {
    expect(warningsOf('<Tab>\n```js\na\n</Tab>\n\nb\n').map(({ code }) => code)).toContain('unclosed-fence');
  });
  test('one mark too many at the end of the text is an empty block', () => {
    expect(warningsOf('```js\na\n```\n\n```\n')).toMatchObject([
      { code: 'unclosed-fence', line: 5, message: expect.stringContaining('empty code block') },
    ]);
  });
});

test.each([
  ['closed', '```js\na\n```\n'],
  ['closed by more marks and blanks', '~~~\na\n  ~~~~~  \n\n'],
  ['closed in a quote', '> ```\n> a\n> ```\n'],
  ['closed in a list', '1. a\n\n    ```js\n    b\n    ```\n'],
  ['closed in an element', '<Tab>\n  ```js\n  a\n  ```\n</Tab>\n'],
  ['ended by its list', '- ```\n  a\n\nb\n'],
  ['inline', 'a ```b```\n'],
])('a code block that is %s is not reported', (_, text) => {
  expect(warningsOf(text)).toEqual([]);
});
