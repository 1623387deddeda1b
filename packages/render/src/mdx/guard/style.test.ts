import { expect, test } from 'vitest';
import { styleText } from './style.ts';

test.each([
  ['a text', 'color:red;mask-image:url(https://other.test/icon.svg)'],
  ['an object', { color: 'red', maskImage: 'url(https://other.test/icon.svg)' }],
])('a mask that pages do not load hides its element: %s', (_, style) => {
  expect(styleText(style)).toBe('color:red;mask-image:linear-gradient(#0000,#0000)');
});

test('other images that pages do not load are left out', () => {
  expect(styleText('color:red;background:url(https://other.test/a.png)')).toBe('color:red');
});

test('a mask of the docs folder is kept', () => {
  expect(styleText({ WebkitMask: 'url(/a.svg) no-repeat' }, () => 'a.svg')).toBe(
    '-webkit-mask:url("a.svg") no-repeat',
  );
});
