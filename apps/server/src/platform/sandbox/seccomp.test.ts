import { describe, expect, test } from 'vitest';
import { type Architecture, sealProgram, startProgram } from './seccomp.ts';
import { ALLOWED_CALLS, CHECKED_CALLS } from './system-calls.ts';

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };
const PID = 4711;

/** What the kernel does with a call, as seccomp(2) interprets a program: `allow`, `kill`, or the number of an error. */
function decide(program: Buffer, call: { number: number; audit: number; args?: number[] }): string | number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.audit, 4);
  for (const [index, value] of (call.args ?? []).entries())
    data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let word = 0;
  for (let at = 0; at < program.length; at += 8) {
    const value = program.readUInt32LE(at + 4);
    const jump = (isTrue: boolean): number => program.readUInt8(at + (isTrue ? 2 : 3)) * 8;
    switch (program.readUInt16LE(at)) {
      case 0x20:
        word = data.readUInt32LE(value);
        break;
      case 0x15:
        at += jump(word === value);
        break;
      case 0x35:
        at += jump(word >= value);
        break;
      case 0x45:
        at += jump((word & value) !== 0);
        break;
      case 0x06:
        return value === 0x7fff0000 ? 'allow' : value === 0x80000000 ? 'kill' : value & 0xffff;
      default:
        throw new Error('unknown instruction');
    }
  }
  throw new Error('the program does not return');
}

describe.each(['x64', 'arm64'] as const)('on %s', (architecture: Architecture) => {
  const { program, pidAt } = startProgram(architecture);
  program.writeUInt32LE(PID, pidAt);
  const index = architecture === 'x64' ? 0 : 1;
  const ask = (number: number, ...args: number[]) =>
    decide(program, { number, audit: AUDIT[architecture], args });
  const checked = (name: keyof typeof CHECKED_CALLS, ...args: number[]) =>
    ask(CHECKED_CALLS[name][index] ?? -1, ...args);

  test('the calls of the list are allowed, and of all others none', () => {
    const allowed: number[] = Object.values(ALLOWED_CALLS).flatMap((call) => call[index] ?? []);
    const limited: number[] = Object.values(CHECKED_CALLS).flatMap((call) => call[index] ?? []);
    for (const number of allowed) expect([number, ask(number)]).toEqual([number, 'allow']);
    for (let number = 0; number < 600; number += 1) {
      if (allowed.includes(number) || limited.includes(number)) continue;
      // The C library tries calls that were added later, and uses another one if they do not exist.
      expect([number, ask(number)]).toEqual([number, number < 424 ? 1 : 38]);
    }
  });

  test('calls by the numbers of another architecture end the process', () => {
    for (const audit of [0x40000003, AUDIT.x64, AUDIT.arm64])
      if (audit !== AUDIT[architecture]) expect(decide(program, { number: 0, audit })).toBe('kill');
    if (architecture === 'x64') expect(ask(0x40000000)).toBe(38);
  });

  test('it starts threads and no processes, and signals itself only', () => {
    expect(checked('clone', 0x3d0f00)).toBe('allow');
    expect(checked('clone', 17)).toBe(1);
    expect(checked('clone', 0x4111)).toBe(1);
    for (let bit = 25; bit < 31; bit += 1) expect(checked('clone', 0x3d0f00 + 2 ** bit)).toBe(1);
    expect(checked('tgkill', PID, PID, 6)).toBe('allow');
    expect(checked('tgkill', PID + 1, PID + 1, 6)).toBe(1);
    expect(checked('fcntl', 0, 4)).toBe('allow');
    for (const command of [8, 10, 15, 1026]) expect(checked('fcntl', 0, command)).toBe(1);
    expect(checked('prlimit64', 0, 7)).toBe('allow');
    expect(checked('prlimit64', PID, 7)).toBe(1);
    expect(checked('prctl', 1, 0)).toBe(1);
  });

  test('it opens files with names only', () => {
    expect(checked('openat', 0, 0, 0o101)).toBe('allow');
    expect(checked('openat', 0, 0, 0x400000)).toBe(1);
  });

  test('once sealed, it executes no program, maps no file as code, and adds no filter', () => {
    const seal = sealProgram(architecture);
    const sealed = (name: keyof typeof CHECKED_CALLS, ...args: number[]) =>
      decide(seal, { number: CHECKED_CALLS[name][index] ?? -1, audit: AUDIT[architecture], args });
    expect(checked('execve')).toBe('allow');
    expect([sealed('execve'), sealed('seccomp', 1)]).toEqual([1, 1]);
    expect(sealed('mmap', 0, 4096, 5, 0x22)).toBe('allow');
    expect(sealed('mmap', 0, 4096, 1, 0x02)).toBe('allow');
    expect(sealed('mmap', 0, 4096, 5, 0x02)).toBe(1);
  });
});
