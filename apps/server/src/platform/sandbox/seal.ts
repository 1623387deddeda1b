import type { SealPlan } from './confinement.ts';
import { loadKernel } from './kernel.mjs';

/** What a child gives up when all its modules are loaded and before it receives its input. */
export interface Seal {
  /** Native modules that it may still load: they are mapped now and initialized when a module needs them. */
  nativeModules: readonly string[];
  /** Null where the system has no such filters. */
  kernel: SealPlan | null;
}

const PR_SET_DUMPABLE = 4;

/**
 * From here on this process loads no other native module, starts no program, and other processes of its user cannot
 * trace it. Every function that the rest of the program could replace is captured first.
 */
export function seal({ nativeModules, kernel }: Seal): void {
  const { apply } = Reflect;
  const load = process.dlopen;
  const allowed: Record<string, true> = Object.create(null);
  for (const file of nativeModules) {
    load.call(process, { exports: {} }, file);
    allowed[file] = true;
  }
  if (kernel !== null) {
    const { prctl, addFilter, errno } = loadKernel(kernel.kernel);
    const isAdded = addFilter(kernel.seccomp, Buffer.from(kernel.program, 'base64'), true) === 0;
    if (!isAdded || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) !== 0)
      throw new Error(`the process cannot be sealed: error ${errno()}`);
  }
  Object.defineProperty(process, 'dlopen', {
    value: (module: object, file: unknown, ...flags: unknown[]) => {
      if (typeof file !== 'string' || allowed[file] !== true)
        throw new Error(`The sandbox does not load the native module ${file}.`);
      return apply(load, process, [module, file, ...flags]);
    },
    writable: false,
    configurable: false,
  });
}
