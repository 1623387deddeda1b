import { useSyncExternalStore } from 'react';

const TICK_MS = 10_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds since 1970, refreshed every few seconds by one clock for the page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

const STEPS: readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [30 * 86_400, 'day', 86_400],
  [365 * 86_400, 'month', 30 * 86_400],
  [Number.POSITIVE_INFINITY, 'year', 365 * 86_400],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** How long ago, or how soon; the exact time on hover. */
export function Time({ at }: { at: string }) {
  // A time after the last tick is now, not in the future.
  const since = Math.max(useNow(), Math.min(Date.parse(at), Date.now()));
  const seconds = (Date.parse(at) - since) / 1000;
  return (
    <time dateTime={at} title={exact.format(Date.parse(at))}>
      {relativeText(seconds)}
    </time>
  );
}

function relativeText(seconds: number): string {
  if (Math.abs(seconds) < 60) return seconds > 0 ? 'in a minute' : 'just now';
  const [, unit, length] = STEPS.find(([limit]) => Math.abs(seconds) < limit)!;
  // "in 7 days" for something that is valid for a week, a second after it started.
  return relative.format(Math.round(seconds / length), unit);
}

/** How long ago, for a cell of a list: on one line, in muted text. */
export function Ago({ at }: { at: string }) {
  return (
    <span className="whitespace-nowrap text-muted">
      <Time at={at} />
    </span>
  );
}

/** The exact time. */
export function ExactTime({ at }: { at: string }) {
  return <time dateTime={at}>{exact.format(Date.parse(at))}</time>;
}

/** The day alone. */
export function Day({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exact.format(Date.parse(at))}>
      {day.format(Date.parse(at))}
    </time>
  );
}
