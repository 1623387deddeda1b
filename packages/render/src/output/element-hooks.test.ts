import { expect, test } from 'vitest';
import { withHooks } from './element-hooks.ts';

test.each([
  ['accordion', ':is(accordion,.accordion)'],
  ['card:hover, callout > p', ':is(card,.card):hover, :is(callout,.callout) > p'],
  ['nav-dropdown-item[data-active]', ':is(nav-dropdown-item,.nav-dropdown-item)[data-active]'],
  ['div card::before', 'div :is(card,.card)::before'],
  ['#localization-select-item > p', '[id|=localization-select-item] > p'],
  ['#localization-select-item-de:hover', '#localization-select-item-de:hover'],
  ['.dark code-block', '.dark :is(code-block,.code-block)'],
])('the name of a component is its class too: %s', (selectors, written) => {
  expect(withHooks(selectors)).toBe(written);
});

test.each([
  '.card',
  '#panel',
  '.my-card .card-title',
  'nav a, code, table',
  '[title="my card"] p',
  '/* card */ p',
  'x-card',
  'card2',
  '',
])('everything else is as it was: %s', (selectors) => {
  expect(withHooks(selectors)).toBe(selectors);
});
