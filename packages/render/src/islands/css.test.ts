import { expect, test } from 'vitest';
import { rebaseCss } from './client/css.js';

const rebase = (url: string): string =>
  url.startsWith('/') ? `../${url.slice(1)}` : url.startsWith('https:') ? 'about:invalid' : url;

test.each([
  ['url(/a.svg)', 'url("../a.svg")'],
  ['url( /a.svg )', 'url("../a.svg")'],
  ['url("/a b.svg") no-repeat', 'url("../a b.svg") no-repeat'],
  ["url('/a.svg#x'), url(/b.svg)", 'url("../a.svg#x"), url("../b.svg")'],
  ['URL(/a.svg)', 'url("../a.svg")'],
  ['\\75rl(/a.svg)', 'url("../a.svg")'],
  ['\\000075 rl("/a.svg")', '\\000075 rl("../a.svg")'],
  ['url(\\2f a.svg)', 'url("../a.svg")'],
  ['url("\\2f a\\22 b.svg")', 'url("../a\\22 b.svg")'],
  ['url(/a\\)b.svg)', 'url("../a)b.svg")'],
  ['url(/a.svg', 'url("../a.svg")'],
  ['url("/a.svg', 'url("../a.svg"'],
  ['src("/a.svg")', 'src("../a.svg")'],
  [
    'image-set("/a.png" type("image/png") 1x, url(/b.png) 2x)',
    'image-set("../a.png" type("image/png") 1x, url("../b.png") 2x)',
  ],
  ['-webkit-image-set("/a.png" 1x)', '-webkit-image-set("../a.png" 1x)'],
  ['cross-fade(url(/a.png), (url(/b.png)))', 'cross-fade(url("../a.png"), (url("../b.png")))'],
  ['@import "/a.css"; a::before { content: "/b" }', '@import "../a.css"; a::before { content: "/b" }'],
  [
    'a { background: url(/a.png) } b { mask: url(/b.svg) }',
    'a { background: url("../a.png") } b { mask: url("../b.svg") }',
  ],
  ['url(https://other.example/a.png)', 'url("about:invalid")'],
])('%s is rebased', (css, expected) => {
  expect(rebaseCss(css, rebase)).toBe(expected);
});

test.each([
  'url(#shape)',
  'url("#shape")',
  'url(\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>\')',
  'url(data:image/png;base64,AAAA/BBB+C==)',
  'url(blob:https://x/1)',
  'url(a.png)',
  '/* url(/a.png) */ red',
  'content: "url(/a.png)"',
  'counter(a, "/b") attr(x)',
  'var(--url)',
  'calc(1px + (2px))',
  'my-url("/a")',
  'url',
  '\\',
  '"',
  'url(',
  'a)b)c',
  '',
])('%s stays as written', (css) => {
  expect(rebaseCss(css, rebase)).toBe(css);
});

test('a long text without an end takes no more than linear time', () => {
  for (const css of ['url('.repeat(30_000), '"\\'.repeat(30_000), '\\75'.repeat(30_000), '/*'.repeat(30_000)])
    expect(typeof rebaseCss(css, rebase)).toBe('string');
});
