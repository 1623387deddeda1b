/** Runs work when there is room for it. */
export type Gate = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** Lets that many run at a time; the others wait in line. An abort takes who waits out of it and throws its reason. */
export function createGate(places: number): Gate {
  let free = places;
  const line: (() => void)[] = [];

  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      const place = line.indexOf(resolve);
      if (place !== -1) line.splice(place, 1);
      reject(signal.reason);
    };
    line.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  };

  return async (signal, work) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      const next = line.shift();
      // A place goes from hand to hand, so that nobody can take it in between.
      if (next === undefined) free += 1;
      else next();
    }
  };
}
