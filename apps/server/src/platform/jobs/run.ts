import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '@offprint/bundle/make-folder';
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { isDatabaseRestart } from '../outage.ts';
import { openSpan } from '../tracing.ts';
import type { Failure, Fence, Kind, Lease, Work } from './jobs.ts';
import { failuresOf, giveBack, MAX_DEATHS, removeJob } from './leases.ts';

export interface RunAdapters {
  db: Kysely<Database>;
  /** Number of this worker. */
  worker: number;
  /** Folder of the folders of attempts. */
  workDir: string;
  log: Logger;
  metrics: Metrics;
}

/** An attempt in the hands of this process. */
export interface Held extends Fence {
  kind: Kind;
  organizationId: string;
  deaths: number;
  /** `traceparent` of what queued the job. */
  traceParent: string | null;
  controller: AbortController;
  /** The handler has ended; its end is being recorded. */
  isOver: boolean;
}

/** Between two attempts: 5 s, doubled with each failure of the job itself in a row, up to 5 minutes. */
const RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;
/** After an attempt that could not start. */
const RESTART_MS = 1_000;
/**
 * Attempts up to which a restart of the database is not counted as a failure of the job. It could be the job that makes
 * the database restart.
 */
const MAX_RESTARTED = 50;
/** How long the end of an attempt is written again and again while the database is away. */
const SETTLE_MS = 60_000;
const SETTLE_RETRY_MS = 500;
/** Deaths after which a job that was to be abandoned is ended without a last attempt to clean up. */
const HOPELESS_DEATHS = MAX_DEATHS + 3;

const CRASHED: Failure = {
  code: 'internal',
  message: `The job stopped its worker ${MAX_DEATHS} times without progress and was abandoned. Report this with its id.`,
  retryable: false,
};

export const retryDelay = (failures: number): number =>
  Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (failures - 1));

/** One attempt from its claim to the row that says how it ended. Never rejects. */
export function runLeased(adapters: RunAdapters, held: Held): Promise<void> {
  const { id, attempt, kind, organizationId, traceParent } = held;
  const span = openSpan(`${kind.name} attempt`, {
    kind: 'consumer',
    parent: traceParent,
    attributes: {
      'offprint.job.id': id,
      'offprint.job.attempt': attempt,
      'offprint.job.kind': kind.name,
      'offprint.organization.id': organizationId,
    },
  });
  if (span === undefined) return runAttempt(adapters, held).then(() => undefined);
  return span.run(async () => {
    const outcome = await runAttempt(adapters, held);
    span.end({
      attributes: { 'offprint.job.outcome': outcome ?? 'none' },
      error: outcome === 'failed' || outcome === 'retried' ? outcome : undefined,
    });
  });
}

/** Resolves with the outcome; null if there was nothing to do. Never rejects. */
async function runAttempt(adapters: RunAdapters, held: Held): Promise<string | null> {
  const { db, worker, metrics } = adapters;
  const { kind, id, attempt, controller } = held;
  const log = adapters.log.child({ jobId: id, attempt });
  const folder = join(adapters.workDir, `${id}-${attempt}`);
  const lost = new AbortController();
  const lease: Lease = {
    id,
    attempt,
    folder,
    signal: AbortSignal.any([controller.signal, lost.signal]),
    lose: () => lost.abort('lost'),
  };
  const started = performance.now();
  metrics.activeJobs.inc({ kind: kind.name });
  let outcome: string | null;
  let work: Work | undefined;
  try {
    work = await db.transaction().execute((tx) => kind.begin(tx, lease));
    if (work !== undefined) await makeFolder(folder, 0o700);
    if (work !== undefined && held.deaths >= MAX_DEATHS) {
      log.error({ deaths: held.deaths }, 'the job stops its worker each time and is abandoned');
      outcome = await giveUp(adapters, held, { lease, work, failure: CRASHED, tries: 0 });
    } else {
      // Finished, or deleted: nothing to do and nobody to tell.
      outcome = work === undefined ? null : await work.run(lease);
      held.isOver = true;
      await persist(adapters, () => removeJob(db, worker, lease));
    }
  } catch (error) {
    outcome = await settle(adapters, held, { lease, work, error }, log);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
    log.warn({ err: error }, 'the folder of an attempt could not be removed'),
  );
  if (outcome !== null) {
    metrics.jobs.inc({ kind: kind.name, outcome });
    log.info({ outcome }, 'the attempt ended');
  }
  metrics.activeJobs.dec({ kind: kind.name });
  metrics.jobSeconds.observe({ kind: kind.name }, (performance.now() - started) / 1_000);
  return outcome;
}

