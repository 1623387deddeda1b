import { type Kysely, type Selectable, sql, type Transaction, type UpdateObject } from 'kysely';
import { addUsage } from '../audit/service.ts';
import {
  type AgentJobsTable,
  type AgentPhase,
  type Database,
  json,
  plainText,
} from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import type { Cursor } from '../platform/http/cursor.ts';
import { enqueueJob, notifyChanged } from '../platform/jobs/jobs.ts';
import { append } from './journal.ts';
import type { EventBody } from './record.ts';
import type { AgentSettingsRow } from './settings.ts';

type Db = Kysely<Database> | Transaction<Database>;
type Tx = Transaction<Database>;

const columns = [
  'id',
  'organization_id',
  'project_id',
  'phase',
  'attempt',
  'repository',
  'model',
  'model_requested',
  'branch',
  'branch_requested',
  'pushed_sha',
  'turn',
  'last_seq',
  'usage',
  'checks',
  'outcome',
  'title',
  'subject',
  'pull_requests',
  'pr_link',
  'failure_code',
  'failure_message',
  'created_at',
  'updated_at',
  'archived_at',
  'emptied_at',
] as const;

/** A job as the API needs it: without what only the worker reads, which can be much. */
export type JobView = Pick<Selectable<AgentJobsTable>, (typeof columns)[number]> & {
  /** Plan of the agent. */
  plan: unknown;
};

const plan = sql<unknown>`memory -> 'plan'`.as('plan');

/** Names a job of a project of an organization; all three have to fit. */
export interface JobName {
  organizationId: string;
  projectId: string;
  id: string;
}

export interface NewJob extends JobName {
  createdBy: string;
  repository: string;
  model: string;
  modelRequested: string | null;
  branch: string | null;
  baseBranch: string | null;
  draft: boolean;
  /** Start of the prompt. */
  subject: string;
}

/** Kind of the jobs of the agent. */
export const AGENT_KIND = 'agent';

/** Adds a queued job with its first event, and counts it. */
export async function insertJob(tx: Tx, wanted: NewJob): Promise<JobView> {
  const row = await tx
    .insertInto('agent_jobs')
    .values({
      id: wanted.id,
      organization_id: wanted.organizationId,
      project_id: wanted.projectId,
      created_by: wanted.createdBy,
      repository: wanted.repository,
      model: plainText(wanted.model),
      model_requested: wanted.modelRequested === null ? null : plainText(wanted.modelRequested),
      branch_requested: wanted.branch,
      base_branch_requested: wanted.baseBranch,
      draft: wanted.draft,
      subject: plainText(wanted.subject),
    })
    .returning([...columns, plan])
    .executeTakeFirstOrThrow();
  const [event] = await append(tx, row, [{ kind: 'state', phase: 'queued' }]);
  await addUsage(tx, wanted.organizationId, { agentJobs: 1 });
  await queueJob(tx, row);
  return { ...row, last_seq: event?.seq ?? row.last_seq };
}

/** Has a worker process the job as soon as one is free. */
export function queueJob(
  tx: Tx,
  row: Pick<JobView, 'id' | 'organization_id' | 'project_id' | 'attempt'>,
): Promise<void> {
  const { id, organization_id: organizationId, project_id: lane, attempt } = row;
  return enqueueJob(tx, { id, kind: AGENT_KIND, organizationId, lane, attempt });
}

