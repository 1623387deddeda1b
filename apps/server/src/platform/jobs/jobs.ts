import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Database } from '../db/database.ts';
import { currentTraceParent } from '../tracing.ts';

type Tx = Transaction<Database>;

/** Names one attempt at a job. A row of a feature takes writes of its latest attempt only. */
export interface Fence {
  /** Id of the row of the feature. */
  id: string;
  attempt: number;
}

/** What an attempt is given beside its row. */
export interface Lease extends Fence {
  /** Aborts when the job was cancelled, its lease was lost or the worker stops. `reason` is a JobAbort. */
  signal: AbortSignal;
  /** Folder of this attempt, empty at the start and removed at its end. */
  folder: string;
  /** Ends the attempt as lost: its row no longer takes its writes. */
  lose(): void;
}

export type JobAbort = 'cancelled' | 'lost' | 'shutdown';

/** Why an attempt failed, as it is reported: `message` is one or more sentences for people, without a secret. */
export interface Failure {
  /** Stable snake_case name. */
  code: string;
  message: string;
  /** Trying again can help; what can only be changed by the user fails at once. */
  retryable: boolean;
  /** Milliseconds that somebody asks to wait. */
  retryAfterMs?: number;
}

/** One attempt at a job. */
export interface Work {
  /** Resolves with the outcome, for the metrics, when nothing is left to do. Throws what `failureOf` understands. */
  run(lease: Lease): Promise<string>;
  /**
   * Called before the job is abandoned or fails: cleans up what it has left elsewhere, and
   * returns the failure to be reported.
   */
  abandon?(lease: Lease, failure: Failure): Promise<Failure>;
}

/**
 * A kind of job: a feature with a table whose rows are worked on. The row of the feature holds the state that users see,
 * the row in `jobs` who works on it. Both are made in one transaction, and every function with a `tx` writes to the row
 * of the feature in the transaction that writes to the other.
 */
export interface Kind {
  /** Name in `jobs` and in the metrics. */
  name: string;
  /** Rows that are not finished: `id`, `organization_id`, `lane` and `attempt`. Those without a job are given one. */
  unfinished: RawBuilder<unknown>;
  /** Failures in a row without progress after which a job is abandoned. */
  maxFailures: number;
  /** Starts the attempt in the row of the feature; undefined when nothing is left to do. */
  begin(tx: Tx, fence: Fence): Promise<Work | undefined>;
  /** What an error of an attempt means; null: the row was taken away, and there is nothing to say. */
  failureOf(error: unknown): Failure | null;
  /** The worker stops, and the row waits again. False: the attempt had lost it. */
  release(tx: Tx, fence: Fence): Promise<boolean>;
  /** The attempt has failed, and the row waits for the next one. False: the attempt had lost it. */
  retry(tx: Tx, fence: Fence, failure: Failure, delayMs: number): Promise<boolean>;
  /** Ends the row as failed. `tries`: failures in a row. False: the attempt had lost it. */
  fail(tx: Tx, fence: Fence, failure: Failure, tries: number): Promise<boolean>;
}

/** Notifications on it: `wake <kind>` and `cancel <id>`. */
export const CHANNEL = 'offprint_jobs';

export interface NewJob {
  id: string;
  kind: string;
  organizationId: string;
  /** Jobs of one lane share the limit of their kind; default: none. */
  lane?: string;
  /** Latest attempt of the row of the feature; default 0. */
  attempt?: number;
}

/** Queues a job in the transaction of its row, from its first attempt without failures; a worker that holds it loses it. */
export async function enqueueJob(tx: Tx, job: NewJob): Promise<void> {
  await tx
    .insertInto('jobs')
    .values({
      id: job.id,
      kind: job.kind,
      organization_id: job.organizationId,
      lane: job.lane ?? null,
      attempt: job.attempt ?? 0,
      trace_parent: currentTraceParent(),
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        attempt: sql<number>`greatest(jobs.attempt, excluded.attempt)`,
        failures: 0,
        deaths: 0,
        queued_at: sql<Date>`excluded.queued_at`,
        run_at: sql<Date>`excluded.run_at`,
        worker: null,
        trace_parent: sql<string | null>`excluded.trace_parent`,
      }),
    )
    .execute();
  await sql`SELECT pg_notify(${CHANNEL}, ${`wake ${job.kind}`})`.execute(tx);
}

/** Removes a job from the queue and from its worker, which is notified at once; not an error if it does not exist. */
export async function cancelJob(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('jobs').where('id', '=', id).execute();
  await sql`SELECT pg_notify(${CHANNEL}, ${`cancel ${id}`})`.execute(tx);
}

/** A durable step of an attempt, in the transaction that stores it: failures and deaths before it no longer count. */
export async function recordProgress(tx: Tx, { id, attempt }: Fence): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ failures: 0, deaths: 0 })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    // Most steps write nothing here.
    .where((eb) => eb.or([eb('failures', '>', 0), eb('deaths', '>', 0)]))
    .execute();
}

/** Ends the attempt; the job is claimed again after `delayMs`, or as soon as a worker is free. */
export async function parkJob(tx: Tx, { id, attempt }: Fence, delayMs = 0): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ worker: null, run_at: later(delayMs) })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .execute();
}

/** A time by the clock of the database, which all processes share. */
export const later = (delayMs: number) =>
  sql<Date>`clock_timestamp() + make_interval(secs => ${delayMs / 1_000})`;

/** Channel of the notifications of changed rows of features; the payload is the id. */
export const JOB_CHANGED = 'offprint_job_changed';

/** Notifies those who wait for the job that its row has changed. */
export async function notifyChanged(db: Kysely<Database>, id: string): Promise<void> {
  await sql`SELECT pg_notify(${JOB_CHANGED}, ${id})`.execute(db);
}

/** Whether an attempt still holds the row of its feature, which it keeps from being changed until the transaction ends. */
export async function holdsRow(
  tx: Transaction<Database>,
  table: 'analytics_files' | 'analytics_rollups' | 'bundle_vectors',
  { id, attempt }: Fence,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT id FROM ${sql.table(table)} WHERE id = ${id} AND attempt = ${attempt} AND state = 'queued' FOR UPDATE`.execute(
    tx,
  );
  return rows.length === 1;
}
