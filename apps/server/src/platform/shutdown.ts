/** One step of a shutdown. Phases run one after another, each for `ms` milliseconds at most. */
export interface Phase {
  name: string;
  ms: number;
  run(): Promise<unknown>;
}

export interface PhaseFault {
  phase: string;
  error: Error;
}

/**
 * Runs every phase in order, also after one that failed or took too long, and returns the errors. A phase
 * that is out of time is left to itself. Never rejects.
 */
export async function runPhases(phases: readonly Phase[]): Promise<PhaseFault[]> {
  const faults: PhaseFault[] = [];
  for (const phase of phases) {
    try {
      await within(phase);
    } catch (error) {
      faults.push({ phase: phase.name, error: error instanceof Error ? error : new Error(String(error)) });
    }
  }
  return faults;
}

async function within({ name, ms, run }: Phase): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not end within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([(async () => run())(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

export interface SignalOptions {
  /** Stops everything; its errors make the exit code 1. */
  stop(signal: NodeJS.Signals): Promise<PhaseFault[]>;
  onFault(fault: PhaseFault): void;
  /** Ends the process; injected for tests. */
  exit(code: number): void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** What a shell reports for a process that was interrupted: 128 + SIGINT. */
const FORCED = 130;

/**
 * Turns the first SIGTERM or SIGINT into an orderly stop and a second one into an exit at once. Returns a
 * function that removes the listeners.
 */
export function stopOnSignal({ stop, onFault, exit }: SignalOptions): () => void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) {
      exit(FORCED);
      return;
    }
    stopping = true;
    void stop(signal)
      .catch((error: unknown) => [
        { phase: 'stop', error: error instanceof Error ? error : new Error(String(error)) },
      ])
      .then((faults) => {
        for (const fault of faults) onFault(fault);
        exit(faults.length > 0 ? 1 : 0);
      });
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}
