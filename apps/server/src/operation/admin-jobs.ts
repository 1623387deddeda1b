import { type Kysely, sql, type Transaction } from 'kysely';
import { AdminError } from '../admin-error.ts';
import { stopAgentJob } from '../agent/service.ts';
import { ACTIVE_PHASES } from '../agent/state.ts';
import { queueJob } from '../agent/store.ts';
import { cancelExport } from '../exports/journal.ts';
import { retryLoss } from '../exports/lost-artifact.ts';
import { EXPORT_KIND } from '../exports/start.ts';
import { JOB_KINDS, type JobGroup, type JobKind, readJobStates } from '../job-state.ts';
import type { Database } from '../platform/db/database.ts';
import { enqueueJob } from '../platform/jobs/jobs.ts';
import {
  drainWorker,
  type LiveWorker,
  listWorkers,
  pauseKind,
  readStops,
  resumeKind,
  undrainWorker,
} from '../platform/jobs/stops.ts';

export interface QueueState {
  groups: JobGroup[];
  workers: number;
  /** Kinds of which no job is claimed. */
  paused: string[];
}

/** Interventions of operators in jobs, queues and workers. */
export interface JobsAdmin {
  /**
   * Queues an unfinished export or agent job once more, from the front of its retries; a worker that holds it loses it.
   * For a completed export with a lost artifact, its restoration. Returns what was queued.
   */
  requeueJob(id: string): Promise<'job' | 'artifact'>;
  /** Cancels every unfinished export and agent job of the organization; returns how many. */
  cancelJobs(idOrName: string): Promise<{ organizationId: string; exports: number; agentJobs: number }>;
  readQueue(): Promise<QueueState>;
  /** `kind`: null for all. Throws an AdminError for an unknown one. */
  pauseQueue(kind: string | null): Promise<QueueState>;
  resumeQueue(kind: string | null): Promise<QueueState>;
  listWorkers(): Promise<LiveWorker[]>;
  /** The worker claims nothing new (or, with `isDrained` false, again). */
  drainWorker(worker: number, isDrained: boolean): Promise<LiveWorker>;
}

type Tx = Transaction<Database>;

export interface JobsAdminAdapters {
  db: Kysely<Database>;
  /** Does it in a transaction with its event in the audit log. */
  act<Value>(
    event: { organizationId?: string; action: string; target?: string },
    run: (tx: Tx) => Promise<Value>,
  ): Promise<Value>;
  organizationOf(idOrName: string): Promise<{ id: string }>;
}

export function createJobsAdmin({ db, act, organizationOf }: JobsAdminAdapters): JobsAdmin {
  const readQueue = async (): Promise<QueueState> => {
    const { groups, workers } = await readJobStates(db);
    return { groups, workers, paused: (await readStops(db)).kinds };
  };
  return {
    readQueue,
    requeueJob: (id) => (id.startsWith('job_') ? requeueAgentJob(db, act, id) : requeueExport(db, act, id)),

    async cancelJobs(idOrName) {
      const { id: organizationId } = await organizationOf(idOrName);
      return act({ organizationId, action: 'cancelJobs', target: organizationId }, async () => {
        const exports = await cancelExports(db, organizationId);
        const agentJobs = await cancelAgentJobs(db, organizationId);
        return { organizationId, exports, agentJobs };
      });
    },

    async pauseQueue(wanted) {
      for (const kind of kindsOf(wanted))
        await act({ action: 'pauseQueue', target: kind }, (tx) => pauseKind(tx, kind));
      return readQueue();
    },
    async resumeQueue(wanted) {
      for (const kind of kindsOf(wanted))
        await act({ action: 'resumeQueue', target: kind }, (tx) => resumeKind(tx, kind));
      return readQueue();
    },

    listWorkers: () => listWorkers(db),
    async drainWorker(worker, isDrained) {
      const find = async () => (await listWorkers(db)).find((each) => each.worker === worker);
      if ((await find()) === undefined) {
        throw new AdminError(
          `No live worker has the number ${worker}. \`offprint admin worker list\` lists all workers.`,
        );
      }
      const action = isDrained ? 'drainWorker' : 'resumeWorker';
      await act({ action, target: String(worker) }, async (tx) => {
        if (isDrained) await drainWorker(tx, worker);
        else await undrainWorker(tx, worker);
      });
      const found = await find();
      if (found !== undefined) return found;
      throw new AdminError(`The worker ${worker} has ended.`);
    },
  };
}

function kindsOf(wanted: string | null): readonly JobKind[] {
  if (wanted === null) return JOB_KINDS;
  const found = JOB_KINDS.filter((kind) => kind === wanted);
  if (found.length > 0) return found;
  throw new AdminError(
    `Unknown kind of job: ${JSON.stringify(wanted)}. Use one of: ${JOB_KINDS.join(', ')}.`,
  );
}

async function requeueExport(
  db: Kysely<Database>,
  act: JobsAdminAdapters['act'],
  id: string,
): Promise<'job' | 'artifact'> {
  const row = await db
    .selectFrom('exports')
    .select(['organization_id', 'status', 'attempt', 'bundle_sha256'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) {
    throw new AdminError(
      `No export or agent job has the id ${JSON.stringify(id)}. Use an id such as se_… or job_….`,
    );
  }
  const { organization_id: organizationId, status, attempt, bundle_sha256: bundle } = row;
  if (status === 'failed')
    throw new AdminError(`The export ${id} has failed, which is final. Start a new export.`);
  return act({ organizationId, action: 'requeueJob', target: id }, async (tx) => {
    if (status !== 'completed') {
      await enqueueJob(tx, { id, kind: EXPORT_KIND, organizationId, attempt });
      return 'job';
    }
    if (bundle !== null && (await retryLoss(tx, organizationId, bundle))) return 'artifact';
    throw new AdminError(
      `The export ${id} has completed, and its artifact is not recorded as lost. \`offprint doctor\` checks whether it is stored.`,
    );
  });
}

async function requeueAgentJob(
  db: Kysely<Database>,
  act: JobsAdminAdapters['act'],
  id: string,
): Promise<'job'> {
  const row = await db
    .selectFrom('agent_jobs')
    .select(['id', 'organization_id', 'project_id', 'phase', 'attempt'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new AdminError(`No agent job has the id ${JSON.stringify(id)}.`);
  if (!ACTIVE_PHASES.includes(row.phase)) {
    throw new AdminError(`The agent job ${id} is ${row.phase}. Send it a message to continue.`);
  }
  await act({ organizationId: row.organization_id, action: 'requeueJob', target: id }, (tx) =>
    queueJob(tx, row),
  );
  return 'job';
}

async function cancelExports(db: Kysely<Database>, organizationId: string): Promise<number> {
  const rows = await db
    .selectFrom('exports')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('status', 'in', ['queued', 'running'])
    .execute();
  let count = 0;
  for (const { id } of rows) if ((await cancelExport(db, organizationId, id)) !== undefined) count += 1;
  return count;
}

async function cancelAgentJobs(db: Kysely<Database>, organizationId: string): Promise<number> {
  const rows = await db
    .selectFrom('agent_jobs')
    .select(['id', 'project_id'])
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`phase = ANY (${[...ACTIVE_PHASES]}::text[])`)
    .execute();
  for (const { id, project_id: projectId } of rows) {
    await stopAgentJob(db, { organizationId, projectId, id }, 'cancel');
  }
  return rows.length;
}
