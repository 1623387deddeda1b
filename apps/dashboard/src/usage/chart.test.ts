import { expect, test } from 'vitest';
import { axisOf, costWords, monthWords, shortCount } from './chart.ts';

test('an axis ends at or above the largest value, with few round marks from 0', () => {
  for (const most of [0.0031, 0.9, 1, 2, 3, 7, 10, 11, 99, 100, 101, 1234, 5_000_000, 123_456_789]) {
    const { end, marks } = axisOf(most);
    expect(end, `${most}`).toBeGreaterThanOrEqual(most);
    expect(end, `${most}`).toBeLessThan(most * 2.01);
    expect(marks[0]).toBe(0);
    expect(marks.at(-1)).toBe(end);
    expect(marks.length, `${most}`).toBeLessThanOrEqual(5);
  }
  for (let max = 1; max < 200; max += 1) {
    const { end, marks } = axisOf(max, true);
    expect(marks.every(Number.isInteger), `${max}: ${marks}`).toBe(true);
    expect(end).toBeGreaterThanOrEqual(max);
    expect(marks.length, `${max}`).toBeLessThanOrEqual(5);
  }
  expect(axisOf(1, true)).toEqual({ end: 1, marks: [0, 1] });
  expect(axisOf(0)).toEqual({ end: 1, marks: [0, 1] });
  expect(axisOf(Number.NaN)).toEqual({ end: 1, marks: [0, 1] });
});

test('months, counts and money read as people write them', () => {
  expect(monthWords('2026-01')).toBe('January 2026');
  expect(monthWords('2026-12', 'short')).toBe('Dec');
  expect(shortCount(1_234_567)).toBe('1.2M');
  expect([costWords(null), costWords(0), costWords(0.0312), costWords(1234.5)]).toEqual([
    '–',
    '$0.00',
    '$0.0312',
    '$1,234.50',
  ]);
});
