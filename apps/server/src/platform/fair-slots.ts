export interface FairSlotsOptions {
  /** Tasks that run at the same time. */
  slots: number;
  /** Tasks of one owner that wait. */
  maxWaitingPerOwner: number;
  /** Tasks of all owners that wait. */
  maxWaiting: number;
  /** Milliseconds that a task waits for a slot. */
  maxWaitMs: number;
  /** Milliseconds after which a task gives its slot to a waiting one of another owner. */
  sliceMs: number;
}

/** Why a task got no slot. */
export class NoSlotError extends Error {
  readonly reason: 'owner-queue-full' | 'queue-full' | 'waited-too-long';
  constructor(reason: NoSlotError['reason']) {
    super(`no slot: ${reason}`);
    this.reason = reason;
  }
}

export interface FairSlots {
  /**
   * Runs a task when a slot is free. Owners take turns, and each has one running task at most. `task` gets a signal
   * that aborts with a TimeoutError if the task has used its time and others wait. Throws a NoSlotError, or the
   * reason of `signal` while the task waits.
   */
  run<Value>(
    owner: string,
    signal: AbortSignal,
    task: (slice: AbortSignal) => Promise<Value>,
  ): Promise<Value>;
}

interface Running {
  startedAt: number;
  slice: AbortController;
}

export function createFairSlots(options: FairSlotsOptions): FairSlots {
  const running = new Map<string, Running>();
  /** Owners in the order of their turns, each with the functions that start its tasks. */
  const waiting = new Map<string, (() => void)[]>();
  let waitingCount = 0;
  let sliceTimer: NodeJS.Timeout | undefined;

  const startNext = (): void => {
    for (const [owner, starts] of waiting) {
      if (running.size >= options.slots) break;
      if (!running.has(owner)) starts[0]?.();
    }
    watchSlices();
  };

  const leaveQueue = (owner: string, start: () => void): void => {
    const starts = waiting.get(owner)?.filter((other) => other !== start) ?? [];
    // The owner goes to the end of the turns.
    waiting.delete(owner);
    if (starts.length > 0) waiting.set(owner, starts);
    waitingCount -= 1;
  };

  const watchSlices = (): void => {
    clearTimeout(sliceTimer);
    const isNeeded =
      running.size >= options.slots && [...waiting.keys()].some((owner) => !running.has(owner));
    const oldest = [...running.values()].find(({ slice }) => !slice.signal.aborted);
    if (!isNeeded || oldest === undefined) return;
    const end = (): void => {
      const reason = `it used its ${options.sliceMs / 1000} s, and others wait`;
      oldest.slice.abort(new DOMException(reason, 'TimeoutError'));
    };
    sliceTimer = setTimeout(end, Math.max(0, oldest.startedAt + options.sliceMs - performance.now()));
    sliceTimer.unref();
  };

  const waitForSlot = (owner: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(owner) ?? [];
      const isFree = running.size < options.slots && !running.has(owner);
      if (!isFree && queue.length >= options.maxWaitingPerOwner) throw new NoSlotError('owner-queue-full');
      if (!isFree && waitingCount >= options.maxWaiting) throw new NoSlotError('queue-full');
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        leaveQueue(owner, start);
      };
      const start = (): void => {
        leave();
        running.set(owner, { startedAt: performance.now(), slice: new AbortController() });
        resolve();
      };
      const giveUp = (error: unknown): void => {
        leave();
        reject(error);
        watchSlices();
      };
      const abort = (): void => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(new NoSlotError('waited-too-long')), options.maxWaitMs);
      signal.addEventListener('abort', abort, { once: true });
      waiting.set(owner, [...queue, start]);
      waitingCount += 1;
      startNext();
    });

  return {
    async run(owner, signal, task) {
      signal.throwIfAborted();
      await waitForSlot(owner, signal);
      try {
        return await task(running.get(owner)!.slice.signal);
      } finally {
        running.delete(owner);
        startNext();
      }
    },
  };
}
