import { expect, it } from 'vitest';
import { placeRules } from './user-styles.ts';

it.each([
  ['#banner { background-color: #0F0F0F; }', '#banner {color:#ffffff; background-color: #0F0F0F; }'],
  ['html.dark #banner{background:#fff}', 'html.dark #banner{color:#000000;background:#fff}'],
])('gives the banner a text that is readable on the ground of %s', (css, expected) => {
  expect(placeRules(css)).toBe(expected);
});

it.each([
  '#banner { background: #000; color: red }',
  '#banner, #footer { background: #000 }',
  '#banner a { background: #000 }',
  '#banner { background: linear-gradient(#000, #fff) }',
  '#banner-x { background: #000 }',
])('leaves %s unchanged', (css) => {
  expect(placeRules(css)).toBe(css);
});
