import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CHILD_PROGRAMS } from './child-programs.ts';
import type { Config } from './config.ts';
import { IMAGE_RUN_LIMITS } from './exports/images/encode-images.ts';
import { createLogger, type Logger } from './platform/log.ts';
import { createMetrics, serveMetrics } from './platform/metrics.ts';
import type { ChildLimits } from './platform/sandbox/child.ts';
import { denyTracing } from './platform/sandbox/deny-tracing.ts';
import { setChildNiceness } from './platform/sandbox/isolation.ts';
import { serveSandbox } from './platform/sandbox/remote/server.ts';
import { requireIsolation } from './platform/sandbox/report.ts';
import { createSandbox } from './platform/sandbox/sandbox.ts';
import { type Phase, type PhaseFault, runPhases } from './platform/shutdown.ts';
import { renderLimits } from './render-limits.ts';
import { VERSION } from './version.ts';

export interface Renderer {
  port: number;
  log: Logger;
  /** Finishes what runs within its time, gives back the rest, and closes everything. Safe to call twice. */
  stop(): Promise<PhaseFault[]>;
}

const MEGABYTE = 1_000_000;
const CLOSE_MS = 15_000;
/** Checks and connection tests at a time, and their highest limits. */
const CHECKS = 4;
const CHECK_LIMITS: ChildLimits = { cpuMs: 120_000, wallMs: 600_000, memoryMb: 1_024, outputBytes: 0 };

/**
 * Starts the role that processes docs for API and workers. It has no database, no storage and no secret: what takes it
 * over finds nothing but the docs of the runs at that time.
 */
export async function startRenderer(config: Config): Promise<Renderer> {
  denyTracing();
  if (config.sandbox === 'required') await requireIsolation();
  setChildNiceness(config.exportNice);
  const log = createLogger({ level: config.logLevel, format: config.logFormat, role: 'renderer' });
  const folder = join(config.dataDir, 'renderer');
  // Left by a process that was killed.
  await rm(folder, { recursive: true, force: true });
  const open: Phase[] = [];
  const limits = renderLimits(config);
  const metrics = createMetrics();
  const sandbox = createSandbox({
    programs: CHILD_PROGRAMS,
    folder: join(folder, 'sandbox'),
    spare: { program: 'render', limits },
    log,
  });
  open.push({
    name: 'sandbox',
    ms: CLOSE_MS,
    run: async () => {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  });
  try {
    if (config.metricsPort !== undefined) {
      const { close } = await serveMetrics(metrics, { host: config.host, port: config.metricsPort });
      open.push({ name: 'metrics', ms: CLOSE_MS, run: close });
    }
    const server = await serveSandbox(
      {
        sandbox,
        programs: CHILD_PROGRAMS,
        folder: join(folder, 'runs'),
        slots: {
          export: { runs: config.exportConcurrency, limits },
          image: { runs: config.exportConcurrency, limits: IMAGE_RUN_LIMITS },
          check: { runs: CHECKS, limits: CHECK_LIMITS },
        },
        sourceBytes: config.maxSourceMb * MEGABYTE,
        version: VERSION,
        log,
        metrics,
      },
      { host: config.host, port: config.rendererPort },
    );
    const graceMs = config.shutdownSeconds * 1_000;
    open.push({ name: 'runs', ms: graceMs + CLOSE_MS, run: () => server.stop(graceMs) });
    log.info(
      { port: server.port, exports: config.exportConcurrency, checks: CHECKS },
      'the renderer listens',
    );
    let stopping: Promise<PhaseFault[]> | undefined;
    return {
      port: server.port,
      log,
      stop() {
        stopping ??= runPhases(open.reverse()).then((faults) => {
          for (const { phase, error } of faults)
            log.error({ err: error, phase }, 'could not close a component');
          log.info('stopped');
          return faults;
        });
        return stopping;
      },
    };
  } catch (error) {
    await runPhases(open.reverse());
    throw error;
  }
}
