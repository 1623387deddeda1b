/** The processes of one platform, found by its folder: nothing else on the machine is read or killed. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Process } from './check.ts';

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // One that has ended and waits for its parent does nothing any more.
  return state === 'Z' ? Number.NaN : Number(parent);
}

function roleOf(command: string): Process['role'] {
  if (/embedded\/guard\.[jt]s/.test(command)) return 'guard';
  return /^postgres: |\/bin\/postgres /.test(command) ? 'postgres' : 'other';
}

/** Every process whose arguments, folder or environment names `root`, except this one. */
export function findProcesses(root: string): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    const isOurs =
      command.includes(root) || folderOf(pid).startsWith(root) || read(`/proc/${pid}/environ`).includes(root);
    const parent = parentOf(pid);
    return isOurs && Number.isInteger(parent) ? [{ pid, parent, role: roleOf(command), command }] : [];
  });
}

/** Whether one of the ancestors of a process is `ancestor`. */
export function isBelow(processes: readonly Process[], pid: number, ancestor: number): boolean {
  const parents = new Map(processes.map((one) => [one.pid, one.parent]));
  for (let at = parents.get(pid); at !== undefined; at = parents.get(at)) if (at === ancestor) return true;
  return false;
}

/** The sandboxed child processes below a worker; `isActive`: it has docs to read, and does not only wait. */
export function findChildren(
  processes: readonly Process[],
  worker: number,
): { pid: number; isActive: boolean }[] {
  return processes.flatMap(({ pid, command }) => {
    if (!isBelow(processes, pid, worker)) return [];
    const output = /--allow-fs-write=(\S+)\/output /.exec(command)?.[1];
    // The wrappers of the sandbox contain the same arguments; the program itself starts with Node.
    if (output === undefined || !/^\S*node\S* --permission/.test(command)) return [];
    return [{ pid, isActive: namesIn(`${output}/source`).length > 0 }];
  });
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