export function findJob(db: Db, { organizationId, projectId, id }: JobName): Promise<JobView | undefined> {
  return db
    .selectFrom('agent_jobs')
    .select([...columns, plan])
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The job, locked until the transaction ends, so that its worker and other calls wait. */
export function lockJob(tx: Tx, { organizationId, projectId, id }: JobName): Promise<JobView | undefined> {
  return tx
    .selectFrom('agent_jobs')
    .select([...columns, plan])
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export function listJobs(
  db: Db,
  project: { organizationId: string; projectId: string },
  page: { phases: readonly AgentPhase[] | undefined; after: Cursor | undefined; limit: number },
): Promise<JobView[]> {
  const { phases } = page;
  let query = db
    .selectFrom('agent_jobs')
    .select([...columns, plan])
    .where('organization_id', '=', project.organizationId)
    .where('project_id', '=', project.projectId);
  if (phases !== undefined) query = query.where('phase', 'in', [...phases]);
  return newestFirst(query, page).execute();
}

/**
 * Changes a locked job, with the event that reports it and the notification for waiting readers, all part of
 * the transaction. Without an event the row is touched and the hint given.
 */
export async function changeJob(
  tx: Tx,
  id: string,
  set: UpdateObject<Database, 'agent_jobs'>,
  event?: Extract<EventBody, { kind: 'state' }>,
): Promise<JobView> {
  const row = await tx
    .updateTable('agent_jobs')
    .set({ ...set, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returning([...columns, plan])
    .executeTakeFirstOrThrow();
  const [added] = event === undefined ? [] : await append(tx, row, [event]);
  await notifyChanged(tx, id);
  return { ...row, last_seq: added?.seq ?? row.last_seq };
}

/** Keeps a prompt for the job; it counts as a use of the project from this moment. */
export async function insertMessage(
  tx: Tx,
  message: { jobId: string; projectId: string; prompt: string; createdBy: string },
): Promise<void> {
  await tx
    .insertInto('agent_messages')
    .values({
      job_id: message.jobId,
      project_id: message.projectId,
      prompt: plainText(message.prompt),
      created_by: message.createdBy,
      // Not the start of the transaction, which may have waited for its turn.
      created_at: sql<Date>`clock_timestamp()`,
    })
    .execute();
}

export async function countMessages(tx: Tx, jobId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('agent_messages')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  return count;
}

/** One call that uses the agent at a time for a project, so that what it counts holds. False: there is no project. */
export async function lockProject(tx: Tx, organizationId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Seconds until the project may use the agent again, with `limit` uses in any hour; 0 when it may now. */
export async function secondsUntilUse(tx: Tx, projectId: string, limit: number): Promise<number> {
  // The use that has to be an hour ago before there is room: the limit-th newest.
  const row = await tx
    .selectFrom('agent_messages')
    .select(
      sql<number>`ceil(extract(epoch FROM created_at + interval '1 hour' - clock_timestamp()))::int`.as(
        'seconds',
      ),
    )
    .where('project_id', '=', projectId)
    .where('created_at', '>', sql<Date>`clock_timestamp() - interval '1 hour'`)
    .orderBy('created_at', 'desc')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? 0 : Math.max(1, row.seconds);
}

/** Events after `seq`, oldest first. */
export function findEvents(db: Db, jobId: string, seq: number, limit: number) {
  return db
    .selectFrom('agent_events')
    .select(['seq', 'turn', 'body', 'at'])
    .where('job_id', '=', jobId)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** Prompts that the model has not received yet, oldest first. */
export function findPending(db: Db, jobId: string) {
  return db
    .selectFrom('agent_messages')
    .select(['prompt', 'created_at'])
    .where('job_id', '=', jobId)
    .where('delivered_seq', 'is', null)
    .orderBy('id')
    .execute();
}

/**
 * The newest event of the model at or before `seq`: the one with the calls that the results after it belong
 * to.
 */
export async function findAnswered(db: Db, jobId: string, seq: number): Promise<EventBody | undefined> {
  const row = await db
    .selectFrom('agent_events')
    .select('body')
    .where('job_id', '=', jobId)
    .where('kind', '=', 'assistant')
    .where('seq', '<=', seq)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.body as EventBody | undefined;
}

export function findFiles(db: Db, jobId: string) {
  return db
    .selectFrom('agent_files')
    .select(['path', 'content', 'before'])
    .where('job_id', '=', jobId)
    .orderBy(sql`path COLLATE "C"`)
    .execute();
}

export function findSettings(db: Db, projectId: string): Promise<AgentSettingsRow | undefined> {
  return db.selectFrom('agent_settings').selectAll().where('project_id', '=', projectId).executeTakeFirst();
}

export function replaceSettings(
  tx: Tx,
  project: { organizationId: string; id: string },
  set: {
    model: unknown;
    model_key_sealed: Buffer | null;
    forge: unknown;
    forge_secret_sealed: Buffer | null;
    instructions: string;
    write_allow: readonly string[];
    branch_prefix: string;
  },
): Promise<AgentSettingsRow> {
  const values = {
    model: set.model === null ? null : json(set.model),
    model_key_sealed: set.model_key_sealed,
    forge: set.forge === null ? null : json(set.forge),
    forge_secret_sealed: set.forge_secret_sealed,
    instructions: plainText(set.instructions),
    write_allow: json(set.write_allow),
    branch_prefix: set.branch_prefix,
  };
  return tx
    .insertInto('agent_settings')
    .values({ project_id: project.id, organization_id: project.organizationId, ...values })
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet({ ...values, updated_at: sql<Date>`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}
