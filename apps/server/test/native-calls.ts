/** System calls by their name, for probes that do what native code of an attacker would do. */
import { constants } from 'node:os';

const NUMBERS = {
  mmap: [9, 222],
  socket: [41, 198],
  connect: [42, 203],
  sendmsg: [46, 211],
  socketpair: [53, 199],
  clone: [56, 220],
  execve: [59, 221],
  kill: [62, 129],
  fcntl: [72, 25],
  truncate: [76, 45],
  getdents64: [217, 61],
  ptrace: [101, 117],
  syslog: [103, 116],
  setsid: [112, 157],
  personality: [135, 92],
  setpriority: [141, 140],
  pivot_root: [155, 41],
  prctl: [157, 167],
  chroot: [161, 51],
  mount: [165, 40],
  umount2: [166, 39],
  swapon: [167, 224],
  reboot: [169, 142],
  setxattr: [188, 5],
  rt_sigqueueinfo: [129, 138],
  exit_group: [231, 94],
  tgkill: [234, 131],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  inotify_add_watch: [254, 27],
  inotify_init1: [294, 26],
  openat: [257, 56],
  mkdirat: [258, 34],
  mknodat: [259, 33],
  fchownat: [260, 54],
  unlinkat: [263, 35],
  renameat2: [316, 276],
  linkat: [265, 37],
  symlinkat: [266, 36],
  fchmodat: [268, 53],
  unshare: [272, 97],
  utimensat: [280, 88],
  perf_event_open: [298, 241],
  prlimit64: [302, 261],
  open_by_handle_at: [304, 265],
  setns: [308, 268],
  process_vm_readv: [310, 270],
  kcmp: [312, 272],
  memfd_create: [319, 279],
  bpf: [321, 280],
  execveat: [322, 281],
  userfaultfd: [323, 282],
  shmget: [29, 194],
  semget: [64, 190],
  msgget: [68, 186],
  pidfd_send_signal: [424, 424],
  io_uring_setup: [425, 425],
  pidfd_open: [434, 434],
  clone3: [435, 435],
} as const;

export type CallName = keyof typeof NUMBERS;
export type Word = number | bigint | Buffer | null;

export interface NativeCalls {
  /** The result; an error is thrown with its code. */
  call(name: CallName, ...words: Word[]): number;
  /** Loads a library as native code does, past everything that JavaScript could refuse. */
  load(file: string): void;
  /** Starts threads that wait. */
  startThreads(count: number): void;
}

const CODES = new Map(Object.entries(constants.errno).map(([code, number]) => [number, code]));

const unsigned = (word: Word): Word =>
  typeof word === 'number' && word < 0 ? BigInt.asUintN(64, BigInt(word)) : word;

/** Call it before the process is sealed: later, no native module can be loaded. */
export function loadNativeCalls(kernelFile: string): NativeCalls {
  const native = { exports: {} as Record<string, (...args: unknown[]) => unknown> };
  process.dlopen(native, kernelFile);
  const koffi = native.exports;
  const library = koffi.load?.(null) as {
    func(name: string, result: string, words: string[]): (...args: unknown[]) => number;
    symbol(name: string, type: string): unknown;
  };
  const words = new Array<string>(6).fill('void *');
  const systemCall = library.func('syscall', 'long', ['long', ...words]);
  const createThread = library.func('pthread_create', 'int', ['void *', 'void *', 'void *', 'void *']);
  const findSymbol = library.func('dlsym', 'void *', ['void *', 'str']);
  return {
    call(name, ...given) {
      const number = NUMBERS[name][process.arch === 'arm64' ? 1 : 0];
      const all = [...given, 0, 0, 0, 0, 0, 0].slice(0, 6).map(unsigned);
      const result = systemCall(number, ...all);
      if (result >= 0) return result;
      const errno = koffi.errno?.() as number;
      throw Object.assign(new Error(`${name} failed`), { code: CODES.get(errno) ?? `E${errno}` });
    },
    load: (file) => void koffi.load?.(file),
    startThreads(count) {
      const sleep = findSymbol(null, 'sleep');
      for (let index = 0; index < count; index += 1) createThread(Buffer.alloc(8), null, sleep, 1000);
    },
  };
}
