/** Interruptions of a command: Ctrl-C, SIGTERM, a closed terminal, a closed pipe. */

export interface Interruption {
  /** Null: a pipe that this process writes to was closed. */
  signal: NodeJS.Signals | null;
  /** The exit code that a shell reports for it: 128 plus the number of the signal. */
  exitCode: number;
}

const SIGNALS: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
];
const BROKEN_PIPE: Interruption = { signal: null, exitCode: 141 };
/** One Ctrl-C can arrive twice, from the terminal and from npm; within this time, both count as one. */
const REPEAT_MS = 500;

type Handler = (interruption: Interruption) => void;

const handlers = new Set<Handler>();
const cleanups = new Set<() => void>();
let since: number | null = null;
let isPipeBroken = false;

/** Calls `handler` at the first interruption instead of exiting; a second interruption exits immediately. */
export function onInterruption(handler: Handler): () => void {
  handlers.add(handler);
  updateListeners();
  return () => {
    handlers.delete(handler);
    updateListeners();
  };
}

/** Resolves at the first interruption. */
export function untilInterrupted(): Promise<Interruption> {
  return new Promise((resolve) => {
    onInterruption(resolve);
  });
}

/** Runs `cleanup`, which must be synchronous, when the process exits, also when it exits by a signal. */
export function atEnd(cleanup: () => void): () => void {
  cleanups.add(cleanup);
  updateListeners();
  return () => {
    cleanups.delete(cleanup);
    updateListeners();
  };
}

/** Exits silently when the program that reads the output closes the pipe. */
export function watchOutput(onFailure: (error: NodeJS.ErrnoException, name: string) => void): void {
  for (const [name, stream] of [
    ['standard output', process.stdout],
    ['standard error', process.stderr],
  ] as const) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') return onFailure(error, name);
      if (isPipeBroken) return;
      isPipeBroken = true;
      interrupt(BROKEN_PIPE);
    });
  }
}

/** The exit code after a pipe was closed by its reader; null if no pipe was closed. */
export function brokenPipeCode(): number | null {
  return isPipeBroken ? BROKEN_PIPE.exitCode : null;
}

function interrupt(interruption: Interruption): void {
  if (handlers.size === 0) {
    end(interruption);
  } else if (since === null) {
    since = performance.now();
    for (const handler of [...handlers]) handler(interruption);
  } else if (performance.now() - since > REPEAT_MS) {
    process.exit(interruption.exitCode);
  }
}

function end({ signal, exitCode }: Interruption): void {
  runCleanups();
  if (signal === null) process.exit(exitCode);
  for (const [name, listener] of listeners) process.off(name, listener);
  // Exits by the signal itself, so that a shell that runs a script also stops.
  process.kill(process.pid, signal);
}

function runCleanups(): void {
  for (const cleanup of [...cleanups]) cleanup();
  cleanups.clear();
}

const listeners = new Map<NodeJS.Signals, () => void>();

/** Listens only while something needs it: a listener replaces the default action, which exits immediately. */
function updateListeners(): void {
  const isNeeded = handlers.size > 0 || cleanups.size > 0;
  if (isNeeded === listeners.size > 0) return;
  if (isNeeded) {
    for (const [signal, exitCode] of SIGNALS) {
      const listener = () => interrupt({ signal, exitCode });
      listeners.set(signal, listener);
      process.on(signal, listener);
    }
    process.on('exit', runCleanups);
    return;
  }
  for (const [signal, listener] of listeners) process.off(signal, listener);
  process.off('exit', runCleanups);
  listeners.clear();
}
