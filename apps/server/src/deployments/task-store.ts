import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, DeploymentTask, DeploymentTasksTable } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { enqueueJob, type Fence } from '../platform/jobs/jobs.ts';

/** Name of the jobs of tasks that follow a deployment. */
export const DEPLOYMENT_KIND = 'deployment';

export type TaskRow = Selectable<DeploymentTasksTable>;

/** Queues a task in the transaction of what it follows. Tasks of one lane run one after the other. */
export async function queueTask(
  tx: Transaction<Database>,
  task: {
    organizationId: string;
    projectId: string;
    deploymentId: string;
    task: DeploymentTask;
    lane: string;
  },
): Promise<void> {
  const id = newId('task');
  const { organizationId, lane } = task;
  await tx
    .insertInto('deployment_tasks')
    .values({
      id,
      organization_id: organizationId,
      project_id: task.projectId,
      deployment_id: task.deploymentId,
      task: task.task,
      lane,
    })
    .execute();
  await enqueueJob(tx, { id, kind: DEPLOYMENT_KIND, organizationId, lane });
}

/** A deployment of which commit and pull request are informed. */
export interface Reported {
  id: string;
  organization_id: string;
  project_id: string;
  site_id: string;
}

/** Queues what the commit and the pull request of a deployment show of it, if the project has set its forge. */
export async function queueFeedback(tx: Transaction<Database>, deployment: Reported): Promise<void> {
  const { id, organization_id: organizationId, project_id: projectId, site_id: siteId } = deployment;
  const settings = await tx
    .selectFrom('agent_settings')
    .select('project_id')
    .where('project_id', '=', projectId)
    .where('forge', 'is not', null)
    .executeTakeFirst();
  if (settings === undefined) return;
  const lane = `feedback/${siteId}`;
  await queueTask(tx, { organizationId, projectId, deploymentId: id, task: 'feedback', lane });
}

/** Starts the next attempt; undefined when the task has ended or its deployment was deleted. */
export function beginTask(tx: Transaction<Database>, { id, attempt }: Fence): Promise<TaskRow | undefined> {
  return tx
    .updateTable('deployment_tasks')
    .set({ attempt })
    .where('id', '=', id)
    .where('attempt', '<', attempt)
    .where('state', '=', 'queued')
    .returningAll()
    .executeTakeFirst();
}

/** Writes how an attempt ended. False when the attempt has lost the task. */
export async function saveTask(
  db: Kysely<Database> | Transaction<Database>,
  { id, attempt }: Fence,
  { state, error }: Pick<TaskRow, 'state' | 'error'>,
): Promise<boolean> {
  const row = await db
    .updateTable('deployment_tasks')
    .set({ state, error, ended_at: state === 'queued' ? null : sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'queued')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes tasks that ended more than this number of days ago. */
export async function forgetTasks(db: Kysely<Database>, days: number): Promise<void> {
  await db
    .deleteFrom('deployment_tasks')
    .where('state', '<>', 'queued')
    .where('ended_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .execute();
}
