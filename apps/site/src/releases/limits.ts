import { totalmem } from 'node:os';
import { type BundleLimits, bundleLimits, type ManifestLimit } from '@offprint/bundle';

/** Bytes of the process without a release. */
export const processBytes = 75e6;
/**
 * Memory for each byte of a manifest: three releases are in memory during a switch, each with tables of its files, and
 * the new one is parsed meanwhile. Manifests made to take much took 25 bytes; the rest is for readers.
 */
const memoryPerByte = 34;
/** No file takes less of a manifest: its path, digest, size and type. */
const leastFileBytes = 128;

/** Bytes that this process may take: what its container has, or the machine. */
export function memoryBytes(): number {
  // 0 or beyond all measure where nothing limits it
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Limits of a bundle whose release a process of so many bytes can serve, with the two before it. */
export function limitsFor(memory: number): Pick<BundleLimits, ManifestLimit> {
  const bytes = Math.floor(Math.max(0, memory - processBytes) / memoryPerByte);
  return {
    maxManifestBytes: Math.min(bundleLimits.maxManifestBytes, bytes),
    maxFiles: Math.min(bundleLimits.maxFiles, Math.floor(bytes / leastFileBytes)),
  };
}
