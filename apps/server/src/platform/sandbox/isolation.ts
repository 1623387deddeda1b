import { execFile } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Confinement, findConfinement, type SealPlan } from './confinement.ts';
import { moduleGraph } from './grants.ts';
import { type JailPaths, jailCommand } from './jail.ts';

/** A mechanism of the kernel that isolates children, beside Node's permission model. */
export type Mechanism = 'namespaces' | 'Landlock' | 'seccomp';

/** What the kernel keeps from a child, each with the mechanisms that do so; none where nothing does. */
export interface IsolationFacts {
  /** No file but those it is granted. */
  files: readonly Mechanism[];
  /** Neither the network nor sockets of this machine. */
  network: readonly Mechanism[];
  /** It starts, sees and signals no other process. */
  processes: readonly Mechanism[];
  /** Only the system calls that a render needs. */
  systemCalls: readonly Mechanism[];
  /** It ends when this process dies, even if it is busy. */
  diesWithParent: boolean;
  /** Why a mechanism is not in force, by its name. */
  missing: Readonly<Partial<Record<Mechanism, string>>>;
}

/** How children of this process are isolated. */
export interface Isolation extends IsolationFacts {
  /** What a child gives up once it has loaded its modules; null without seccomp. */
  seal: SealPlan | null;
  /** The words that run a command like that. Paths and the program are absolute; it can start no other program. */
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
  detected ??= detectMechanisms({ namespaces: true, confinement: true }).catch((error: unknown) => {
    detected = undefined;
    throw error;
  });
  return detected;
}

