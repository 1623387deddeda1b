import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** How long a process may take to end after a signal; one that needs longer is at fault. */
const END_MS = 120_000;

/**
 * Sends a signal to a process that must still run, and waits until it has ended.
 * @throws when the process had ended by itself, or is still there two minutes later; says what `log` holds.
 */
export async function kill(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
  log: () => string = () => '',
): Promise<void> {
  const name = `process ${child.pid} (${child.spawnargs.at(-1)})`;
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(
      `${name} ended by itself with ${child.exitCode ?? child.signalCode}\n${log().slice(-6_000)}`,
    );
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(END_MS) });
  child.kill(signal);
  await exited.catch(() => {
    throw new Error(`${name} did not end after ${signal} in ${END_MS / 1000} s\n${log().slice(-6_000)}`);
  });
}
