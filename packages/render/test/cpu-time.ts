/** Milliseconds of processor time that a call takes; unlike the clock, no busy machine changes it much. */
export function cpuTime(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** What `growth` stays below where time grows with the size; it comes to 16 where it grows with the square. */
export const LINEAR = 9;
/** Milliseconds that prove nothing. */
const SOON = 300;

/**
 * How many times as long a call takes for four times the size; 0 when that is soon enough to need no reason. Compared
 * in one process, so it is the same on a slow machine. Repeated where something else, such as a collection, fell into
 * one of the two.
 */
export function growth(run: (size: number) => void, size: number): number {
  let [once, fourTimes] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 4; round++) {
    fourTimes = Math.min(
      fourTimes,
      cpuTime(() => run(4 * size)),
    );
    if (fourTimes < SOON) return 0;
    once = Math.min(
      once,
      cpuTime(() => run(size)),
    );
    if (fourTimes / once < LINEAR) break;
  }
  return fourTimes / once;
}
