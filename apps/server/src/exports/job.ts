import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import type { Job } from '../platform/jobs/queue.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { checkIndex, isStored, storeArtifact, storeBundle } from './artifact.ts';
import { type Failure, failureOf } from './failure.ts';
import {
  beat,
  claimExport,
  completeExport,
  type Fence,
  failExport,
  releaseExport,
  retryExport,
} from './journal.ts';
import { MAX_FAILURES } from './lost.ts';
import type { Produce } from './produce.ts';
import { followProgress } from './progress.ts';
import type { ExportPayload } from './start.ts';
import type { ExportRow } from './store.ts';

export interface ExportJobAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  /** Reads the source and renders it: steps 1 and 2. */
  produce: Produce;
  /** Folder of the work folders, one for each attempt. */
  workDir: string;
  log: Logger;
  metrics: Metrics;
}

/** Claims of one export at most. An attempt that ends silently has crashed its worker. */
const MAX_ATTEMPTS = 30;
const ABANDONED = `The export was started ${MAX_ATTEMPTS} times without finishing and was abandoned. Report this with the id of the export.`;

/** Times that an artifact is stored in one attempt: again only when somebody removes it at the same time. */
const MAX_STORES = 3;

/** A worker that is cut off notices within this time, and a dead one is seen as dead some beats later. */
const BEAT_MS = 5_000;

/** Parts of the progress bar in percent: the source is read, the pages are rendered, the artifact is stored. */
const RENDER_FROM = 3;
const RENDER_TO = 92;
const STORE_TO = 98;

/** The work of one queue entry: claim, snapshot, render, store, pack, commit. */
export function createExportRunner(adapters: ExportJobAdapters): (job: Job<ExportPayload>) => Promise<void> {
  return async (job) => {
    const row = await claimExport(adapters.db, job.payload.exportId, job.id);
    // Cancelled, finished, deleted, or given to another entry: nothing to do and nobody to tell.
    if (row === undefined) return;
    const log = adapters.log.child({ exportId: row.id, attempt: row.attempt });
    if (row.attempt > MAX_ATTEMPTS) {
      log.error('the export was started too many times and is abandoned');
      adapters.metrics.jobEvents.inc({ kind: 'export', event: 'abandoned' });
      await failExport(adapters.db, row, { code: 'internal', message: ABANDONED });
      return;
    }
    const started = performance.now();
    adapters.metrics.activeJobs.inc({ kind: 'export' });
    try {
      await runAttempt(adapters, job, row, log);
    } finally {
      adapters.metrics.activeJobs.dec({ kind: 'export' });
      adapters.metrics.jobSeconds.observe({ kind: 'export' }, (performance.now() - started) / 1000);
    }
  };
}

