import { join } from 'node:path';
import { type LandlockRules, landlockRules, landlockVersion } from './landlock.ts';
import { openKernel } from './open-kernel.ts';
import { type Architecture, sealProgram, seccompArchitecture, startProgram } from './seccomp.ts';
import { CHECKED_CALLS } from './system-calls.ts';

/** What `confine.mjs` does before it becomes the program. Programs and attributes are bytes in base64. */
export interface ConfinePlan {
  /** The native module of `kernel.mjs`. */
  kernel: string;
  /** Descriptors beside the standard streams that the program inherits. */
  inherited: readonly number[];
  landlock: LandlockRules;
  filter: string;
  /** Where the filter contains the number of the process. */
  pidAt: number;
  /** Numbers of system calls. */
  fcntl: number;
  seccomp: number;
}

/** What a child does when all its modules are loaded; see seal.ts. */
export interface SealPlan {
  kernel: string;
  program: string;
  seccomp: number;
}

/** Confinement by Landlock and seccomp, which needs no privilege. */
export interface Confinement {
  /** The words that run a command confined. The command is absolute and the only program that it can start. */
  wrap(command: readonly string[], paths: ConfinedPaths): string[];
  seal: SealPlan;
}

export interface ConfinedPaths {
  readOnly: readonly string[];
  writable: readonly string[];
}

const CONFINE = join(import.meta.dirname, 'confine.mjs');
/** Over it a child talks to its parent; see protocol.ts. */
const CHANNEL = 3;

/** What this kernel offers, without trying it; or what is missing. */
export function findConfinement(): Confinement | { missing: string } {
  const opened = openKernel();
  if ('missing' in opened) return opened;
  const version = landlockVersion(opened.kernel);
  if (version < 1)
    return {
      missing: 'the kernel does not offer Landlock, which requires Linux 5.13 and `landlock` in lsm=',
    };
  const architecture = seccompArchitecture(process.arch) ?? 'x64';
  const number = (call: readonly [number, number | null]): number =>
    call[architecture === 'x64' ? 0 : 1] ?? -1;
  const numbers = { fcntl: number(CHECKED_CALLS.fcntl), seccomp: number(CHECKED_CALLS.seccomp) };
  return {
    wrap: (command, paths) => {
      const plan = planOf(architecture, version, { program: command[0] ?? '', ...paths });
      const words = JSON.stringify({ ...plan, ...numbers, kernel: opened.file } satisfies ConfinePlan);
      return [process.execPath, '--no-warnings', CONFINE, words, ...command];
    },
    seal: {
      kernel: opened.file,
      program: sealProgram(architecture).toString('base64'),
      seccomp: numbers.seccomp,
    },
  };
}

function planOf(
  architecture: Architecture,
  version: number,
  paths: ConfinedPaths & { program: string },
): Pick<ConfinePlan, 'inherited' | 'landlock' | 'filter' | 'pidAt'> {
  const { program, pidAt } = startProgram(architecture);
  return {
    inherited: [CHANNEL],
    landlock: landlockRules(version, paths),
    filter: program.toString('base64'),
    pidAt,
  };
}
