import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Adapters } from './adapters.ts';
import type { Config } from './config.ts';
import { createExportRunner } from './exports/job.ts';
import { createProducer, RENDER_CHILD } from './exports/produce.ts';
import { createRemoteFetcher, type RemoteFetcher } from './exports/remote-fetch.ts';
import { EXPORT_QUEUE, type ExportPayload } from './exports/service.ts';
import { sandboxName, startSweeper } from './exports/sweep.ts';
import { createSandbox } from './platform/sandbox/sandbox.ts';
import { snapshotAdapters, workDir } from './services.ts';

const MEGABYTE = 1_000_000;

export interface Worker {
  /** Claims nothing new, gives what runs `graceMs`, then gives it back. */
  stop(graceMs: number): Promise<void>;
}

/** Fetches under the rules of every other outbound request, https only, and keeps what it got for a day. */
function remoteFetcher(config: Config): RemoteFetcher {
  return createRemoteFetcher({
    policy: {
      allowPrivate: config.allowPrivateHosts.includes('*'),
      allowedHosts: config.allowPrivateHosts,
    },
    cacheDir: join(config.dataDir, 'cache', 'remote'),
  });
}

/** Starts to work on exports. */
export async function startWorker(config: Config, adapters: Adapters): Promise<Worker> {
  const { db, queue, blobs, log, metrics } = adapters;
  const sandboxDir = join(workDir(config), sandboxName());
  // A process that had this name is gone.
  await rm(sandboxDir, { recursive: true, force: true });
  const sandbox = createSandbox({
    module: RENDER_CHILD,
    folder: sandboxDir,
    limits: {
      wallMs: config.exportTimeoutSeconds * 1_000,
      memoryMb: config.exportMemoryMb,
      outputBytes: config.exportOutputMb * MEGABYTE,
    },
    log,
  });
  const run = createExportRunner({
    db,
    blobs,
    log,
    metrics,
    workDir: workDir(config),
    produce: createProducer({
      snapshot: snapshotAdapters(config, adapters),
      sandbox,
      remote: config.exportFetch === 'allow' ? remoteFetcher(config) : null,
    }),
  });
  const sweeper = startSweeper({
    db,
    queue,
    blobs,
    log,
    workDir: workDir(config),
    idempotencyHours: config.idempotencyHours,
    exportRetentionDays: config.exportRetentionDays,
  });
  await queue.work<ExportPayload>(EXPORT_QUEUE, { concurrency: config.exportConcurrency }, run);
  log.info({ concurrency: config.exportConcurrency }, 'the worker takes exports');
  return {
    async stop(graceMs) {
      await sweeper.stop();
      await queue.stop(graceMs);
      await sandbox.close();
      await rm(sandboxDir, { recursive: true, force: true });
    },
  };
}
