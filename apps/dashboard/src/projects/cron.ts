import { upperFirst } from '../ui/format.ts';

/** The values that each field of a cron expression allows. */
export interface Cron {
  minutes: number[];
  hours: number[];
  /** Days of the month; null: any. */
  days: number[] | null;
  months: number[];
  /** 0 is Sunday; null: any. */
  weekdays: number[] | null;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const FIELDS: { name: string; from: number; to: number; names?: string[] }[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: ['', ...MONTHS] },
  { name: 'day of week', from: 0, to: 7, names: WEEKDAYS },
];

/** Reads a cron expression of five fields, or says in one sentence what is wrong with it. */
export function parseCron(text: string): Cron | string {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5)
    return 'A cron expression has five fields: minute, hour, day of month, month, day of week.';
  const values: number[][] = [];
  for (const [at, field] of FIELDS.entries()) {
    const found = parseField(fields[at]!, field);
    if (found === null)
      return `Invalid ${field.name} “${fields[at]}”. Use numbers from ${field.from} to ${at === 4 ? 6 : field.to}, lists (1,2), ranges (1-5) or steps (*/15).`;
    values.push(found);
  }
  const weekdays = [...new Set(values[4]!.map((day) => day % 7))].sort((a, b) => a - b);
  return {
    minutes: values[0]!,
    hours: values[1]!,
    days: fields[2]!.startsWith('*') && values[2]!.length === 31 ? null : values[2]!,
    months: values[3]!,
    weekdays: weekdays.length === 7 ? null : weekdays,
  };
}

function parseField(text: string, { from, to, names }: (typeof FIELDS)[number]): number[] | null {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, range, step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (range === undefined || step === '0' || step === '00') return null;
    const ends = range === '*' ? [String(from), String(to === 7 ? 6 : to)] : range.split('-');
    const first = value(ends[0]!, names);
    const last =
      ends.length === 1 ? (step === undefined ? first : to === 7 ? 6 : to) : value(ends[1]!, names);
    if (ends.length > 2 || first === null || last === null || first < from || last > to || first > last)
      return null;
    for (let n = first; n <= last; n += Number(step ?? 1)) values.add(n);
  }
  return [...values].sort((a, b) => a - b);
}

function value(text: string, names: string[] | undefined): number | null {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const at =
    names?.findIndex((name) => name !== '' && name.slice(0, 3).toLowerCase() === text.toLowerCase()) ?? -1;
  return at === -1 ? null : at;
}

/** What an expression means, for people: “Monday to Friday at 06:00”. */
export function describeCron(cron: Cron): string {
  const days = describeDays(cron);
  const months =
    cron.months.length === 12 ? '' : ` in ${join(cron.months.map((month) => MONTHS[month - 1]!))}`;
  return `${upperFirst(`${describeTime(cron)}${days}`)}${months}`;
}

function describeTime({ minutes, hours }: Cron): string {
  const step = stepOf(minutes, 60);
  if (hours.length === 24) {
    if (minutes.length === 60) return 'every minute';
    if (minutes.length === 1)
      return minutes[0] === 0 ? 'every hour' : `every hour at ${minutes[0]} minutes past`;
    return step === null
      ? `every hour at ${join(minutes.map(String))} minutes past`
      : `every ${step} minutes`;
  }
  const hourStep = stepOf(hours, 24);
  if (minutes.length === 1 && hourStep !== null && hours.length > 4)
    return `every ${hourStep} hours at ${minutes[0]} minutes past`;
  if (minutes.length * hours.length <= 6)
    return `at ${join(hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`)))}`;
  const often =
    minutes.length === 60
      ? 'every minute'
      : step === null
        ? `at ${join(minutes.map(String))} minutes past`
        : `every ${step} minutes`;
  return `${often} in the hours ${join(runs(hours).map(([a, b]) => (a === b ? two(a) : `${two(a)} to ${two(b)}`)))}`;
}

function describeDays({ days, weekdays }: Cron): string {
  const week =
    weekdays === null
      ? null
      : join(
          runs(weekdays).flatMap(([a, b]) =>
            b - a >= 2
              ? [`${WEEKDAYS[a]} to ${WEEKDAYS[b]}`]
              : b > a
                ? [WEEKDAYS[a]!, WEEKDAYS[b]!]
                : [WEEKDAYS[a]!],
          ),
        );
  const month =
    days === null
      ? null
      : `the ${join(runs(days).map(([a, b]) => (a === b ? ordinal(a) : `${ordinal(a)} to ${ordinal(b)}`)))} of the month`;
  if (week !== null && month !== null) return ` on ${month} and on every ${week}`;
  if (week !== null) return ` on ${week}`;
  return month === null ? ' every day' : ` on ${month}`;
}

/** The distance of evenly spread values that start at 0 and fill the span; else null. */
function stepOf(values: number[], span: number): number | null {
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  if (values.length < 2 || values[0] !== 0 || span % step !== 0) return null;
  return values.length === span / step && values.every((n, at) => n === at * step) ? step : null;
}

function runs(values: number[]): [first: number, last: number][] {
  const found: [number, number][] = [];
  for (const n of values) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === n - 1) last[1] = n;
    else found.push([n, n]);
  }
  return found;
}

function join(words: string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function ordinal(n: number): string {
  const suffix = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${suffix}`;
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}

const DAY = 86_400_000;

/**
 * The next times of an expression in a time zone. A time that a change of the clock leaves out is moved on by
 * the change; one that comes twice counts once. Empty if the next eight years have none.
 */
export function nextTimes(cron: Cron, timeZone: string, after: Date, count: number): Date[] {
  const times: Date[] = [];
  const offset = offsetIn(timeZone);
  const local = new Date(after.getTime() + offset(after.getTime()));
  let day = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate());
  for (let tried = 0; tried < 366 * 8 && times.length < count; tried++, day += DAY) {
    if (!matchesDay(cron, new Date(day))) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const wall = day + (hour * 60 + minute) * 60_000;
        const time = fromWall(wall, offset);
        const last = times.at(-1)?.getTime() ?? after.getTime();
        if (time > last && times.length < count) times.push(new Date(time));
      }
    }
  }
  return times;
}

function matchesDay({ days, months, weekdays }: Cron, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const isDay = days?.includes(date.getUTCDate());
  const isWeekday = weekdays?.includes(date.getUTCDay());
  // cron fires on either when both are given
  return isDay === undefined ? (isWeekday ?? true) : isDay || (isWeekday ?? false);
}

/** The instant that a clock on the wall shows `wall` at. */
function fromWall(wall: number, offset: (time: number) => number): number {
  const first = wall - offset(wall - DAY);
  const second = wall - offset(first);
  return second + offset(second) === wall ? second : first;
}

/** Milliseconds that a time zone is ahead of UTC at an instant. */
function offsetIn(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (time) => {
    const part: Record<string, number> = {};
    for (const { type, value: text } of format.formatToParts(time)) part[type] = Number(text);
    const wall = Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!, part.second!);
    return wall - Math.floor(time / 1000) * 1000;
  };
}

/** Whether the browser knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name !== '';
  } catch {
    return false;
  }
}
