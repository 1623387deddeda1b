import { describe, expect, test } from 'vitest';
import { find, findOne } from '../../../test/dom.ts';
import { renderBody } from '../../../test/mdx-page.ts';
import { outdentFormulas } from './indented-formulas.ts';

const FORMULA = '    $$\n    x = 1\n    $$\n';

describe('a formula block that is indented like the elements around it', () => {
  test('is a block, and the elements around it stay', () => {
    const { html, warnings } = renderBody(
      `<Note>\n  <Accordion title="More">\n${FORMULA}\n    Or\n  </Accordion>\n</Note>\n\nAfter\n`,
    );
    expect(warnings).toEqual([]);
    const accordion = findOne(html, { class: 'accordion', within: { class: 'callout' } });
    expect(accordion.text).toContain('Or');
    expect(accordion.text).not.toContain('$$');
    expect(find(accordion, { class: 'katex-display' })).toHaveLength(1);
  });

  test('loses only what exceeds the list item that it is in', () => {
    const list = '1. One\n   - Two\n\n     $$\n     x\n     $$\n';
    expect(outdentFormulas(list)).toBe(list);
    expect(outdentFormulas('- One\n\n      $$\n      x\n        y\n      $$\n')).toBe(
      '- One\n\n  $$\n  x\n    y\n  $$\n',
    );
    expect(outdentFormulas(`- One\n\nText\n\n${FORMULA}`)).toBe('- One\n\nText\n\n$$\nx = 1\n$$\n');
  });

  test.each([
    ['code', `\`\`\`text\n${FORMULA}\`\`\`\n`],
    ['a block that does not end', '    $$\n    x\n'],
    ['a formula in one line', '    $$ x $$\n'],
  ])('is not looked for in %s', (_, text) => {
    expect(outdentFormulas(text)).toBe(text);
  });

  test('takes time in proportion to the text', () => {
    const start = performance.now();
    outdentFormulas(`${'    $$\n'.repeat(100_001)}${'    - x\n'.repeat(100_000)}`);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
