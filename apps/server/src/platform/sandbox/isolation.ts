import { execFile } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';

/** How a child is cut off by the kernel, beside Node's permission model. */
export interface Isolation {
  /** Program and arguments that stand before the child's own; empty = none. */
  prefix: readonly string[];
  /** No interface is up in the child: it reaches neither the network nor loopback. */
  network: boolean;
  /** The child sees and signals no process but itself. */
  processes: boolean;
  /** The kernel ends the child when this process dies. */
  diesWithParent: boolean;
}

const run = promisify(execFile);
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

function find(program: string): string | null {
  return FOLDERS.map((folder) => `${folder}/${program}`).find(existsSync) ?? null;
}

/** From the strongest to the weakest. A user namespace needs no privilege where the kernel grants one at all. */
const NAMESPACES: readonly { flags: readonly string[]; processes: boolean }[] = [
  {
    flags: [
      '--user',
      '--map-user=65534',
      '--map-group=65534',
      '--net',
      '--ipc',
      '--uts',
      '--pid',
      '--fork',
      '--kill-child=KILL',
      '--mount-proc',
    ],
    processes: true,
  },
  {
    flags: [
      '--user',
      '--map-user=65534',
      '--map-group=65534',
      '--net',
      '--ipc',
      '--pid',
      '--fork',
      '--kill-child=KILL',
    ],
    processes: true,
  },
  { flags: ['--user', '--map-user=65534', '--map-group=65534', '--net'], processes: false },
  // As root where user namespaces are off.
  { flags: ['--net', '--ipc', '--pid', '--fork', '--kill-child=KILL'], processes: true },
  { flags: ['--net'], processes: false },
];

let detected: Promise<Isolation> | undefined;

/** What this machine can do, found out by trying, once a process. */
export function detectIsolation(): Promise<Isolation> {
  detected ??= detect();
  return detected;
}

async function detect(): Promise<Isolation> {
  const unshare = find('unshare');
  const readlink = find('readlink');
  const before = await workingPrefix([find('setpriv'), '--pdeathsig', 'KILL']);
  const limits = await workingPrefix([find('prlimit'), '--core=0', '--nofile=1024:1024']);
  const privileges = await workingPrefix([find('setpriv'), '--no-new-privs']);
  const after = [...privileges, ...limits];
  const diesWithParent = before.length > 0;
  if (process.platform === 'linux' && unshare !== null && readlink !== null) {
    const own = readlinkSync('/proc/self/ns/net');
    for (const { flags, processes } of NAMESPACES) {
      const prefix = [...before, unshare, ...flags, ...after];
      const seen = await attempt([...prefix, readlink, '/proc/self/ns/net']);
      if (seen !== null && /^net:\[\d+\]$/.test(seen) && seen !== own) {
        return { prefix, network: true, processes, diesWithParent };
      }
    }
  }
  return { prefix: [...before, ...after], network: false, processes: false, diesWithParent };
}

async function workingPrefix(command: readonly (string | null)[]): Promise<string[]> {
  const program = find('true');
  if (program === null || command.includes(null)) return [];
  const prefix = command as string[];
  return (await attempt([...prefix, program])) === null ? [] : [...prefix];
}

async function attempt([program = '', ...args]: readonly string[]): Promise<string | null> {
  try {
    return (await run(program, args, { env: {}, timeout: 5_000, killSignal: 'SIGKILL' })).stdout.trim();
  } catch {
    return null;
  }
}
