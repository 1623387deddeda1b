/** Ends a command whose process is blocked by one page. */
import { Worker } from 'node:worker_threads';

export interface PageGuard {
  /** Notes the file that is processed from now on; null: none. */
  onPage(file: string | null): void;
  end(): void;
}

/** CPU time of the process for one page. The pages of real docs need less than a second. */
const PAGE_CPU_MS = 30_000;
const POLL_MS = 500;
const MAX_FILE_BYTES = 1_000;

/**
 * Watches from a thread, because a blocked process handles neither timers nor signals: names the page on standard
 * error and ends the process by SIGKILL. The next command removes what it leaves.
 */
export function createPageGuard(cpuMs = PAGE_CPU_MS): PageGuard {
  // How many pages so far, and the length of the name that follows; 0 between pages.
  const state = new Int32Array(new SharedArrayBuffer(8));
  const name = new Uint8Array(new SharedArrayBuffer(MAX_FILE_BYTES));
  const encoder = new TextEncoder();
  const thread = new Worker(THREAD, { eval: true, workerData: { state, name, cpuMs, pollMs: POLL_MS } });
  thread.unref();
  return {
    onPage(file) {
      Atomics.store(state, 1, file === null ? 0 : encoder.encodeInto(file, name).written);
      Atomics.add(state, 0, 1);
    },
    end: () => void thread.terminate(),
  };
}

/** In one string, because the packed program has no separate file for it. */
const THREAD = `
const { workerData: { state, name, cpuMs, pollMs } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
let seen = -1;
let start = 0;
setInterval(() => {
  const page = Atomics.load(state, 0);
  const length = Atomics.load(state, 1);
  if (page !== seen || length === 0) {
    seen = page;
    start = used();
  } else if (used() - start > cpuMs) {
    const file = new TextDecoder().decode(name.slice(0, length)).replace(/\\p{C}/gu, '\\uFFFD');
    const text = 'offprint: ' + file + ' needs more than ' + cpuMs / 1000
      + ' s of CPU time. Make this page smaller, or exclude it with .mintignore.\\n';
    try { writeSync(2, '\\n' + text); } finally { process.kill(process.pid, 'SIGKILL'); }
  }
}, pollMs);
`;
