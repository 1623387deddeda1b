// Notices that the process that started this one is gone.
import { readFileSync } from 'node:fs';

const POLL_MS = 500;

/**
 * Sends SIGTERM to this process when its parent, or the parent of that, has ended. npm passes on neither SIGHUP nor its
 * own death, and there may be a shell between npm and this process.
 */
export function stopWhenOrphaned() {
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOf(parent) === grandparent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}

/** Null where the system does not say. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  } catch {
    return null;
  }
}
