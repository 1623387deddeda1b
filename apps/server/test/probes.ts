/**
 * What a hostile render process tries, by JavaScript and by native code. Each probe resolves when it succeeds and throws
 * when it is refused; without isolation it succeeds.
 */
import { fork, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import {
  constants,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { close as closeInspector, open as openInspector } from 'node:inspector';
import { connect, createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { CallName, NativeCalls, Word } from './native-calls.ts';

export interface ProbeTargets {
  /** Folder of everything below; not granted itself. */
  root: string;
  /** Granted for reading; contains `evil.node`. */
  readable: string;
  /** Granted for writing. */
  writable: string;
  secret: string;
  /** A page of another organization, in a folder of its own. */
  otherPage: string;
  otherFolder: string;
  /** A file that may be damaged; not granted. */
  victim: string;
  /** The process that started the child, and the render process of another organization. */
  parent: number;
  other: number;
  tcp4: number;
  tcp6: number;
  udp: number;
  socket: string;
  abstract: string;
  /** A native module of the platform that no render needs. */
  unlisted: string;
}

export interface Probe {
  /** Only root can do it without isolation. */
  privileged?: true;
  /** A container refuses it as well. */
  namespaces?: true;
  run(targets: ProbeTargets, native: NativeCalls): unknown;
}

const AT_FDCWD = -100;
const SIGCHLD = 17;
const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const bytes = (length: number): Buffer => Buffer.alloc(length);

const script: Record<string, Probe['run']> = {
  'TCP connection to 127.0.0.1': ({ tcp4 }) => connected({ port: tcp4, host: '127.0.0.1' }),
  'TCP connection to ::1': ({ tcp6 }) => connected({ port: tcp6, host: '::1' }),
  'connection to a Unix socket': ({ socket }) => connected({ path: socket }),
  'connection to an abstract Unix socket': ({ abstract }) => connected({ path: `\0${abstract}` }),
  'listening on a TCP port': () =>
    new Promise<void>((resolve, reject) => {
      const server = createServer().on('error', reject);
      server.listen(0, '127.0.0.1', () => server.close(() => resolve()));
    }),
  'UDP datagram': ({ udp }) =>
    new Promise<void>((resolve, reject) => {
      const socket = createSocket('udp4').on('error', reject);
      socket.send('x', udp, '127.0.0.1', (error) => {
        socket.close();
        if (error === null) resolve();
        else reject(error);
      });
    }),
  'DNS query': async ({ udp }) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${udp}`]);
    await resolver.resolve4('probe.example').catch((error: NodeJS.ErrnoException) => {
      // The server received the query and refused it.
      if (error.code !== 'EREFUSED') throw error;
    });
  },
  'reading a secret': ({ secret }) => readFileSync(secret),
  'reading /etc/passwd': () => readFileSync('/etc/passwd'),
  'reading a page of another organization': ({ otherPage }) => readFileSync(otherPage),
  'listing the folder of another organization': ({ otherFolder }) => readdirSync(otherFolder),
  'listing /': () => readdirSync('/'),
  'reading through dots': ({ writable, root, secret }) =>
    readFileSync(`${writable}/..${secret.slice(root.length)}`),
  'reading through a symbolic link': ({ writable, secret }) => {
    symlinkSync(secret, `${writable}/symbolic`);
    return readFileSync(`${writable}/symbolic`);
  },
  'reading through a hard link': ({ writable, secret }) => {
    linkSync(secret, `${writable}/hard`);
    return readFileSync(`${writable}/hard`);
  },
  'moving a file out of the output': ({ writable, root }) => {
    writeFileSync(`${writable}/mine`, 'x');
    renameSync(`${writable}/mine`, `${root}/moved`);
  },
  'writing outside of the output': ({ root }) => writeFileSync(`${root}/escaped`, 'x'),
  'changing a page of the source': ({ readable }) => writeFileSync(`${readable}/page.md`, 'changed'),
  'reading its own environment in /proc': () => readFileSync('/proc/self/environ'),
  'reading the environment of its parent': ({ parent }) => readFileSync(`/proc/${parent}/environ`),
  'reading the memory of its parent': ({ parent }) =>
    readSync(openSync(`/proc/${parent}/mem`, 'r'), bytes(1), 0, 1, mappedAddress(parent)),
  'a variable of the environment': () => {
    if (process.env.PROBE_SECRET === undefined) throw Object.assign(new Error('unset'), { code: 'unset' });
  },
  'spawning a program': () => throwError(spawnSync('/bin/true').error),
  'forking Node': () =>
    new Promise<void>((resolve, reject) => {
      const child = fork('/dev/null', [], { stdio: 'ignore' }).on('error', reject);
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`status ${code}`))));
    }),
  'starting a worker thread': () =>
    new Promise<void>((resolve, reject) => {
      new Worker('', { eval: true }).on('error', reject).on('exit', () => resolve());
    }),
  'becoming another program': () => {
    // Without the permission model it works, and this process would be gone.
    if (process.permission !== undefined)
      process.execve?.(process.execPath, [process.execPath, '--version'], {});
  },
  'signaling its parent': ({ parent }) => process.kill(parent, 0),
  'signaling the render of another organization': ({ other }) => process.kill(other, 0),
  'loading a native module from the output': ({ readable, writable }) => {
    writeFileSync(`${writable}/evil.node`, readFileSync(`${readable}/evil.node`));
    process.dlopen({ exports: {} }, `${writable}/evil.node`);
  },
  'loading a native module from the source': ({ readable }) =>
    process.dlopen({ exports: {} }, `${readable}/evil.node`),
  'loading a native module of the platform': ({ unlisted }) => process.dlopen({ exports: {} }, unlisted),
  'loading a native module with changed built-ins': ({ readable }) => {
    const { call } = Function.prototype;
    const { has } = Set.prototype;
    try {
      Function.prototype.call = function replaced(this: () => unknown): unknown {
        return Reflect.apply(this, process, [{ exports: {} }, `${readable}/evil.node`]);
      };
      Set.prototype.has = () => true;
      process.dlopen({ exports: {} }, `${readable}/evil.node`);
    } finally {
      Function.prototype.call = call;
      Set.prototype.has = has;
    }
  },
  'loading an extension of SQLite': ({ readable }) => {
    try {
      new DatabaseSync(':memory:', { allowExtension: true }).loadExtension(`${readable}/evil.node`);
    } catch (error) {
      // It is loaded, and lacks the entry point of an extension.
      if (!/undefined symbol|entry point/i.test(String(error))) throw error;
    }
  },
  'opening the inspector': () => {
    openInspector(0, '127.0.0.1');
    closeInspector();
  },
  // biome-ignore lint/security/noGlobalEval: that it is refused is what the test is about
  'evaluating a text': () => globalThis.eval('1 + 1'),
  'compiling a function': () => new Function('return 1')(),
};

/** A call that fails for its arguments has passed everything that refuses it for what it is. */
function reach(native: NativeCalls, name: CallName, ...words: Word[]): void {
  try {
    native.call(name, ...words);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM' || code === 'EACCES' || code === 'ENOSYS') throw error;
  }
}

const openFile = (native: NativeCalls, path: string, flags: number, mode = 0): number =>
  native.call('openat', AT_FDCWD, text(path), flags, mode);

/** In the new process nothing may run: it is a copy of this one with a single thread. */
function endCopy(native: NativeCalls, pid: number): void {
  if (pid === 0) native.call('exit_group', 0);
}

const CLONE_VFORK = 0x4000;
const CLONE_NEWUTS = 0x04000000;
const O_DIRECTORY = 0x10000;
const O_TMPFILE = 0x410000;
const PTRACE_SEIZE = 0x4206;

const nativeCode: Record<string, Probe['run']> = {
  'socket for IPv4': (_, native) => native.call('socket', 2, 1, 0),
  'socket for IPv6': (_, native) => native.call('socket', 10, 1, 0),
  'Unix socket': (_, native) => native.call('socket', 1, 1, 0),
  'netlink socket': (_, native) => native.call('socket', 16, 3, 0),
  'pair of sockets': (_, native) => native.call('socketpair', 1, 1, 0, bytes(8)),
  'connect on an inherited socket': (_, native) => reach(native, 'connect', 0, bytes(16), 16),
  'message with descriptors on an inherited socket': (_, native) => reach(native, 'sendmsg', 0, null, 0),
  io_uring: (_, native) => reach(native, 'io_uring_setup', 0, null),
  'opening a secret': ({ secret }, native) => openFile(native, secret, 0),
  'opening /etc/passwd': (_, native) => openFile(native, '/etc/passwd', 0),
  'opening a page of another organization': ({ otherPage }, native) => openFile(native, otherPage, 0),
  'listing another organization': ({ otherFolder }, native) =>
    native.call('getdents64', openFile(native, otherFolder, O_DIRECTORY), bytes(4096), 4096),
  'opening /proc': (_, native) => openFile(native, '/proc', O_DIRECTORY),
  'opening its own memory': (_, native) => openFile(native, '/proc/self/mem', 2),
  'opening the environment of its parent': ({ parent }, native) =>
    openFile(native, `/proc/${parent}/environ`, 0),
  'opening the memory of its parent': ({ parent }, native) => openFile(native, `/proc/${parent}/mem`, 2),
  'opening the environment of another render': ({ other }, native) =>
    openFile(native, `/proc/${other}/environ`, 0),
  'opening the memory of another render': ({ other }, native) => openFile(native, `/proc/${other}/mem`, 2),
  'creating a symbolic link': ({ secret, writable }, native) =>
    native.call('symlinkat', text(secret), AT_FDCWD, text(`${writable}/native-symbolic`)),
  'creating a hard link': ({ secret, writable }, native) =>
    native.call('linkat', AT_FDCWD, text(secret), AT_FDCWD, text(`${writable}/native-hard`), 0),
  'moving a file into the output': ({ victim, writable }, native) => {
    native.call('renameat2', AT_FDCWD, text(victim), AT_FDCWD, text(`${writable}/taken`), 0);
    native.call('renameat2', AT_FDCWD, text(`${writable}/taken`), AT_FDCWD, text(victim), 0);
  },
  'creating a file outside': ({ root }, native) =>
    openFile(native, `${root}/native`, constants.O_CREAT | constants.O_WRONLY, 0o600),
  'creating a folder outside': ({ root }, native) =>
    native.call('mkdirat', AT_FDCWD, text(`${root}/folder-${process.pid}`), 0o700),
  'writing a page of the source': ({ readable }, native) => openFile(native, `${readable}/page.md`, 1),
  'truncating a file outside': ({ victim }, native) => native.call('truncate', text(victim), 0),
  'changing the mode of a file outside': ({ victim }, native) =>
    native.call('fchmodat', AT_FDCWD, text(victim), 0o777),
  'changing the owner of a file outside': ({ victim }, native) =>
    native.call('fchownat', AT_FDCWD, text(victim), -1, -1, 0),
  'changing the times of a file outside': ({ victim }, native) =>
    native.call('utimensat', AT_FDCWD, text(victim), null, 0),
  'setting an attribute of a file outside': ({ victim }, native) =>
    reach(native, 'setxattr', text(victim), text('user.probe'), text('x'), 1, 0),
  'removing a file of the output that stays open': ({ writable }, native) => {
    openFile(native, `${writable}/removed`, constants.O_CREAT | constants.O_WRONLY, 0o600);
    return native.call('unlinkat', AT_FDCWD, text(`${writable}/removed`), 0);
  },
  'file of the output without a name': ({ writable }, native) =>
    openFile(native, writable, O_TMPFILE | 2, 0o600),
  'pipe in the output': ({ writable }, native) =>
    native.call('mknodat', AT_FDCWD, text(`${writable}/pipe`), 0o010600, 0),
  'watching a folder of another organization': ({ otherFolder }, native) =>
    native.call('inotify_add_watch', native.call('inotify_init1', 0), text(otherFolder), 2),
  'tracing its parent': ({ parent }, native) => native.call('ptrace', PTRACE_SEIZE, parent, 0, 0),
  'tracing another render': ({ other }, native) => native.call('ptrace', PTRACE_SEIZE, other, 0, 0),
  'copying memory of its parent': ({ parent }, native) => {
    const [local, remote] = [bytes(16), bytes(16)];
    remote.writeBigUInt64LE(4096n, 0);
    remote.writeBigUInt64LE(8n, 8);
    reach(native, 'process_vm_readv', parent, local, 0, remote, 1, 0);
  },
  'descriptor of its parent': ({ parent }, native) => native.call('pidfd_open', parent, 0),
  'comparing with its parent': ({ parent }, native) => native.call('kcmp', parent, parent, 1, 0, 0),
  'limits of its parent': ({ parent }, native) => native.call('prlimit64', parent, 7, null, bytes(16)),
  'priority of another render': ({ other }, native) => native.call('setpriority', 0, other, 19),
  'signal to another render': ({ other }, native) => native.call('kill', other, 0),
  'signal to a thread of another render': ({ other }, native) => native.call('tgkill', other, other, 0),
  'queued signal to another render': ({ other }, native) => reach(native, 'rt_sigqueueinfo', other, 0, null),
  'signal by descriptor': (_, native) => reach(native, 'pidfd_send_signal', 0, 0, null, 0),
  'signal by the owner of a descriptor': ({ other }, native) => native.call('fcntl', 0, 8, other),
  'new session': (_, native) => reach(native, 'setsid'),
  'surviving its parent': (_, native) => native.call('prctl', 1, 0, 0, 0, 0),
  fork: (_, native) => endCopy(native, native.call('clone', SIGCHLD, 0, 0, 0, 0)),
  vfork: (_, native) => endCopy(native, native.call('clone', CLONE_VFORK | SIGCHLD, 0, 0, 0, 0)),
  'executing Node': (_, native) => reach(native, 'execve', text(process.execPath), 8, 0),
  'executing another program': (_, native) => reach(native, 'execve', text('/bin/true'), 8, 0),
  'executing by descriptor': (_, native) => reach(native, 'execveat', -1, text(''), null, null, 0x1000),
  'library from the output': ({ readable, writable }, native) => {
    writeFileSync(`${writable}/library.node`, readFileSync(`${readable}/evil.node`));
    native.load(`${writable}/library.node`);
  },
  'library from the source': ({ readable }, native) => native.load(`${readable}/evil.node`),
  'library of the platform': ({ unlisted }, native) => native.load(unlisted),
  'executable mapping of a file': ({ readable }, native) =>
    reach(native, 'mmap', null, 4096, 5, 2, openSync(`${readable}/evil.node`, 'r'), 0),
  'anonymous file in memory': (_, native) => native.call('memfd_create', text('probe'), 0),
  'shared memory': (_, native) => native.call('shmget', 0, 4096, 0o1600),
  semaphores: (_, native) => native.call('semget', 0, 1, 0o1600),
  'message queue of System V': (_, native) => native.call('msgget', 0, 0o1600),
  'message queue of POSIX': (_, native) => {
    const name = text(`offprint-probe-${process.pid}`);
    native.call('mq_open', name, constants.O_CREAT | constants.O_RDWR, 0o600, null);
    return native.call('mq_unlink', name);
  },
  'key ring': (_, native) => native.call('keyctl', 0, -3, 1),
  'adding a key': (_, native) => reach(native, 'add_key', text('user'), text('probe'), text('x'), 1, -3),
  'requesting a key': (_, native) => reach(native, 'request_key', text('user'), text('probe'), null, 0),
  personality: (_, native) => native.call('personality', 0xffffffff),
  userfaultfd: (_, native) => reach(native, 'userfaultfd', 1),
};

const namespaces: Record<string, Probe['run']> = {
  clone3: (_, native) => {
    const args = bytes(88);
    args.writeBigUInt64LE(BigInt(SIGCHLD), 32);
    endCopy(native, native.call('clone3', args, args.length));
  },
  'new namespace': (_, native) => reach(native, 'unshare', 0x10000000),
  'namespace of another process': (_, native) => reach(native, 'setns', -1, 0),
  'process in a new namespace': (_, native) => {
    // As root it succeeds; without root it needs a user namespace, which a process with threads may create too.
    const flags = process.getuid?.() === 0 ? CLONE_NEWUTS : 0x10000000;
    endCopy(native, native.call('clone', flags | SIGCHLD, 0, 0, 0, 0));
  },
};

const privileged: Record<string, Probe['run']> = {
  'packet socket': (_, native) => native.call('socket', 17, 3, 0),
  'raw socket': (_, native) => native.call('socket', 2, 3, 1),
  mount: (_, native) => reach(native, 'mount', 8, 8, 8, 0, 0),
  unmount: (_, native) => reach(native, 'umount2', text('/nowhere'), 0),
  pivot_root: (_, native) => reach(native, 'pivot_root', text('/nowhere'), text('/nowhere')),
  chroot: (_, native) => reach(native, 'chroot', text('/nowhere')),
  swap: (_, native) => reach(native, 'swapon', text('/nowhere'), 0),
  'restart of the machine': (_, native) => reach(native, 'reboot', 0, 0, 0, 0),
  'log of the kernel': (_, native) => native.call('syslog', 10, null, 0),
  bpf: (_, native) => reach(native, 'bpf', 9999, null, 0),
  'performance counters': (_, native) => reach(native, 'perf_event_open', null, 0, -1, -1, 0),
  'opening a file by its handle': (_, native) => reach(native, 'open_by_handle_at', -1, null, 0),
};

const named = (
  how: string,
  runs: Record<string, Probe['run']>,
  marks: Omit<Probe, 'run'>,
): [string, Probe][] => Object.entries(runs).map(([name, run]) => [`${how}: ${name}`, { run, ...marks }]);

/** By name. */
export const PROBES: ReadonlyMap<string, Probe> = new Map([
  ...named('JavaScript', script, {}),
  ...named('native', nativeCode, {}),
  ...named('native', namespaces, { namespaces: true }),
  ...named('native', privileged, { privileged: true }),
]);

/** Tries every probe; `done`, or the code of the error that refused it. */
export async function tryProbes(targets: ProbeTargets, native: NativeCalls): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const [name, { run }] of PROBES) {
    try {
      await run(targets, native);
      outcomes[name] = 'done';
    } catch (error) {
      outcomes[name] = (error as NodeJS.ErrnoException).code ?? String(error).slice(0, 200);
    }
  }
  return outcomes;
}

function connected(where: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(where).on('error', reject);
    socket.on('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}

function throwError(error: Error | undefined): void {
  if (error !== undefined) throw error;
}

const mappedAddress = (pid: number): bigint =>
  BigInt(`0x${/^[0-9a-f]+/.exec(readFileSync(`/proc/${pid}/maps`, 'latin1'))?.[0]}`);