async function runAttempt(
  adapters: ExportJobAdapters,
  job: Job<ExportPayload>,
  row: ExportRow,
  log: Logger,
): Promise<void> {
  const { db } = adapters;
  const fence = { id: row.id, attempt: row.attempt, organizationId: row.organization_id };
  const lost = new AbortController();
  const signal = AbortSignal.any([job.signal, lost.signal]);
  const heart = setInterval(() => {
    beat(db, fence).then(
      (alive) => alive || lost.abort('lost'),
      (error: unknown) => log.warn({ err: error }, 'the heartbeat could not be written'),
    );
  }, BEAT_MS);
  const folder = join(adapters.workDir, `${row.id}-${row.attempt}`);
  log.info({ delivery: job.delivery, domain: row.domain }, 'export claimed');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const pageCount = await makeExport(adapters, row, fence, folder, {
      signal,
      lose: () => lost.abort('lost'),
    });
    const outcome = pageCount === null ? 'lost' : 'completed';
    adapters.metrics.jobs.inc({ kind: 'export', outcome });
    log.info({ outcome, pageCount }, 'export ended');
  } catch (error) {
    await settle(adapters, { job, row, fence, signal, log, error });
  } finally {
    clearInterval(heart);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Steps 1 to 5; the number of pages, or null when the attempt had lost the export at the end. */
async function makeExport(
  adapters: ExportJobAdapters,
  row: ExportRow,
  fence: Fence & { organizationId: string },
  folder: string,
  control: { signal: AbortSignal; lose(): void },
): Promise<number | null> {
  const { db, blobs } = adapters;
  const { signal } = control;
  const organizationId = row.organization_id;
  const progress = followProgress(db, fence, control.lose);
  try {
    const product = await adapters.produce(row, folder, {
      signal,
      onSource: ({ commit, commitInfo }) =>
        progress.report({ progress: RENDER_FROM, phase: 'rendering', commit, commitInfo }),
      onRender: ({ rendered, total }) =>
        progress.report({
          phase: rendered === total ? 'writing' : 'rendering',
          progress: RENDER_FROM + (RENDER_TO - RENDER_FROM) * (total === 0 ? 1 : rendered / total),
          pageCount: rendered,
          totalPages: total,
        }),
    });
    signal.throwIfAborted();
    const { index, readChunk } = product;
    await checkIndex(index, readChunk);
    const { version, commit, commitInfo, pageCount, warnings, warningCount } = product;
    const { artifact, bundle } = index;
    const result = { version, commit, commitInfo, pageCount, warnings, warningCount, artifact, bundle };
    for (let round = 1; round <= MAX_STORES; round++) {
      await storeArtifact(blobs, organizationId, index, readChunk, (stored, total) =>
        progress.report({
          phase: 'storing',
          progress: RENDER_TO + (STORE_TO - RENDER_TO) * (stored / total),
        }),
      );
      signal.throwIfAborted();
      progress.report({ phase: 'packing', progress: STORE_TO });
      await storeBundle(blobs, organizationId, index, readChunk);
      signal.throwIfAborted();
      await progress.end();
      const outcome = await completeExport(db, fence, result, () => isStored(blobs, organizationId, index));
      if (outcome !== 'not stored') return outcome === 'completed' ? pageCount : null;
      // The last other export with the same artifact was deleted, files and all, while this one found them there.
    }
    throw new Error(`the artifact of bundle ${bundle.sha256} does not stay stored`);
  } finally {
    await progress.end();
  }
}

/** What becomes of an attempt that threw. Throws when the queue is to deliver the entry again. */
async function settle(
  adapters: ExportJobAdapters,
  end: {
    job: Job<ExportPayload>;
    row: ExportRow;
    fence: Fence;
    signal: AbortSignal;
    log: Logger;
    error: unknown;
  },
): Promise<void> {
  const { db, metrics } = adapters;
  const { job, row, fence, log, error } = end;
  const count = (outcome: string) => metrics.jobs.inc({ kind: 'export', outcome });
  if (end.signal.aborted) {
    const reason = String(end.signal.reason);
    log.info({ reason }, 'export stopped');
    count(reason);
    // Without an owner the row is waiting again; who cancelled it or took it over has written to it already.
    if (reason === 'shutdown') await releaseExport(db, fence);
    // Returning marks the entry as done, and it would not be delivered again after an outage of the database.
    if (job.signal.aborted) throw error;
    return;
  }
  const failure = failureOf(error);
  const isLast = job.last || row.failures + 1 >= MAX_FAILURES;
  if (failure.retryable && !isLast) {
    log.warn({ err: error, failures: row.failures + 1 }, 'export attempt failed and will be repeated');
    count('retried');
    if (await retryExport(db, fence)) throw error;
    return;
  }
  const level = failure.retryable ? 'error' : 'info';
  log[level]({ err: error, code: failure.code }, 'export failed');
  count('failed');
  await failExport(db, fence, failureText(failure, row.failures + 1));
}

function failureText(failure: Failure, tries: number): { code: string; message: string } {
  if (!failure.retryable) return failure;
  return {
    code: failure.code,
    message: `${failure.message} It failed ${tries} times. Start a new export later.`,
  };
}
