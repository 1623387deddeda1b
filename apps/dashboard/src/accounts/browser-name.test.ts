import { expect, test } from 'vitest';
import { describeBrowser } from './browser-name.ts';

test('names browsers that carry the names of others', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  expect(describeBrowser(chrome)).toBe('Chrome on Linux');
  expect(describeBrowser(`${chrome} Edg/140.0.0.0`)).toBe('Edge on Linux');
  expect(
    describeBrowser(
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    ),
  ).toBe('Safari on iOS');
});

test('shows what it does not know as it came', () => {
  expect(describeBrowser(null)).toBe('Unknown client');
  expect(describeBrowser('curl/8.9.1')).toBe('curl/8.9.1');
});
