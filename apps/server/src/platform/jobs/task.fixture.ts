/** A kind of job for tests: rows of a table `tasks`, whose payload says what the handler does. */
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../db/database.ts';
import { openListener } from '../db/listen.ts';
import { createMetrics } from '../metrics.ts';
import { enqueueJob, type Fence, type Kind, recordProgress } from './jobs.ts';
import { announce, newWorkerNumber } from './leases.ts';
import { type JobWorker, type Slots, startJobs } from './worker.ts';

export interface TaskPayload {
  label: string;
  /** How long the handler runs; without it, until the table says `go` for its attempt. */
  ms?: number;
  /** Attempts that throw. */
  failures?: number;
  /** Does not check the signal. */
  isDeaf?: boolean;
}

export interface Task extends Fence {
  payload: TaskPayload;
  signal: AbortSignal;
  /** Stores a step. */
  progress(): Promise<void>;
}

export const TASK_TABLES = `
  CREATE TABLE tasks (
    id text PRIMARY KEY, organization_id text, payload jsonb, attempt int DEFAULT 0, state text DEFAULT 'active');
  CREATE TABLE history (
    id bigint GENERATED ALWAYS AS IDENTITY, label text, attempt int, worker text, event text,
    at timestamptz DEFAULT clock_timestamp())`;

export function createTaskKind(db: Kysely<Database>, handler: (task: Task) => Promise<void>): Kind {
  const owns = async (tx: Kysely<Database>, { id, attempt }: Fence, state = 'active'): Promise<boolean> => {
    const { rows } = await sql`
      UPDATE tasks SET state = ${state} WHERE id = ${id} AND attempt = ${attempt} AND state = 'active'
      RETURNING id`.execute(tx);
    return rows.length === 1;
  };
  return {
    name: 'test',
    unfinished: sql`SELECT id, organization_id, NULL AS lane, attempt FROM tasks WHERE state = 'active'`,
    maxFailures: 5,
    async begin(tx, fence) {
      const { rows } = await sql<{ payload: TaskPayload }>`
        UPDATE tasks SET attempt = ${fence.attempt}
        WHERE id = ${fence.id} AND attempt < ${fence.attempt} AND state = 'active' RETURNING payload`.execute(
        tx,
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      return {
        async run({ signal }) {
          const progress = () => db.transaction().execute((step) => recordProgress(step, fence));
          await handler({ ...fence, payload: row.payload, signal, progress });
          return (await owns(db, fence, 'done')) ? 'completed' : 'lost';
        },
        async abandon(_lease, failure) {
          return { ...failure, message: `${failure.message} Cleaned up.` };
        },
      };
    },
    failureOf: (error) => ({ code: 'internal', message: String(error), retryable: true }),
    release: (tx, fence) => owns(tx, fence),
    retry: (tx, fence) => owns(tx, fence),
    async fail(tx, fence, { message }) {
      const isOurs = await owns(tx, fence, 'failed');
      await sql`UPDATE tasks SET payload = payload || jsonb_build_object('failure', ${message}::text)
        WHERE id = ${fence.id}`.execute(tx);
      return isOurs;
    },
  };
}

/** Rules by which nobody is held back. */
export const NO_LIMITS = { weights: {}, organizationLimit: 1_000_000, laneLimit: 1_000_000 };

/** A worker in this process with connections of its own. */
export async function startTaskWorker(
  url: string,
  options: {
    name: string;
    workDir: string;
    slots?: Partial<Slots>;
    handler: (task: Task) => Promise<void>;
  },
): Promise<JobWorker & { number: number }> {
  const open = openDatabase(url, { role: options.name, max: 4, onError: () => undefined });
  const number = newWorkerNumber();
  const { promise: announced, resolve } = Promise.withResolvers<void>();
  const listener = openListener(url, {
    role: options.name,
    onConnect: (client) => announce(client, number).then(resolve),
  });
  await announced;
  const kind = createTaskKind(open.db, options.handler);
  const log = pino({ level: 'silent' });
  const worker = startJobs(
    { db: open.db, listener, worker: number, workDir: options.workDir, log, metrics: createMetrics() },
    [{ ...NO_LIMITS, concurrency: 1, ...options.slots, kind }],
  );
  return {
    number,
    async stop(graceMs) {
      await worker.stop(graceMs);
      await listener.close();
      await open.close();
    },
  };
}

/** Adds a task with its job. */
export async function addTask(
  db: Kysely<Database>,
  id: string,
  organizationId: string,
  payload: TaskPayload,
  lane?: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`INSERT INTO tasks (id, organization_id, payload)
      VALUES (${id}, ${organizationId}, ${JSON.stringify(payload)}::jsonb)`.execute(tx);
    await enqueueJob(tx, { id, kind: 'test', organizationId, ...(lane === undefined ? {} : { lane }) });
  });
}
