import { CronExpressionParser } from 'cron-parser';
import { AppError } from '../platform/http/error.ts';

/** Shortest time between two exports of a schedule. */
const SHORTEST_MINUTES = 5;

/** Numbers, names, lists, ranges and steps; no `H`, whose times would be drawn by lot. */
const FIELD = /^(?!H|.*[,/-]H)[\dA-Z*,/?L#-]+$/i;

/**
 * The first time of a cron expression after another one, by the clock of the time zone; null when it never comes.
 * Throws for what is none.
 */
export function nextTime(cron: string, timeZone: string, after: Date): Date | null {
  const expression = CronExpressionParser.parse(cron, { tz: timeZone, currentDate: after });
  return expression.hasNext() ? expression.next().toDate() : null;
}

/** The first time of a schedule that is set now. Throws the 400 for one that is invalid, too frequent or never comes. */
export function firstTime(cron: string, timeZone: string, now: Date): Date {
  const refused = (why: string): AppError =>
    new AppError('invalid_request', `/schedule/cron: ${why}`, { param: '/schedule/cron' });
  if (!cron.split(' ').every((field) => FIELD.test(field))) {
    throw refused('fields contain numbers, names, and the signs * , - / only, such as "0 6 * * 1-5".');
  }
  let shortest: number;
  let first: Date | null;
  try {
    const { fields } = CronExpressionParser.parse(cron, { tz: timeZone, currentDate: now });
    shortest = shortestMinutes(fields.minute.values.map(Number), fields.hour.values.map(Number));
    first = nextTime(cron, timeZone, now);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : '';
    throw refused(`invalid cron expression: ${reason}.`);
  }
  if (first === null) throw refused('this time never occurs. Check the day and the month.');
  if (shortest < SHORTEST_MINUTES) {
    throw refused(
      `this occurs every ${shortest === 1 ? 'minute' : `${shortest} minutes`} at times; the minimum time between two exports is ${SHORTEST_MINUTES} minutes.`,
    );
  }
  return first;
}

/** Least number of minutes between two times of a day, or of the end of one and the start of the next. */
function shortestMinutes(minutes: readonly number[], hours: readonly number[]): number {
  const sorted = [...minutes].sort((a, b) => a - b);
  const within = sorted.slice(1).map((minute, index) => minute - sorted[index]!);
  const follows = hours.some((hour) => hours.includes((hour + 1) % 24));
  const across = follows ? [60 - sorted.at(-1)! + sorted[0]!] : [];
  return Math.min(...within, ...across, 24 * 60);
}
