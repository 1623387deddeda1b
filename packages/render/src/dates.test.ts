import { expect, test } from 'vitest';
import { dateIn, parseDate, rssDate } from './dates.ts';

test.each([
  ['2026-08-14', '2026-08-14'],
  ['2026-08-14T09:30:00Z', '2026-08-14T09:30:00Z'],
  ['2026-08-14T09:30:00.123+02:00', '2026-08-14T07:30:00Z'],
  ['2026-01-01 00:30:00 +0100', '2025-12-31T23:30:00Z'],
  ['August 14, 2026', '2026-08-14'],
  ['14 Aug 2026', '2026-08-14'],
  ['May 2026', '2026-05-01'],
  ['Sept. 3rd, 2026', '2026-09-03'],
])('%s is the date %s', (text, date) => expect(parseDate(text)).toBe(date));

test.each([
  '',
  'soon',
  '2026-02-30',
  '2026-13-01',
  '2026-08-14 is the day',
  '2026-08-14T25:00:00Z',
  'Maybe 2026',
  20260814,
  null,
])('%j is not a date', (text) => expect(parseDate(text)).toBeNull());

test('a label may hold a date among other words', () => {
  expect(dateIn('v2.1 (March 3, 2025)')).toBe('2025-03-03');
  expect(dateIn('Release 2024-05-06: fixes')).toBe('2024-05-06');
  expect(dateIn('v1.2.3')).toBeNull();
  expect(dateIn('mayor 2024')).toBeNull();
});

test('feeds say dates in the form of RFC 822', () => {
  expect(rssDate('2026-08-14')).toBe('Fri, 14 Aug 2026 00:00:00 GMT');
  expect(rssDate('2025-01-01T23:04:05Z')).toBe('Wed, 01 Jan 2025 23:04:05 GMT');
});
