/** Temporary folders of a command, which are removed when it exits for any reason. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './interruption.ts';

export interface WorkFolder {
  path: string;
  remove(): void;
}

/** Age after which folders of older versions, whose names do not contain the process, are stale. */
const UNNAMED_MAX_AGE_MS = 24 * 3_600_000;

/**
 * Creates an empty folder `<prefix><machine>-<process>-XXXXXX` below `parent` and removes those that crashed processes of
 * this machine left there. Only this user can read it.
 */
export function createWorkFolder(parent: string, prefix: string): WorkFolder {
  removeStale(parent, prefix);
  let made: string | null = null;
  // Registered before the folder exists: a signal may arrive at any moment.
  const forget = atEnd(() => {
    if (made !== null) removeFolder(made);
  });
  const path = mkdtempSync(join(parent, `${prefix}${machine()}-${process.pid}.${startOf(process.pid)}-`));
  made = path;
  return {
    path,
    remove() {
      removeFolder(path);
      forget();
    },
  };
}

/** Removes folders with the prefix that crashed commands left below `parent`; keeps those that may be in use. */
export function removeStale(parent: string, prefix: string): void {
  let names: string[];
  try {
    names = readdirSync(parent).filter((name) => name.startsWith(prefix));
  } catch {
    return;
  }
  for (const name of names) {
    const path = join(parent, name);
    try {
      const info = lstatSync(path);
      const isOwn = process.getuid === undefined || info.uid === process.getuid();
      if (info.isDirectory() && isOwn && isStale(name.slice(prefix.length), info.mtimeMs)) removeFolder(path);
    } catch {
      // Another process has removed it.
    }
  }
}

function isStale(rest: string, mtimeMs: number): boolean {
  const named = /^([0-9a-f]{8})-(\d+)\.(\d+)-[A-Za-z0-9]{6}$/.exec(rest);
  if (named === null) return /^[A-Za-z0-9]{6}$/.test(rest) && Date.now() - mtimeMs > UNNAMED_MAX_AGE_MS;
  const [, owner, pid, start] = named;
  return owner === machine() && !(isRunning(Number(pid)) && startOf(Number(pid)) === start);
}

/** Identifies the machine and the PID namespace: process ids are only unique within one. */
function machine(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux.
  }
  return createHash('sha256').update(`${hostname()}\0${namespace}`).digest('hex').slice(0, 8);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH';
  }
}

/** Start time of a process in ticks since boot, to detect a reused process id; 0 if unknown. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The next run tries again.
  }
}
