import { openKernel } from './open-kernel.ts';

const PR_SET_DUMPABLE = 4;

/**
 * Keeps other processes of the same user, such as children, from reading the memory and the environment of this process
 * and from tracing it. Returns false where the system does not offer that.
 */
export function denyTracing(): boolean {
  const opened = openKernel();
  return !('missing' in opened) && opened.kernel.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0;
}
