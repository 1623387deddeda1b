import { CronExpressionParser } from 'cron-parser';
import { expect, test } from 'vitest';
import { type Cron, describeCron, nextTimes, parseCron } from './cron.ts';

function read(text: string): Cron {
  const cron = parseCron(text);
  if (typeof cron === 'string') throw new Error(cron);
  return cron;
}

test.each([
  ['0 6 * * 1-5', 'At 06:00 on Monday to Friday'],
  ['*/15 * * * *', 'Every 15 minutes every day'],
  ['0 * * * *', 'Every hour every day'],
  ['30 3 * * *', 'At 03:30 every day'],
  ['0 6,18 * * SAT,SUN', 'At 06:00 and 18:00 on Sunday and Saturday'],
  ['0 0 1 * *', 'At 00:00 on the 1st of the month'],
  ['0 0 1,15-17 jan,JUL *', 'At 00:00 on the 1st and 15th to 17th of the month in January and July'],
  ['0 9 13 * 5', 'At 09:00 on the 13th of the month and on every Friday'],
  ['0 */2 * * *', 'Every 2 hours at 0 minutes past every day'],
  ['*/10 8-17 * * 1-5', 'Every 10 minutes in the hours 08 to 17 on Monday to Friday'],
])('%s reads: %s', (text, words) => expect(describeCron(read(text))).toBe(words));

test.each([
  '',
  '* * * *',
  '60 * * * *',
  '0 24 * * *',
  '0 0 0 * *',
  '0 0 * 13 *',
  '0 0 * * 8',
  '*/0 * * * *',
  '5-1 * * * *',
  '@daily',
  '0 0 * * MO',
])('%j is refused with a sentence', (text) => expect(parseCron(text)).toBeTypeOf('string'));

/** The server schedules by cron-parser; what the page foretells must be what happens. */
test.each([
  ['0 6 * * 1-5', 'Europe/Berlin', '2026-03-27T12:00:00Z'],
  ['*/20 * * * *', 'UTC', '2026-12-31T23:30:00Z'],
  ['0 0 31 * *', 'America/New_York', '2026-01-30T00:00:00Z'],
  ['15 4 28 2 *', 'Asia/Kolkata', '2026-01-01T00:00:00Z'],
  ['0 9 13 * 5', 'Australia/Lord_Howe', '2026-09-01T00:00:00Z'],
  ['30 12 * 1,7 7', 'Pacific/Auckland', '2026-05-01T00:00:00Z'],
  ['0 3 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z'],
])('%s in %s comes when the server says', (text, timeZone, after) => {
  const server = CronExpressionParser.parse(text, { tz: timeZone, currentDate: new Date(after) });
  const expected = Array.from({ length: 5 }, () => server.next().toDate().toISOString());
  expect(nextTimes(read(text), timeZone, new Date(after), 5).map((time) => time.toISOString())).toEqual(
    expected,
  );
});

test('a time that the change of the clock leaves out still comes once that day', () => {
  const times = nextTimes(read('30 2 * * *'), 'Europe/Berlin', new Date('2026-03-28T12:00:00Z'), 2);
  expect(times.map((time) => time.toISOString())).toEqual([
    '2026-03-29T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

test('a day that never comes has no next time', () => {
  expect(nextTimes(read('0 0 30 2 *'), 'UTC', new Date('2026-01-01T00:00:00Z'), 3)).toEqual([]);
});
