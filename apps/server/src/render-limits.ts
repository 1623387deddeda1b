import type { Config } from './config.ts';
import type { ChildLimits } from './platform/sandbox/child.ts';

/** The largest pages of real sites need less than a second. */
const PAGE_CPU_MS = 30_000;

const MEGABYTE = 1_000_000;

/** Limits of the render of one export. */
export function renderLimits(config: Config): ChildLimits {
  return {
    cpuMs: config.exportCpuSeconds * 1_000,
    wallMs: config.exportTimeoutSeconds * 1_000,
    memoryMb: config.exportMemoryMb,
    stepCpuMs: PAGE_CPU_MS,
    outputBytes: config.exportOutputMb * MEGABYTE,
  };
}
