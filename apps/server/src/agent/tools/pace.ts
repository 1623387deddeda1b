import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work before others of the process get their turn. */
const SLICE = 20;

/** Ends long work in time and leaves others room. */
export interface Pace {
  /** False when the time is over. Throws the reason of the signal when it is aborted. */
  goOn(): Promise<boolean>;
}

/** A pace that ends after the given milliseconds. Ask it between small steps. */
export function createPace(budget: number, signal: AbortSignal): Pace {
  const end = performance.now() + budget;
  let slice = performance.now() + SLICE;
  return {
    async goOn() {
      const now = performance.now();
      if (now < slice) return true;
      await nextTurn();
      signal.throwIfAborted();
      slice = performance.now() + SLICE;
      return now < end;
    },
  };
}
