/** Milliseconds of processor time that a call takes; unlike the clock, no busy machine changes it much. */
export function cpuTime(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Milliseconds of `STEPS` on the machine that limits in tests are written for. */
const REFERENCE_MS = 100;
const STEPS = 100_000_000;

/**
 * How many times as long this machine computes as the one that limits in tests are written for; at least 1. The speed of
 * a virtual machine changes within seconds, so ask right before or after what is measured.
 */
export function slowness(): number {
  const ms = cpuTime(() => {
    let sum = 0;
    for (let step = 0; step < STEPS; step++) sum += step;
    if (sum === 0) throw new Error('unreachable');
  });
  return Math.max(1, ms / REFERENCE_MS);
}

/** How many times as large the larger of two samples is. */
const FACTOR = 8;
/**
 * What `growth` stays below where time grows with the size; it comes to 64 where it grows with the square. Between the
 * two is room for a machine whose speed changes by a factor of three.
 */
export const LINEAR = 3 * FACTOR;
/** Milliseconds that prove nothing. */
const SOON = 300;
const ROUNDS = 6;

/**
 * How many times as long a call takes for eight times the size; 0 when that is soon enough to need no reason. Compared
 * in one process, so it is the same on a slow machine. Repeated where something else, such as a collection, fell into
 * one of the two.
 */
export function growth(run: (size: number) => void, size: number): number {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    large = Math.min(
      large,
      cpuTime(() => run(FACTOR * size)),
    );
    if (large < SOON) return 0;
    small = Math.min(
      small,
      cpuTime(() => run(size)),
    );
    if (large / small < LINEAR) break;
  }
  return large / small;
}
