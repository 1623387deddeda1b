import { totalmem } from 'node:os';
import { type BundleLimits, bundleLimits, type ManifestLimit } from '@offprint/bundle';

/** Memory of the process without a release, in bytes. */
export const processBytes = 90e6;
/**
 * Memory for each byte of a manifest: three releases are in memory during a switch, each with tables of its
 * files, while the new manifest is parsed. Manifests built to use much memory took 25 bytes; the rest is for
 * requests.
 */
const memoryPerByte = 34;
/** Minimum bytes of a file in a manifest: its path, digest, size and type. */
const minFileBytes = 128;

/** Memory limit of this process in bytes: that of its container or machine. */
export function memoryBytes(): number {
  // 0 or a huge number without a limit
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Limits of a bundle that a process with this memory can serve, next to the two previous releases. */
export function limitsFor(memory: number): Pick<BundleLimits, ManifestLimit> {
  const bytes = Math.floor(Math.max(0, memory - processBytes) / memoryPerByte);
  return {
    maxManifestBytes: Math.min(bundleLimits.maxManifestBytes, bytes),
    maxFiles: Math.min(bundleLimits.maxFiles, Math.floor(bytes / minFileBytes)),
  };
}
