import { axisOf, shortCount } from '../usage/chart.ts';

interface DayChartProps {
  /** Days as `YYYY-MM-DD`, oldest first. */
  days: readonly { day: string; value: number }[];
  /** What is counted. */
  label: string;
}

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `26 Nov`. */
export const dayWords = (day: string): string => DAY.format(new Date(`${day}T00:00:00Z`));

/**
 * A bar for each day, the newest at the end. A table below has the same data, so to a screen reader the chart is one image
 * with a sentence.
 */
export function DayChart({ days, label }: DayChartProps) {
  const { end, marks } = axisOf(Math.max(0, ...days.map(({ value }) => value)), true);
  const best = days.reduce((most, one) => (one.value > most.value ? one : most), { day: '', value: 0 });
  const words =
    best.value === 0
      ? `${label} by day: none in ${days.length} days.`
      : `${label} by day. Maximum: ${shortCount(best.value)} on ${dayWords(best.day)}.`;
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure>
      <div role="img" aria-label={words} className="flex h-48 gap-3 pt-2 text-faint text-xs tabular-nums">
        <div className="relative w-10 shrink-0">
          {marks.map((mark) => (
            <span
              key={mark}
              className="-translate-y-1/2 absolute end-0"
              style={{ top: `${100 - (100 * mark) / end}%` }}
            >
              {shortCount(mark)}
            </span>
          ))}
        </div>
        <div className="relative min-w-0 flex-1">
          {marks.map((mark) => (
            <div
              key={mark}
              className="absolute inset-x-0 border-t"
              style={{ top: `${100 - (100 * mark) / end}%` }}
            />
          ))}
          <div
            className={`relative flex h-full items-end ${days.length > 120 ? '' : days.length > 60 ? 'sm:gap-px' : 'gap-px sm:gap-0.5'}`}
          >
            {days.map(({ day, value }) => (
              <div
                key={day}
                title={`${dayWords(day)}: ${shortCount(value)}`}
                className="min-w-0 flex-1 rounded-t-xs bg-primary"
                style={{ height: value === 0 ? '0' : `max(2px, ${(100 * value) / end}%)` }}
              />
            ))}
          </div>
        </div>
      </div>
      <figcaption aria-hidden="true" className="mt-1.5 flex justify-between ps-13 text-faint text-xs">
        <span>{first === undefined ? '' : dayWords(first.day)}</span>
        <span>{last === undefined ? '' : dayWords(last.day)}</span>
      </figcaption>
    </figure>
  );
}
