import { ALLOWED_CALLS, CHECKED_CALLS, FIRST_SHARED_CALL } from './system-calls.ts';

/** Filter programs for seccomp(2). They are data: arrays of `struct sock_filter`, in the form of <linux/filter.h>. */

export type Architecture = 'x64' | 'arm64';

/** Code, jump if true, jump if false, value. */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

const BYTES = 8;
const VALUE_AT = 4;

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_SET = 0x45;
const RETURN = 0x06;

/** Offsets in `struct seccomp_data`; the lower half of an argument, which is all that the checked ones use. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const fail = (errno: number): number => 0x00050000 | errno;
const EPERM = 1;
const ENOTTY = 25;
const ENOSYS = 38;

const AUDIT_ARCHITECTURE = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
/** Calls of the x32 ABI have this bit. */
const X32 = 0x40000000;

const CLONE_THREAD = 0x00010000;
/** New namespaces of every kind, and tracing of the new thread together with the old one. */
const CLONE_REFUSED = 0x7e020000 | 0x00000080 | 0x00002000;
/** A file without a name, which no limit of the output folder would count. */
const O_TMPFILE = 0x00400000;
/** Close, non-blocking and queries of terminals, which libuv makes. */
const IOCTLS = [0x5450, 0x5451, 0x5421, 0x541b, 0x5401, 0x5413];
/** Duplicates, flags and locks; not those that choose a process to be sent a signal. */
const FCNTLS = [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032];
/** Names of threads and memory, and whether other processes may trace this one. Not the signal at the parent's death. */
const PRCTLS = [3, 4, 15, 16, 21, 23, 38, 39, 0x53564d41];
const SECCOMP_SET_MODE_FILTER = 1;
const PROT_EXEC = 4;
const MAP_ANONYMOUS = 0x20;

export const seccompArchitecture = (name: string): Architecture | null =>
  name === 'x64' || name === 'arm64' ? name : null;

/** In a program, marks the place of the number of the process, which only the process itself knows. */
const OWN_PID = 0x7fff_fffe;

/**
 * The filter that a render process starts with. It allows what Node needs to run, load its modules and create threads,
 * and nothing that opens a socket, starts a process or reaches another one. Starting a program remains allowed until
 * `sealProgram`, because the process becomes Node by that. `pidAt` is the offset at which the process writes its number.
 */
export function startProgram(architecture: Architecture): { program: Buffer; pidAt: number } {
  const number = numbersOf(architecture);
  const onlyIf = (
    name: keyof typeof CHECKED_CALLS,
    index: number,
    values: readonly number[],
    errno = EPERM,
  ) =>
    block(number(CHECKED_CALLS[name]), [
      [LOAD, 0, 0, argument(index)],
      ...values.flatMap((value) => when(JUMP_IF_EQUAL, value, ALLOW)),
      [RETURN, 0, 0, fail(errno)],
    ]);
  const unlessSet = (name: keyof typeof CHECKED_CALLS, index: number, bits: number) =>
    block(number(CHECKED_CALLS[name]), [
      [LOAD, 0, 0, argument(index)],
      ...when(JUMP_IF_SET, bits, fail(EPERM)),
      [RETURN, 0, 0, ALLOW],
    ]);
  const instructions = [
    ...head(architecture),
    ...Object.values(ALLOWED_CALLS).flatMap((call) => {
      const own = number(call);
      return own === null ? [] : when(JUMP_IF_EQUAL, own, ALLOW);
    }),
    ...unlessSet('open', 1, O_TMPFILE),
    ...unlessSet('openat', 2, O_TMPFILE),
    ...onlyIf('fcntl', 1, FCNTLS),
    ...onlyIf('ioctl', 1, IOCTLS, ENOTTY),
    ...block(number(CHECKED_CALLS.clone), [
      [LOAD, 0, 0, argument(0)],
      ...when(JUMP_IF_SET, CLONE_REFUSED, fail(EPERM)),
      ...when(JUMP_IF_SET, CLONE_THREAD, ALLOW),
      [RETURN, 0, 0, fail(EPERM)],
    ]),
    ...onlyIf('tgkill', 0, [OWN_PID]),
    ...onlyIf('prctl', 0, PRCTLS),
    ...onlyIf('prlimit64', 0, [0]),
    ...onlyIf('seccomp', 0, [SECCOMP_SET_MODE_FILTER]),
    ...block(number(CHECKED_CALLS.execve), [[RETURN, 0, 0, ALLOW]]),
    // A libc tries newer calls first and then uses an older one, but only if the newer one does not exist.
    ...when(JUMP_IF_AT_LEAST, FIRST_SHARED_CALL, fail(ENOSYS)),
    [RETURN, 0, 0, fail(EPERM)] as const,
  ];
  const pidAt = instructions.findIndex(([, , , value]) => value === OWN_PID) * BYTES + VALUE_AT;
  return { program: assemble(instructions), pidAt };
}

/**
 * The filter that is added once all modules are loaded: from then on the process starts no program and runs no code from
 * a file, so no native module either.
 */
export function sealProgram(architecture: Architecture): Buffer {
  const number = numbersOf(architecture);
  return assemble([
    ...head(architecture),
    ...block(number(CHECKED_CALLS.execve), [[RETURN, 0, 0, fail(EPERM)]]),
    ...block(number(CHECKED_CALLS.seccomp), [[RETURN, 0, 0, fail(EPERM)]]),
    ...block(number(CHECKED_CALLS.mmap), [
      [LOAD, 0, 0, argument(3)],
      ...when(JUMP_IF_SET, MAP_ANONYMOUS, ALLOW),
      [LOAD, 0, 0, argument(2)],
      ...when(JUMP_IF_SET, PROT_EXEC, fail(EPERM)),
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, ALLOW],
  ]);
}

const numbersOf =
  (architecture: Architecture) =>
  ([x64, arm64]: readonly [x64: number, arm64: number | null]): number | null =>
    architecture === 'x64' ? x64 : arm64;

/** Ends a process that calls by another architecture's numbers, and leaves the number loaded. */
function head(architecture: Architecture): Instruction[] {
  return [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 1, 0, AUDIT_ARCHITECTURE[architecture]],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
    ...(architecture === 'x64' ? when(JUMP_IF_AT_LEAST, X32, fail(ENOSYS)) : []),
  ];
}

const when = (jump: number, value: number, action: number): Instruction[] => [
  [jump, 0, 1, value],
  [RETURN, 0, 0, action],
];

/** Runs `instructions`, which return, for one call; none where the architecture does not have it. */
const block = (call: number | null, instructions: readonly Instruction[]): Instruction[] =>
  call === null ? [] : [[JUMP_IF_EQUAL, 0, instructions.length, call], ...instructions];

/** The bytes of a program. */
export function assemble(instructions: readonly Instruction[]): Buffer {
  const program = Buffer.alloc(instructions.length * BYTES);
  instructions.forEach(([code, jumpTrue, jumpFalse, value], index) => {
    program.writeUInt16LE(code, index * BYTES);
    program.writeUInt8(jumpTrue, index * BYTES + 2);
    program.writeUInt8(jumpFalse, index * BYTES + 3);
    program.writeUInt32LE(value >>> 0, index * BYTES + VALUE_AT);
  });
  return program;
}
