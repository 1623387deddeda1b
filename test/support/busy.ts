import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Four for each core. */
const BUSY_PROCESSES = 4 * availableParallelism();
/** After this a busy process ends by itself, should nobody end it. */
const BUSY_MS = 1_800_000;

/** Starts processes that use all the CPU time they get. */
export function keepBusy(): { stop(): void } {
  const script = `const end = Date.now() + ${BUSY_MS}; while (Date.now() < end);`;
  const busy: ChildProcess[] = Array.from({ length: BUSY_PROCESSES }, () =>
    spawn(process.execPath, ['-e', script], { stdio: 'ignore' }),
  );
  return {
    stop: () => {
      for (const child of busy) child.kill('SIGKILL');
    },
  };
}
