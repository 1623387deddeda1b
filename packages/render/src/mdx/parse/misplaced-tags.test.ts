import { describe, expect, test } from 'vitest';
import { find, findOne } from '../../../test/dom.ts';
import { renderBody } from '../../../test/mdx-page.ts';

const AFTER = '\n\nAfter.\n';

describe('a closing tag at the end of a paragraph', () => {
  test.each([
    ['a paragraph', '<Note>\nOne.\n\nTwo.</Note>'],
    ['a list', '<Note>\nOne.\n\n- Two.</Note>'],
    ['a heading', '<Note>\nOne.\n\n## Two.</Note>'],
    ['a table', '<Note>\nOne.\n\n| a |\n| - |\n| Two. |</Note>'],
    ['a paragraph of a list item', '- Item\n\n  <Note>\n  One.\n\n  Two.</Note>'],
    ['a paragraph at the end of the text', '<Note>\nOne.\n\nTwo.</Note>', ''],
  ])('closes the component that another line opens: %s', (_, text, after = AFTER) => {
    const { html, warnings } = renderBody(text + after);
    const { text: inside } = findOne(html, { class: 'callout' });
    expect(inside).toContain('One.');
    expect(inside).toContain('Two.');
    expect(inside).not.toContain('After.');
    expect(html).not.toContain('/Note');
    expect(warnings).toMatchObject([{ code: 'unclosed-tag', line: text.split('\n').length }]);
  });

  test.each(['</AccordionGroup>', '<Accordion title="Next">\nNext.\n</Accordion>\n</AccordionGroup>'])(
    'may be followed by a line of tags: %s',
    (next) => {
      const { html, warnings } = renderBody(
        `<AccordionGroup>\n<Accordion title="First">\nOne.\n\nTwo.</Accordion>\n${next}${AFTER}`,
      );
      expect(find(html, { class: 'accordion' })[0]?.text).toContain('Two.');
      expect(html).not.toContain('&lt;');
      expect(warnings.map(({ code, line }) => [code, line])).toEqual([['unclosed-tag', 5]]);
    },
  );
});

describe('an opening tag before the first of several paragraphs', () => {
  test.each([
    ['a blank line', 'Before.\n\n'],
    ['a tag', '<Steps>\n', '\n</Steps>'],
  ])('opens the component that another line closes: behind %s', (_, before, after = '') => {
    const { html, warnings } = renderBody(
      `${before}<Note>One.\n\n- Two.\n</Note>${after}\n\n<Unknown />${AFTER}`,
    );
    const { text: inside } = findOne(html, { class: 'callout' });
    expect(inside).toContain('One.');
    expect(inside).toContain('Two.');
    const line = before.split('\n').length;
    const found = warnings.filter(({ code }) => code !== 'misplaced-step');
    expect(found.map(({ code, line: at }) => [code, at])).toEqual([
      ['unclosed-tag', line],
      ['unknown-component', line + 5 + after.split('\n').length - 1],
    ]);
  });

  test('is ignored where nothing closes it', () => {
    const { html } = renderBody(`<Note>One.\n\nTwo.${AFTER}\n<Note>Other.</Note>\n`);
    expect(find(html, { class: 'callout' })).toHaveLength(1);
  });
});
