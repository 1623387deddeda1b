import { expect, it } from 'vitest';
import { placeRules } from './user-styles.ts';

it.each([
  ['#banner { background-color: #0F0F0F; }', '#banner {color:#ffffff; background-color: #0F0F0F; }'],
  ['html.dark #banner{background:#fff}', 'html.dark #banner{color:#000000;background:#fff}'],
])('gives the banner a text that is readable on the ground of %s', (css, expected) => {
  expect(placeRules(css)).toBe(expected);
});

it.each(['navy', 'rgb(15 15 15)', 'rgb(15, 15, 15)', 'hsl(240deg 50% 20%)', 'oklch(0.3 0.1 250)'])(
  'leaves the color of the text on %s to browsers',
  (ground) => {
    const rule = placeRules(`#banner { background: ${ground} }`);
    expect(rule).toContain(`{color:color(from ${ground} xyz `);
    expect(rule).toContain(`; background: ${ground} }`);
  },
);

it.each([
  '#banner { background: transparent }',
  '#banner { background: rgba(0, 0, 0, 0.1) }',
  '#banner { background: rgb(0 0 0 / 10%) }',
  '#banner { background: var(--ground) }',
  '#banner { background: navy url(/a.png) }',
  '#banner { background: #000; color: red }',
  '#banner, #footer { background: #000 }',
  '#banner a { background: #000 }',
  '#banner { background: linear-gradient(#000, #fff) }',
  '#banner-x { background: #000 }',
])('leaves %s unchanged', (css) => {
  expect(placeRules(css)).toBe(css);
});
