import { expect, test } from 'vitest';
import { firstTime, nextTime } from './schedule.ts';

const NOW = new Date('2026-03-27T12:00:00Z');

test('times are those of the zone, also when its clocks are changed', () => {
  const times = [nextTime('0 6 * * *', 'Europe/Berlin', NOW)!];
  for (let round = 0; round < 2; round++) times.push(nextTime('0 6 * * *', 'Europe/Berlin', times.at(-1)!)!);
  expect(times.map((time) => time.toISOString())).toEqual([
    '2026-03-28T05:00:00.000Z',
    '2026-03-29T04:00:00.000Z',
    '2026-03-30T04:00:00.000Z',
  ]);
  expect(nextTime('0 6 * * *', 'UTC', NOW)?.toISOString()).toBe('2026-03-28T06:00:00.000Z');
});

test.each([
  ['*/5 * * * *', '2026-03-27T12:05:00.000Z'],
  ['0 6 * * MON-FRI', '2026-03-30T06:00:00.000Z'],
  ['30 4 1 1 *', '2027-01-01T04:30:00.000Z'],
  ['0 0 29 2 *', '2028-02-29T00:00:00.000Z'],
  ['58,2 3,9 * * *', '2026-03-28T03:02:00.000Z'],
])('%s comes first at %s', (cron, expected) => {
  expect(firstTime(cron, 'UTC', NOW).toISOString()).toBe(expected);
});

test.each([
  ['* * * * *', /every minute/],
  ['*/4 * * * *', /every 4 minutes/],
  ['0,3 0 1 1 *', /every 3 minutes/],
  ['58,1 * * * *', /every 3 minutes/],
  ['0 0 30 2 *', /invalid cron expression|never occurs/],
  ['61 * * * *', /invalid cron expression/],
  ['0 0 * * 9', /invalid cron expression/],
  ['H 5 * * *', /numbers, names/],
  ['0 5 * * ;id', /numbers, names/],
])('%s is refused with the reason', (cron, reason) => {
  expect(() => firstTime(cron, 'UTC', NOW)).toThrow(reason);
});
