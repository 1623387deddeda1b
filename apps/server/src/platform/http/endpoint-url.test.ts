import { expect, test } from 'vitest';
import { checkedUrl } from './endpoint-url.ts';

test('an error of the URL of an endpoint names the field as other errors do, and its pointer', () => {
  const check = (allowed: readonly string[]) =>
    checkedUrl('http://127.0.0.1:11434/v1/', allowed, '/model/baseUrl');
  expect(() => check([])).toThrow(
    expect.objectContaining({
      message:
        'model.baseUrl must be an https URL. An operator can allow http to 127.0.0.1 by naming it in OFFPRINT_ALLOW_PRIVATE_HOSTS.',
      param: '/model/baseUrl',
    }),
  );
  expect(check(['127.0.0.1'])).toBe('http://127.0.0.1:11434/v1');
});
