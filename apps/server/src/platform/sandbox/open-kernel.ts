import { packageFile } from '@offprint/render/assets';
import { loadKernel } from './kernel.mjs';
import { seccompArchitecture } from './seccomp.ts';

/** System calls of this process. */
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