/** What becomes of an attempt that threw; resolves with its outcome. */
async function settle(
  adapters: RunAdapters,
  held: Held,
  { lease, work, error }: { lease: Lease; work: Work | undefined; error: unknown },
  log: Logger,
): Promise<string> {
  const { db, worker } = adapters;
  const { kind } = held;
  if (work === undefined && !lease.signal.aborted) {
    // The database did not let the attempt start, or did not report that it had: no failure of the job.
    log.warn({ err: error }, 'an attempt could not start');
    await persist(adapters, () => giveBack(db, worker, lease, { delayMs: RESTART_MS }));
    return 'lost';
  }
  if (!lease.signal.aborted && isDatabaseRestart(error) && lease.attempt < MAX_RESTARTED) {
    log.warn({ err: error }, 'the database restarted during an attempt');
    held.isOver = true;
    await persist(adapters, () =>
      db.transaction().execute(async (tx) => {
        if (await kind.release(tx, lease)) await giveBack(tx, worker, lease, { delayMs: RETRY_MS });
      }),
    );
    return 'lost';
  }
  const failure = lease.signal.aborted ? null : kind.failureOf(error);
  if (failure === null) {
    const reason = lease.signal.aborted ? String(lease.signal.reason) : 'lost';
    // A cancel and a takeover have written that already; a worker that stops has handed the job back.
    if (reason === 'lost') await persist(adapters, () => giveBack(db, worker, lease));
    return reason;
  }
  const failures = await persist(adapters, () => failuresOf(db, worker, lease));
  if (failures === undefined) return 'lost';
  const tries = failures + 1;
  if (failure.retryable && tries < kind.maxFailures) {
    log.warn({ err: error, failures: tries }, 'an attempt failed and will be repeated');
    adapters.metrics.jobEvents.inc({ kind: kind.name, event: 'retried' });
    const delayMs = Math.max(failure.retryAfterMs ?? 0, retryDelay(tries));
    held.isOver = true;
    await persist(adapters, () =>
      db.transaction().execute(async (tx) => {
        if (!(await kind.retry(tx, lease, failure, delayMs))) return;
        await giveBack(tx, worker, lease, { failures: tries, delayMs });
      }),
    );
    return 'retried';
  }
  log[failure.retryable ? 'error' : 'info']({ err: error, code: failure.code }, 'a job failed');
  return giveUp(adapters, held, { lease, work, failure, tries });
}

async function giveUp(
  adapters: RunAdapters,
  held: Held,
  { lease, work, failure, tries }: { lease: Lease; work: Work | undefined; failure: Failure; tries: number },
): Promise<string> {
  const { db, worker } = adapters;
  const { kind } = held;
  let told = failure;
  try {
    if (held.deaths < HOPELESS_DEATHS) told = (await work?.abandon?.(lease, failure)) ?? failure;
  } catch (error) {
    adapters.log.warn({ err: error, jobId: lease.id }, 'a job that failed could not clean up');
    // Handed back, cancelled or taken over while it did.
    if (lease.signal.aborted) return String(lease.signal.reason);
  }
  held.isOver = true;
  if (failure === CRASHED || failure.retryable)
    adapters.metrics.jobEvents.inc({ kind: kind.name, event: 'abandoned' });
  const isOurs = await persist(adapters, () =>
    db.transaction().execute(async (tx) => {
      const isFailed = await kind.fail(tx, lease, told, tries);
      await removeJob(tx, worker, lease);
      return isFailed;
    }),
  );
  return isOurs === false ? 'lost' : 'failed';
}

/** Writes an end although the database may be away; undefined when it stays away. The lease then runs out. */
async function persist<Result>(
  { log }: RunAdapters,
  write: () => Promise<Result>,
): Promise<Result | undefined> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      log.warn({ err: error }, 'the end of an attempt could not be written');
      if (performance.now() > deadline) return undefined;
      await sleep(SETTLE_RETRY_MS, undefined, { ref: false });
    }
  }
}
