/**
 * Dates as sources write them, brought to one form: `2026-08-14`, or `2026-08-14T09:30:00Z` where the time is
 * known. Not read with `Date.parse`, which accepts different texts, in a different time zone, on each machine.
 */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH_NAMES = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The whole text as a date: RFC 3339, `2026-08-14`, or one with the name of a month; null when it is not a date. */
export function parseDate(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 60) return null;
  const text = value.trim();
  return parseTime(text) ?? (findDate(text)?.text === text ? (findDate(text)?.date ?? null) : null);
}

/**
 * The first date inside a text such as a label of a changelog: `2026-08-14`, `2026/08/14`, `August 14, 2026`,
 * `14 Aug 2026`, `August 2026` (its first day). Null without a date.
 */
export function dateIn(text: string): string | null {
  return findDate(text.slice(0, 500))?.date ?? null;
}

/** The date in the form of RSS 2.0 (RFC 822 with a year of four digits): `Fri, 14 Aug 2026 00:00:00 GMT`. */
export function rssDate(date: string): string {
  const at = new Date(date.length === 10 ? `${date}T00:00:00Z` : date);
  const pad = (number: number): string => String(number).padStart(2, '0');
  const month = MONTHS[at.getUTCMonth()] ?? '';
  const day = `${WEEKDAYS[at.getUTCDay()]}, ${pad(at.getUTCDate())} ${month[0]?.toUpperCase()}${month.slice(1)} ${String(at.getUTCFullYear()).padStart(4, '0')}`;
  return `${day} ${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())} GMT`;
}

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?$/i;

function parseTime(text: string): string | null {
  const found = TIME.exec(text);
  if (found === null) return null;
  const [, year, month, day, hour = '', minute = '', second = '00', zone = 'Z'] = found;
  const date = calendarDate(Number(year), Number(month), Number(day));
  if (date === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  const minutes =
    offset === null ? 0 : Number(`${offset[1]}1`) * (Number(offset[2]) * 60 + Number(offset[3]));
  const time = Date.parse(`${date}T${hour}:${minute}:${second}Z`) - minutes * 60_000;
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

/** Name of a month, with or without a point; the number that may follow a day is bounded, so no text is slow. */
const MONTH = `(?:${MONTHS.map((short, at) => `${short}(?:${MONTH_NAMES[at]?.slice(3) || '(?=)'})?`).join('|')}|sept)\\.?`;
const FORMS: readonly [RegExp, (parts: readonly string[]) => [number, number, number]][] = [
  [/\b(\d{4})([-/.])(\d{1,2})\2(\d{1,2})\b/, ([year, , month, day]) => numbers(year, month, day)],
  [
    new RegExp(`\\b(${MONTH})\\s{1,3}(\\d{1,2})(?:st|nd|rd|th)?,?\\s{1,3}(\\d{4})\\b`, 'i'),
    ([month, day, year]) => numbers(year, monthOf(month), day),
  ],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\.?\\s{1,3}(${MONTH}),?\\s{1,3}(\\d{4})\\b`, 'i'),
    ([day, month, year]) => numbers(year, monthOf(month), day),
  ],
  [
    new RegExp(`\\b(${MONTH}),?\\s{1,3}(\\d{4})\\b`, 'i'),
    ([month, year]) => numbers(year, monthOf(month), 1),
  ],
];

function findDate(text: string): { text: string; date: string } | null {
  for (const [pattern, read] of FORMS) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const date = calendarDate(...read(found.slice(1)));
    if (date !== null) return { text: found[0], date };
  }
  return null;
}

function numbers(year: unknown, month: unknown, day: unknown): [number, number, number] {
  return [Number(year), Number(month), Number(day)];
}

function monthOf(name: string | undefined): number {
  return MONTHS.indexOf((name ?? '').slice(0, 3).toLowerCase()) + 1;
}

/** Null for a day that does not exist. */
function calendarDate(year: number, month: number, day: number): string | null {
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  if (at.getUTCFullYear() !== year || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return null;
  return at.toISOString().slice(0, 10);
}
