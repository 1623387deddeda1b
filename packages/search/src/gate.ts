/** Limits how much work is done at the same time. */
export interface Gate {
  /** Runs `work` when it is its turn. Null: too much work is waiting already. */
  run<Result>(work: () => Promise<Result>): Promise<Result | null>;
}

export function createGate(maxRunning: number, maxWaiting: number): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    async run(work) {
      if (running >= maxRunning) {
        if (waiting.length >= maxWaiting) return null;
        // the one that ends passes its place on
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
