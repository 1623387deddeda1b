import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface ProcessFigures {
  /** Seconds since 1970. */
  started: number;
  cpuSeconds: number;
  residentBytes: number;
  heapBytes: number;
  /** Delay of the event loop in seconds, since the metrics were last read. */
  delay: { p50: number; p99: number; max: number };
}

/** Sampling interval of the event loop delay. */
const delayMilliseconds = 20;

/** Starts to measure this process. */
export function watchProcess(): { read(): ProcessFigures; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: delayMilliseconds });
  delay.enable();
  return { read: () => processFigures(delay), stop: () => void delay.disable() };
}

function processFigures(delay: ReturnType<typeof monitorEventLoopDelay>): ProcessFigures {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - delayMilliseconds / 1e3) || 0;
  const figures = {
    started: Math.round(Date.now() / 1000 - process.uptime()),
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapBytes: heapUsed,
    delay: { p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) },
  };
  delay.reset();
  return figures;
}
