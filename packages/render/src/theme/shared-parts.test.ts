import { expect, test } from 'vitest';
import { createSharedParts } from './shared-parts.ts';

test('a part is made once for all pages of a folder, and again for another folder', () => {
  const parts = createSharedParts();
  let made = 0;
  const make = (): string => `part ${++made}`;
  const node = {};
  expect(parts.of('guides/a.html', 'tab', node, make)).toBe('part 1');
  expect(parts.of('guides/b.html', 'tab', node, make)).toBe('part 1');
  expect(parts.of('guides/deep/a.html', 'tab', node, make)).toBe('part 2');
  expect(parts.of('index.html', 'tab', node, make)).toBe('part 3');
});

test('parts of other kinds and keys are others', () => {
  const parts = createSharedParts();
  const node = {};
  expect(parts.of('a.html', 'tab', node, () => 'tab')).toBe('tab');
  expect(parts.of('a.html', 'sidebar', node, () => 'entry')).toBe('entry');
  expect(parts.of('a.html', 'tab', {}, () => 'other tab')).toBe('other tab');
});

test('an empty part is kept too', () => {
  const parts = createSharedParts();
  let made = 0;
  const make = (): string => {
    made++;
    return '';
  };
  parts.of('a.html', 'tab', '', make);
  parts.of('b.html', 'tab', '', make);
  expect(made).toBe(1);
});
