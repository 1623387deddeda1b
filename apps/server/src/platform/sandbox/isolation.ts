import { execFile } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { moduleGraph } from './grants.ts';
import { type JailPaths, jailCommand } from './jail.ts';

/** What the kernel keeps from a child, beside Node's permission model. */
export interface Isolation {
  /** It reaches neither the network nor loopback. */
  network: boolean;
  /** It sees and signals no process but itself. */
  processes: boolean;
  /** No file but those it is granted is there for it, sockets in the file system included. */
  files: boolean;
  /** It ends when this process dies, even if it is busy. */
  diesWithParent: boolean;
  /** The words that run a command like that. Paths and the program are absolute. */
  wrap(command: readonly string[], paths: JailPaths, bounds: Bounds): string[];
}

export interface Bounds {
  /** Steps of niceness, 0 to 19. */
  nice: number;
  /** CPU time after which the kernel ends the process, whatever becomes of this one. */
  cpuSeconds: number;
}

const run = promisify(execFile);
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

function find(program: string): string | null {
  return FOLDERS.map((folder) => `${folder}/${program}`).find(existsSync) ?? null;
}

const OWN_PROCESSES = ['--pid', '--fork', '--kill-child=KILL'];
const APART = ['--net', '--ipc', '--uts', '--mount', ...OWN_PROCESSES];

/** With a jail: the command that precedes it, and the capabilities that the child keeps. */
const JAILS: readonly { flags: readonly string[]; keep: readonly string[] }[] = [
  { flags: ['--user', '--map-root-user', ...APART], keep: [] },
  // As root where user namespaces are off, or where they would take the right to read what others own.
  { flags: APART, keep: ['dac_override', 'dac_read_search'] },
];
const NOBODY = ['--user', '--map-user=65534', '--map-group=65534'];

/** Without a jail, from the strongest to the weakest. User namespaces need no privilege where there are any. */
const NAMESPACES: readonly { flags: readonly string[]; processes: boolean }[] = [
  { flags: [...NOBODY, '--net', '--ipc', '--uts', '--mount-proc', ...OWN_PROCESSES], processes: true },
  { flags: [...NOBODY, '--net', '--ipc', ...OWN_PROCESSES], processes: true },
  { flags: [...NOBODY, '--net'], processes: false },
  // As root where user namespaces are off.
  { flags: ['--net', '--ipc', ...OWN_PROCESSES], processes: true },
  { flags: ['--net'], processes: false },
];

let detected: Promise<Isolation> | undefined;

/** What this machine can do, found out by trying, once a process. */
export function detectIsolation(): Promise<Isolation> {
  detected ??= detect().catch((error: unknown) => {
    detected = undefined;
    throw error;
  });
  return detected;
}

export interface IsolationLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Logs how children are isolated, for a process that is about to start some. */
export async function logIsolation(log: IsolationLog): Promise<void> {
  const { wrap: _wrap, ...facts } = await detectIsolation();
  if (facts.network) log.info(facts, 'sandbox: children have no network');
  else
    log.warn(
      facts,
      'sandbox: the kernel does not allow network namespaces, so child processes are limited by Node permissions only; allow unprivileged user namespaces to isolate their network',
    );
}

let dying: Promise<readonly string[]> | undefined;

/** Words before a command that make the kernel end it when this process dies; none where that is not offered. */
export function killWithParentPrefix(): Promise<readonly string[]> {
  dying ??= workingPrefix([find('setpriv'), '--pdeathsig', 'KILL']);
  return dying;
}

let niceness = 10;

export const childNiceness = (): number => niceness;

/** Sets the niceness of background children of this process: 0 to 19. */
export function setChildNiceness(steps: number): void {
  niceness = steps;
}

