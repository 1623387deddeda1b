import { expect, test } from 'vitest';
import { placeRules } from './user-styles.ts';

test.each([
  ['* { margin: 0 }', '@layer base{* { margin: 0 }}'],
  ['h1, a:hover {color:red}', '@layer base{h1, a:hover {color:red}}'],
  ['/* a */\np { x: "}" }', '/* a */\n@layer base{p { x: "}" }}'],
  [
    '@media (width > 1px) { p { a: b } .x { a: b } }',
    '@media (width > 1px) { @layer base{p { a: b }} .x { a: b } }',
  ],
])('a rule that names elements only is placed below the theme: %s', (css, placed) => {
  expect(placeRules(css)).toBe(placed);
});

test.each([
  '.card { a: b }',
  '#navbar a { a: b }',
  'a[href] { a: b }',
  'html, body { font: x }',
  'body > p { a: b }',
  ':root { --a: b }',
  '::selection { a: b }',
  '@import "a.css";\n@font-face { src: url(a;b) }\n@keyframes x { from { a: b } }',
  'p { a: b',
  'p } a { b',
  '',
])('everything else is as it was: %s', (css) => {
  expect(placeRules(css)).toBe(css);
});

test('a large sheet takes time in proportion', () => {
  const css = '.a{b:c}\np{d:e}\n'.repeat(50_000);
  expect(placeRules(css)).toContain('@layer base{p{d:e}}');
});
