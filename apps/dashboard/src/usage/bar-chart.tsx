import type { UsageMonth } from '@offprint/contract';
import { axisOf, monthWords } from './chart.ts';

/**
 * A bar for each month, the newest at the end. The table beside them has the same data, so to
 * a screen reader the chart is one image with a sentence.
 */
export function BarChart({
  months,
  measure,
  format,
  label,
  isWhole = false,
}: {
  /** Newest first. */
  months: readonly UsageMonth[];
  measure: (month: UsageMonth) => number;
  format: (value: number) => string;
  /** What is counted. */
  label: string;
  /** The values have no fractions. */
  isWhole?: boolean;
}) {
  const bars = months.toReversed().map((month) => ({ month: month.month, value: measure(month) }));
  const { end, marks } = axisOf(Math.max(0, ...bars.map(({ value }) => value)), isWhole);
  const best = bars.reduce((most, bar) => (bar.value > most.value ? bar : most), { month: '', value: 0 });
  const words =
    best.value === 0
      ? `${label} by month: none in ${bars.length} months.`
      : `${label} by month. Maximum: ${format(best.value)} in ${monthWords(best.month)}.`;
  return (
    <figure>
      <div role="img" aria-label={words} className="flex h-56 gap-3 pt-2 text-faint text-xs tabular-nums">
        <div className="relative mb-6 w-12 shrink-0">
          {marks.map((mark) => (
            <span
              key={mark}
              className="-translate-y-1/2 absolute end-0"
              style={{ top: `${100 - (100 * mark) / end}%` }}
            >
              {format(mark)}
            </span>
          ))}
        </div>
        <div className="relative min-w-0 flex-1">
          <div className="absolute inset-x-0 top-0 bottom-6">
            {marks.map((mark) => (
              <div
                key={mark}
                className="absolute inset-x-0 border-t"
                style={{ top: `${100 - (100 * mark) / end}%` }}
              />
            ))}
          </div>
          <div className="relative flex h-full items-stretch gap-1 sm:gap-2">
            {bars.map(({ month, value }, index) => (
              <div
                key={month}
                className="flex min-w-0 flex-1 flex-col"
                title={`${monthWords(month)}: ${format(value)}`}
              >
                <div className="flex flex-1 items-end justify-center">
                  <div
                    className={`w-full max-w-10 rounded-t ${index === bars.length - 1 ? 'bg-primary' : 'bg-primary/55'}`}
                    style={{ height: value === 0 ? '0' : `max(2px, ${(100 * value) / end}%)` }}
                  />
                </div>
                <span
                  className={`flex h-6 justify-center whitespace-nowrap pt-1.5 ${nameClass(bars.length - 1 - index, bars.length)}`}
                >
                  {monthWords(month, 'short')}
                </span>
              </div>
            ))}
          </div>
        </div>
      </div>
    </figure>
  );
}

/** Names of months have room for some bars only; the newest always has one. */
function nameClass(fromEnd: number, bars: number): string {
  if (fromEnd % Math.ceil(bars / 12) !== 0) return 'invisible';
  return fromEnd % Math.ceil(bars / 6) === 0 ? '' : 'max-sm:invisible';
}