async function detect(): Promise<Isolation> {
  const bound = await killWithParentPrefix();
  const diesWithParent = bound.length > 0;
  const nice = await workingPrefix([find('nice'), '-n', '1']);
  // From the first program on: a process that runs already has threads that keep the priority they started with.
  const start = (steps: number): string[] =>
    steps === 0 || nice.length === 0 ? [...bound] : [...bound, ...nice.slice(0, -1), String(steps)];
  const prlimit = await workingPrefix([find('prlimit'), '--core=0', '--nofile=1024:1024']);
  const privileges = await workingPrefix([find('setpriv'), '--no-new-privs']);
  const [unshare, readlink, shell] = [find('unshare'), find('readlink'), find('sh')];
  const [setpriv, env] = [find('setpriv'), find('env')];
  const limits = (cpuSeconds: number): string[] => {
    if (prlimit.length > 0) return [...prlimit, `--cpu=${cpuSeconds}`];
    if (shell === null || env === null) return [];
    // The shell adds variables to the environment.
    return [shell, '-c', 'ulimit -t "$0" && exec "$@"', String(cpuSeconds), env, '-i'];
  };
  if (process.platform === 'linux' && unshare !== null && readlink !== null && shell !== null) {
    // A user namespace takes from root the right to read what others own, so that is part of the question.
    const self = fileURLToPath(import.meta.url);
    const probe = [shell, '-c', ': < "$1" && exec "$2" /proc/self/ns/net', 'probe', self, readlink];
    const graph = [process.execPath, ...moduleGraph(self)];
    const own = readlinkSync('/proc/self/ns/net');
    const bounds: Bounds = { nice: 0, cpuSeconds: ATTEMPT_MS / 1000 };
    const isApart = async (words: readonly string[]): Promise<boolean> => {
      const seen = await attempt(words);
      return seen !== null && /^net:\[\d+\]$/.test(seen) && seen !== own;
    };
    if (setpriv !== null && env !== null) {
      for (const { flags, keep } of JAILS) {
        const jailed = (command: readonly string[], paths: JailPaths, { nice, cpuSeconds }: Bounds) => {
          const limited = [...limits(cpuSeconds), ...command];
          const words = jailCommand(limited, paths, { sh: shell, setpriv, env, keep });
          return words === null ? null : [...start(nice), unshare, ...flags, ...words];
        };
        const words = jailed(probe, { readOnly: graph, writable: [] }, bounds);
        if (words === null || !(await isApart(words))) continue;
        const wrap: Isolation['wrap'] = (command, paths, bounds) =>
          jailed(command, paths, bounds) ?? [
            ...start(bounds.nice),
            unshare,
            ...flags,
            ...privileges,
            ...limits(bounds.cpuSeconds),
            ...command,
          ];
        return { network: true, processes: true, files: true, diesWithParent, wrap };
      }
    }
    for (const { flags, processes } of NAMESPACES) {
      const wrap: Isolation['wrap'] = (command, _paths, { nice, cpuSeconds }) => [
        ...start(nice),
        unshare,
        ...flags,
        ...privileges,
        ...limits(cpuSeconds),
        ...command,
      ];
      if (await isApart(wrap(probe, { readOnly: [], writable: [] }, bounds)))
        return { network: true, processes, files: false, diesWithParent, wrap };
    }
  }
  const wrap: Isolation['wrap'] = (command, _paths, { nice, cpuSeconds }) => [
    ...start(nice),
    ...privileges,
    ...limits(cpuSeconds),
    ...command,
  ];
  return { network: false, processes: false, files: false, diesWithParent, wrap };
}

async function workingPrefix(command: readonly (string | null)[]): Promise<string[]> {
  const program = find('true');
  if (program === null || command.includes(null)) return [];
  const prefix = command as string[];
  return (await attempt([...prefix, program])) === null ? [] : [...prefix];
}

/** A program that takes longer hangs; a busy machine does not take that long. */
const ATTEMPT_MS = 600_000;

/** Standard output of a program; null when it fails. Throws when it takes too long: then nothing is known. */
async function attempt([program = '', ...args]: readonly string[]): Promise<string | null> {
  try {
    return (await run(program, args, { env: {}, timeout: ATTEMPT_MS, killSignal: 'SIGKILL' })).stdout.trim();
  } catch (error) {
    if (error instanceof Error && 'killed' in error && error.killed === true)
      throw new Error(`${program} did not end within ${ATTEMPT_MS / 1000} s`, { cause: error });
    return null;
  }
}
