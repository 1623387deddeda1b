import { join } from 'node:path';
import { packageFile } from '@offprint/render/assets';
import { loadKernel } from './kernel.mjs';
import { type LandlockRules, landlockRules, landlockVersion } from './landlock.ts';
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

export type Kernel = ReturnType<typeof loadKernel>;

/** The C library of this process, with the file that loads it; or why that is not possible. */
export function openKernel(): { kernel: Kernel; file: string } | { missing: string } {
  const { platform, arch } = process;
  if (platform !== 'linux' || seccompArchitecture(arch) === null)
    return { missing: `it requires Linux on x64 or arm64, and this is ${platform} on ${arch}` };
  let reason = '';
  for (const library of ['linux', 'musl']) {
    try {
      const file = packageFile(`@koromix/koffi-linux-${arch}`, `${library}_${arch}/koffi.node`);
      return { kernel: loadKernel(file), file };
    } catch (error) {
      reason ||= error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    }
  }
  return { missing: `the npm package @koromix/koffi-linux-${arch} cannot be loaded: ${reason}` };
}

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
