import { type Kysely, sql, type Transaction } from 'kysely';
import { recordNotification } from '../notifications/service.ts';
import { type Database, json } from '../platform/db/database.ts';
import { type DeploymentColumns, lockSite, type SiteRow, switchSite } from './store.ts';
import { queueFeedback } from './task-store.ts';
import { settleVariant } from './variants.ts';

/**
 * Ends the deployment of an export that has ended, and makes it live if the export has completed and no later request
 * has. Called in the transaction in which the export ends, and again for those of which that is not known. Nothing if
 * the export has not ended or has no deployment that waits.
 */
export async function settleExport(tx: Transaction<Database>, exportId: string): Promise<void> {
  await settleVariant(tx, exportId);
  const waiting = await tx
    .selectFrom('deployments')
    .select(['id', 'site_id'])
    .where('export_id', '=', exportId)
    .where('status', '=', 'queued')
    .executeTakeFirst();
  // Before the deployment: the preview may be deleted by now.
  const site = waiting && (await lockSite(tx, waiting.site_id));
  if (waiting === undefined || site === undefined) return;
  const ended = await tx
    .selectFrom('exports')
    .leftJoin('projects', 'projects.id', 'exports.project_id')
    .select(['status', 'commit', 'commit_info', 'bundle_sha256', 'bundle_bytes', 'page_count'])
    .select(['error', 'error_code', 'completed_at', 'base_path'])
    .where('exports.id', '=', exportId)
    .where('status', 'in', ['completed', 'failed'])
    .executeTakeFirst();
  if (ended === undefined) return;
  const isCompleted = ended.status === 'completed';
  const deployment = await tx
    .updateTable('deployments')
    .set({
      status: isCompleted ? 'success' : 'failure',
      commit: ended.commit,
      commit_info: ended.commit_info === null ? null : json(ended.commit_info),
      base_path: ended.base_path ?? '',
      bundle_sha256: ended.bundle_sha256,
      bundle_bytes: ended.bundle_bytes,
      page_count: isCompleted ? ended.page_count : null,
      error: ended.error,
      error_code: ended.error_code,
      ended_at: ended.completed_at ?? sql<Date>`now()`,
    })
    .where('id', '=', waiting.id)
    .where('status', '=', 'queued')
    .returningAll()
    .executeTakeFirst();
  if (deployment === undefined) return;
  if (isReported(site, deployment)) await queueFeedback(tx, deployment);
  if (!isCompleted) return notifyOfEnd(tx, site, deployment);
  const isLive = await switchSite(tx, {
    siteId: deployment.site_id,
    deploymentId: deployment.id,
    exportId,
    position: deployment.position,
    by: deployment.created_by,
  });
  if (isLive) await notifyOfEnd(tx, site, deployment);
}

/** Whether the forge is informed: of previews, and of updates that a push has started. */
const isReported = ({ label }: Pick<SiteRow, 'label'>, { source }: DeploymentColumns): boolean =>
  label !== null || source === 'github' || source === 'gitlab' || source === 'webhook';

/** Reports a deployment that is served now, or has failed. Not a cancelled one: somebody has decided that. */
async function notifyOfEnd(
  tx: Transaction<Database>,
  { label }: Pick<SiteRow, 'label'>,
  deployment: DeploymentColumns,
): Promise<void> {
  const { organization_id: organizationId, project_id: projectId, error_code: errorCode } = deployment;
  if (errorCode === 'cancelled') return;
  const { name } = await tx
    .selectFrom('projects')
    .select('name')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const what = label === null ? `update of ${name}` : `preview of ${name} (${deployment.branch ?? ''})`;
  const isFailed = deployment.status === 'failure';
  await recordNotification(tx, {
    organizationId,
    projectId,
    event: isFailed ? 'deployment.failed' : 'deployment.succeeded',
    subject: `The ${what} ${isFailed ? 'failed' : 'is live'}`,
    data: {
      deploymentId: deployment.id,
      kind: label === null ? 'production' : 'preview',
      branch: deployment.branch,
      commit: deployment.commit,
      error: deployment.error,
      errorCode,
    },
  });
}

/**
 * Ends deployments of which the end of the export was not recorded with it: by an earlier version of the program, by a
 * cancellation, or because the export was deleted. Throws the first error, after all others were tried.
 */
export async function settleAll(db: Kysely<Database>): Promise<void> {
  const rows = await db
    .selectFrom('deployments')
    .innerJoin('exports', 'exports.id', 'deployments.export_id')
    .select('exports.id')
    .where('deployments.status', '=', 'queued')
    .where('exports.status', 'in', ['completed', 'failed'])
    .orderBy('deployments.position')
    .limit(1_000)
    .execute();
  const faults: unknown[] = [];
  for (const { id } of rows) {
    try {
      await db.transaction().execute((tx) => settleExport(tx, id));
    } catch (error) {
      faults.push(error);
    }
  }
  await db.transaction().execute(async (tx) => {
    const deleted = await tx
      .updateTable('deployments')
      .set({ status: 'failure', ...DELETED, ended_at: sql<Date>`now()` })
      .where('status', '=', 'queued')
      .where('export_id', 'is', null)
      .returningAll()
      .execute();
    for (const deployment of deleted) await queueFeedback(tx, deployment);
  });
  if (faults.length > 0) throw faults[0];
}

/** The failure of a deployment whose export is gone before its end was recorded. */
export const DELETED = { error: 'The export was deleted.', error_code: 'export_deleted' };
