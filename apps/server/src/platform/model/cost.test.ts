import { expect, test } from 'vitest';
import { costOf, estimateTokens, roundCost } from './cost.ts';

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

test('every token is paid once, at the price of its kind', () => {
  const usage = {
    input: 1_000_000,
    output: 100_000,
    cacheRead: 600_000,
    cacheWrite: 300_000,
    reasoning: 90_000,
  };
  // 100k plain * 3 + 600k * 0.3 + 300k * 3.75 + 100k out * 15; reasoning is part of the output.
  expect(costOf(usage, PRICE)).toBeCloseTo(0.3 + 0.18 + 1.125 + 1.5, 10);
});

test('a server that counts cached tokens beside the input makes no negative cost', () => {
  const usage = { input: 10, output: 0, cacheRead: 1_000_000, cacheWrite: 0, reasoning: 0 };
  expect(costOf(usage, PRICE)).toBeCloseTo(0.3, 10);
});

test('without a price nothing is said of cost', () => {
  expect(costOf({ input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, null)).toBeNull();
});

test('a sum of costs has no rest of binary fractions', () => {
  expect(roundCost(0.026771999999999997)).toBe(0.026772);
  expect(roundCost(0.1 + 0.2)).toBe(0.3);
});

test('tokens are estimated by bytes, so that text beyond ASCII is not taken for short', () => {
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('a'.repeat(35))).toBe(10);
  expect(estimateTokens('日'.repeat(35))).toBe(30);
});
