import { type Kysely, type Selectable, sql } from 'kysely';
import type { CommitStatusesTable, Database } from '../platform/db/database.ts';

/** A status that a forge shows as pending. */
export type PendingStatus = Selectable<CommitStatusesTable>;

/** Notes that the forge is about to show a status, which is final unless it is pending. */
export async function noteStatus(
  db: Kysely<Database>,
  status: Pick<PendingStatus, 'project_id' | 'organization_id' | 'commit' | 'context' | 'deployment_id'>,
): Promise<void> {
  const { deployment_id: deploymentId } = status;
  await db
    .insertInto('commit_statuses')
    .values(status)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'commit', 'context']).doUpdateSet({
        deployment_id: deploymentId,
        attempts: 0,
        next_at: sql<Date>`now() + interval '1 minute'`,
      }),
    )
    .execute();
}

/** Notes that the forge shows a final status. */
export async function forgetStatus(
  db: Kysely<Database>,
  { project_id: projectId, commit, context }: Pick<PendingStatus, 'project_id' | 'commit' | 'context'>,
): Promise<void> {
  await db
    .deleteFrom('commit_statuses')
    .where('project_id', '=', projectId)
    .where('commit', '=', commit)
    .where('context', '=', context)
    .execute();
}

/** Delays the next check of a status. */
export async function postponeStatus(
  db: Kysely<Database>,
  { project_id: projectId, commit, context }: PendingStatus,
  seconds: number,
  attempts: number,
): Promise<void> {
  await db
    .updateTable('commit_statuses')
    .set({ attempts, next_at: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .where('project_id', '=', projectId)
    .where('commit', '=', commit)
    .where('context', '=', context)
    .execute();
}