/** As detectIsolation, each time again and with some mechanisms only. */
export async function detectMechanisms(wanted: {
  namespaces: boolean;
  confinement: boolean;
}): Promise<Isolation> {
  const tools = await findTools();
  const namespaces = wanted.namespaces ? await detectNamespaces(tools) : null;
  const outer: Wrap =
    namespaces?.wrap ??
    ((command, _paths, bounds) => [
      ...tools.start(bounds.nice),
      ...tools.apply(bounds.cpuSeconds),
      ...command,
    ]);
  const found = wanted.confinement ? await tryConfinement(outer) : { missing: 'it is turned off' };
  const confinement = 'missing' in found ? null : found;
  const by = (isApart: boolean | undefined, own: Mechanism): Mechanism[] => [
    ...(isApart === true ? (['namespaces'] as const) : []),
    ...(confinement === null ? [] : [own]),
  ];
  return {
    files: by(namespaces?.files, 'Landlock'),
    network: by(namespaces !== null, 'seccomp'),
    processes: by(namespaces?.processes, 'seccomp'),
    systemCalls: by(false, 'seccomp'),
    diesWithParent: tools.diesWithParent,
    missing: {
      ...(namespaces === null ? { namespaces: 'this process may not create them' } : {}),
      ...('missing' in found ? { Landlock: found.missing, seccomp: found.missing } : {}),
    },
    seal: confinement?.seal ?? null,
    wrap: (command, paths, bounds) =>
      outer(confinement === null ? command : confinement.wrap(command, paths), paths, bounds),
  };
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

type Wrap = Isolation['wrap'];

interface Tools {
  diesWithParent: boolean;
  start(nice: number): string[];
  /** Takes new privileges and bounds the CPU time. */
  apply(cpuSeconds: number): string[];
  limits(cpuSeconds: number): string[];
}

async function findTools(): Promise<Tools> {
  const bound = await killWithParentPrefix();
  const nice = await workingPrefix([find('nice'), '-n', '1']);
  const prlimit = await workingPrefix([find('prlimit'), '--core=0', '--nofile=1024:1024']);
  const privileges = await workingPrefix([find('setpriv'), '--no-new-privs']);
  const [shell, env] = [find('sh'), find('env')];
  const limits = (cpuSeconds: number): string[] => {
    if (prlimit.length > 0) return [...prlimit, `--cpu=${cpuSeconds}`];
    if (shell === null || env === null) return [];
    // The shell adds variables to the environment.
    return [shell, '-c', 'ulimit -t "$0" && exec "$@"', String(cpuSeconds), env, '-i'];
  };
  return {
    diesWithParent: bound.length > 0,
    // From the first program on: a process that runs already has threads that keep the priority they started with.
    start: (steps) =>
      steps === 0 || nice.length === 0 ? [...bound] : [...bound, ...nice.slice(0, -1), String(steps)],
    apply: (cpuSeconds) => [...privileges, ...limits(cpuSeconds)],
    limits,
  };
}

/** Namespaces in which children can run, from the strongest to the weakest; null where none is allowed. */
async function detectNamespaces(
  tools: Tools,
): Promise<{ files: boolean; processes: boolean; wrap: Wrap } | null> {
  const [unshare, readlink, shell] = [find('unshare'), find('readlink'), find('sh')];
  const [setpriv, env] = [find('setpriv'), find('env')];
  if (process.platform !== 'linux' || unshare === null || readlink === null || shell === null) return null;
  // A user namespace takes from root the right to read what others own, so that is part of the question.
  const self = fileURLToPath(import.meta.url);
  const probe = [shell, '-c', ': < "$1" && exec "$2" /proc/self/ns/net', 'probe', self, readlink];
  const graph = [process.execPath, ...moduleGraph(self)];
  const own = readlinkSync('/proc/self/ns/net');
  const isApart = async (words: readonly string[]): Promise<boolean> => {
    const { output } = await attempt(words);
    return output !== null && /^net:\[\d+\]$/.test(output) && output !== own;
  };
  const simple =
    (flags: readonly string[]): Wrap =>
    (command, _paths, { nice, cpuSeconds }) => [
      ...tools.start(nice),
      unshare,
      ...flags,
      ...tools.apply(cpuSeconds),
      ...command,
    ];
  for (const { flags, keep } of setpriv === null || env === null ? [] : JAILS) {
    const jailed = (command: readonly string[], paths: JailPaths, { nice, cpuSeconds }: Bounds) => {
      const limited = [...tools.limits(cpuSeconds), ...command];
      const programs = { sh: shell, setpriv: setpriv ?? '', env: env ?? '', keep };
      const words = jailCommand(limited, paths, programs);
      return words === null ? null : [...tools.start(nice), unshare, ...flags, ...words];
    };
    const words = jailed(probe, { readOnly: graph, writable: [] }, ATTEMPT);
    if (words === null || !(await isApart(words))) continue;
    const wrap: Wrap = (command, paths, bounds) =>
      jailed(command, paths, bounds) ?? simple(flags)(command, paths, bounds);
    return { files: true, processes: true, wrap };
  }
  for (const { flags, processes } of NAMESPACES) {
    const wrap = simple(flags);
    if (await isApart(wrap(probe, { readOnly: [], writable: [] }, ATTEMPT)))
      return { files: false, processes, wrap };
  }
  return null;
}

/** Prints what a confined process gets for reading and for starting a process. */
const CONFINED = `const { readFileSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const attempt = (act) => { try { return act()?.code ?? 'done'; } catch (error) { return error.code; } };
process.stdout.write(attempt(() => void readFileSync('/proc/self/stat')) + ' ' + attempt(() => spawnSync('/bin/true').error));`;

/** Landlock and seccomp, where a child that is confined by them starts and is refused what it should be. */
async function tryConfinement(outer: Wrap): Promise<Confinement | { missing: string }> {
  const found = findConfinement();
  if ('missing' in found) return found;
  const paths = {
    readOnly: [process.execPath, ...moduleGraph(fileURLToPath(import.meta.url))],
    writable: [],
  };
  const command = [process.execPath, '-e', CONFINED];
  const { output, error } = await attempt(outer(found.wrap(command, paths), paths, ATTEMPT));
  if (output === 'EACCES EPERM') return found;
  const reason = output === null ? error : `it results in ${output}`;
  return { missing: `a confined child does not work: ${reason}` };
}

async function workingPrefix(command: readonly (string | null)[]): Promise<string[]> {
  const program = find('true');
  if (program === null || command.includes(null)) return [];
  const prefix = command as string[];
  return (await attempt([...prefix, program])).output === null ? [] : [...prefix];
}

/** A program that takes longer hangs; a busy machine does not take that long. */
const ATTEMPT_MS = 600_000;
const ATTEMPT: Bounds = { nice: 0, cpuSeconds: ATTEMPT_MS / 1000 };

/**
 * Standard output of a program; null when it fails, with the line of standard error that names the error. Throws when it takes too
 * long: then nothing is known.
 */
async function attempt([program = '', ...args]: readonly string[]): Promise<
  { output: string; error: null } | { output: null; error: string }
> {
  try {
    const { stdout } = await run(program, args, { env: {}, timeout: ATTEMPT_MS, killSignal: 'SIGKILL' });
    return { output: stdout.trim(), error: null };
  } catch (error) {
    if (error instanceof Error && 'killed' in error && error.killed === true)
      throw new Error(`${program} did not end within ${ATTEMPT_MS / 1000} s`, { cause: error });
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const lines = text.split('\n');
    return {
      output: null,
      error: lines.find((line) => /error|failed/i.test(line)) ?? (text || String(error)),
    };
  }
}
