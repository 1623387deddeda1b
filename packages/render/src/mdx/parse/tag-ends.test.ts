import { expect, test } from 'vitest';
import { byRole, readText } from '../../../test/dom.ts';
import { renderBody } from '../../../test/mdx-page.ts';
import { joinTagEnds } from './tag-ends.ts';

test('a tag may end at the start of a line that continues with its content', () => {
  const { html, warnings } = renderBody(
    'Before.\n\n<div>\n  <h2\n    id="own"\n    style={{\n      margin: "0",\n    }}\n  >Welcome</h2>\n</div>\n\n<Note\n  title="x > y"\n>Inside</Note>\n\n> A quote\n>without a space\n',
  );
  expect(warnings).toEqual([]);
  expect(byRole(html, 'heading')[0]?.text).toBe('Welcome');
  expect(byRole(html, 'note')[0]?.text).toContain('Inside');
  expect(readText(html)).not.toContain('...');
});

test('quotes, code and comparisons stay as they are', () => {
  for (const text of [
    'a <b\n>quote</b>',
    '```html\n<b\n  id="x"\n>bold</b>\n```\n',
    '<b>\n>quote\n',
    'Text\n>quote\n',
    '<b\n  id="x\n>y"\n>\nbold</b>',
    '<Note\n  title="x"\n>\n  Inside\n</Note>',
  ])
    expect(joinTagEnds(text)).toBe(text);
});
