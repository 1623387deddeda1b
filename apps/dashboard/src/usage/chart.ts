/**
 * The end of an axis that holds `max`, and the marks on it: round numbers, few of them. `isWhole`: what is counted has no
 * fractions, so neither have the marks.
 */
export function axisOf(max: number, isWhole = false): { end: number; marks: number[] } {
  if (!(max > 0)) return { end: 1, marks: [0, 1] };
  const rough = isWhole ? Math.max(1, max / 3) : max / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    [1, 2, 2.5, 5, 10]
      .map((factor) => factor * power)
      .find((size) => size >= rough && !(isWhole && !Number.isInteger(size))) ?? 10 * power;
  const count = Math.ceil(max / step - 1e-9);
  return {
    end: round(step * count),
    marks: Array.from({ length: count + 1 }, (_, index) => round(step * index)),
  };
}

/** Without the dust of binary fractions. */
function round(value: number): number {
  return Number(value.toPrecision(12));
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const SHORT_MONTH = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });

/** A month as `YYYY-MM` for people: `June 2026`, or `Jun`. */
export function monthWords(month: string, length: 'long' | 'short' = 'long'): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return month;
  return (length === 'long' ? MONTH : SHORT_MONTH).format(date);
}

const WHOLE = new Intl.NumberFormat('en');
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `1,234,567`. */
export function countWords(value: number): string {
  return WHOLE.format(value);
}

/** `1.2M`, for where there is little room. */
export function shortCount(value: number): string {
  return COMPACT.format(value);
}

/** US dollars: cents from one dollar on, four places below; null: no price is known. */
export function costWords(value: number | null): string {
  if (value === null) return '–';
  const places = value === 0 || value >= 1 ? 2 : 4;
  return `$${new Intl.NumberFormat('en', { minimumFractionDigits: places, maximumFractionDigits: places }).format(value)}`;
}
