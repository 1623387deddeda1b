import { expect, test } from 'vitest';
import { clipTitle, isMarked, markTitle, unmarkTitle } from './title.ts';

test.each([
  ['Add a page', 'Add a page'],
  ['  two\nlines\tand  blanks ', 'two lines and blanks'],
  ['', 'Update the documentation'],
  ['\n ', 'Update the documentation'],
  ['1234567890', '1234567890'],
  ['12345678901', '123456789…'],
  ['𝒳'.repeat(11), `${'𝒳'.repeat(9)}…`],
])('%j becomes a title of one line', (title, clipped) => {
  expect(clipTitle(title, title.startsWith('1') || title.startsWith('𝒳') ? 10 : 60)).toBe(clipped);
});

test('marks are put on once and taken off whole', () => {
  expect(markTitle('T', true, 'Draft: ', 20)).toBe('Draft: T');
  expect(markTitle('Draft: T', true, 'Draft: ', 20)).toBe('Draft: T');
  expect(markTitle('WIP: [Draft] T', false, 'WIP: ', 20)).toBe('T');
  expect(markTitle('x'.repeat(30), true, 'WIP: ', 20)).toBe(`WIP: ${'x'.repeat(14)}…`);
  expect(markTitle('Draft:', true, 'Draft: ', 60)).toBe('Draft: Update the documentation');
});

test.each([
  ['draft: T', 'T', true],
  ['(Draft) T', 'T', true],
  ['[WIP]T', 'T', true],
  ['Drafts of the team', 'Drafts of the team', false],
  ['WIPE: T', 'WIPE: T', false],
])('%j is %j without its mark', (title, plain, marked) => {
  expect([unmarkTitle(title), isMarked(title)]).toEqual([plain, marked]);
});
