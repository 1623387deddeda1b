import { expect, test } from 'vitest';
import { containsAddress, containsRange } from './network.ts';

test.each([
  ['10.0.0.0/8', '10.1.0.0/16', true],
  ['10.0.0.0/8', '10.0.0.0/8', true],
  ['10.0.0.0/16', '10.0.0.0/8', false],
  ['10.0.0.0/16', '10.0.3.4/15', false],
  ['10.0.0.0/16', '10.1.0.0/24', false],
  ['10.0.0.7/24', '10.0.0.200/32', true],
  ['2001:db8::/32', '2001:db8:1::/48', true],
  ['2001:db8::/32', '2001:db8::/31', false],
  ['2001:db8::/32', '2001:db9::/48', false],
  ['10.0.0.0/8', '2001:db8::/32', false],
  ['2001:db8::/16', '10.0.0.0/24', false],
])('%s contains all of %s: %s', (outer, inner, expected) => {
  expect(containsRange([outer], inner)).toBe(expected);
  expect(containsRange(['192.0.2.0/24', outer], inner)).toBe(expected);
});

test('a range is not contained in two ranges that cover it together', () => {
  expect(containsRange(['10.0.0.0/9', '10.128.0.0/9'], '10.0.0.0/8')).toBe(false);
});

test('no range contains an address, and an address mapped to IPv6 counts as IPv4', () => {
  expect(containsAddress([], '10.0.0.1')).toBe(false);
  expect(containsAddress(['10.0.0.0/8'], '::ffff:10.0.0.1')).toBe(true);
  expect(containsAddress(['10.0.0.0/8'], 'fe80::1%eth0')).toBe(false);
  expect(containsAddress(['2001:db8::/32'], '2001:db8::5')).toBe(true);
});
