import { threadCpuUsage } from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work before others of the process get their turn. */
const SLICE = 20;

/** Ends long work in time and leaves others room. */
export interface Pace {
  /** False when the budget is spent. Throws the reason of the signal when it is aborted. */
  goOn(): Promise<boolean>;
}

/** Milliseconds of CPU time of this thread. */
function cpuTime(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * A pace that ends after the given milliseconds of CPU time, so that other processes of the machine do not change a
 * result. Ask it between small steps.
 */
export function createPace(budget: number, signal: AbortSignal, cpu: () => number = cpuTime): Pace {
  let left = budget;
  let started = cpu();
  let slice = performance.now() + SLICE;
  return {
    async goOn() {
      if (performance.now() < slice) return true;
      left -= cpu() - started;
      await nextTurn();
      signal.throwIfAborted();
      started = cpu();
      slice = performance.now() + SLICE;
      return left > 0;
    },
  };
}
