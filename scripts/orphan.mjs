// Notices that the process that started this one is gone.
import { readFileSync } from 'node:fs';

const POLL_MS = 500;
const SHELLS = /^(?:a|ba|da|z)?sh$/;

/**
 * Sends SIGTERM to this process when its parent has ended, or the parent of that if there is a shell between: npm passes
 * on neither SIGHUP nor its own death, and may start a script through a shell.
 */
export function stopWhenOrphaned() {
  const parent = process.ppid;
  const { name, parent: grandparent } = statusOf(parent);
  const isShell = SHELLS.test(name);
  const timer = setInterval(() => {
    if (process.ppid === parent && (!isShell || statusOf(parent).parent === grandparent)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}

/** Name and parent of a process; empty where the system does not say. */
function statusOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const end = stat.lastIndexOf(')');
    return { name: stat.slice(stat.indexOf('(') + 1, end), parent: stat.slice(end + 2).split(' ')[1] ?? '' };
  } catch {
    return { name: '', parent: '' };
  }
}
