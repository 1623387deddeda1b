import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { type Db, findDeployment, lockSite, nextPosition, switchSite } from './store.ts';

export interface Target {
  organizationId: string;
  projectId: string;
  id: string;
}

/** Makes a stored production deployment live. Of requests at the same time, the last one wins. */
export function promoteDeployment(
  db: Kysely<Database>,
  target: Target,
  { replaces, by }: { replaces: string | undefined; by: string },
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const found = await requireDeployment(tx, target);
    const site = await lockSite(tx, found.site_id);
    if (site === undefined) throw notFound('deployment');
    if (replaces !== undefined && site.deployment_id !== replaces) {
      throw new AppError(
        'deployment_changed',
        'Another deployment is live by now. Read the list again, then decide again.',
        { param: '/replaces' },
      );
    }
    if (site.deployment_id === found.id) return;
    // Read again under the lock: its export may have ended or been deleted.
    const row = await requireDeployment(tx, target);
    if (site.label !== null) {
      throw new AppError(
        'not_completed',
        'Only production deployments can be made live. Merge the branch of the preview, then update the site.',
      );
    }
    if (row.status !== 'success') {
      throw new AppError(
        'not_completed',
        row.status === 'failure'
          ? `The deployment failed: ${row.error ?? 'no reason is known.'} Update the site instead.`
          : 'The deployment has not completed. It becomes live when it has.',
      );
    }
    if (row.export_id === null) {
      throw new AppError(
        'artifact_lost',
        'The export of the deployment was deleted. Update the site instead.',
      );
    }
    const position = await nextPosition(tx, site.id);
    await switchSite(tx, {
      siteId: site.id,
      deploymentId: row.id,
      exportId: row.export_id,
      position,
      by,
    });
  });
}

/** Deletes a deployment that is not live, or with the one that a preview serves, the preview. */
export function deleteDeployment(db: Kysely<Database>, target: Target): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const { site_id: siteId } = await requireDeployment(tx, target);
    const site = await lockSite(tx, siteId);
    if (site === undefined) throw notFound('deployment');
    const row = await requireDeployment(tx, target);
    if (row.is_live && site.label === null) {
      throw new AppError(
        'deployment_live',
        'The deployment is live. Make another deployment live first. To stop serving the site, release its domains.',
      );
    }
    if (row.is_live) return expireSite(tx, siteId);
    if (row.status === 'queued' && (row.export_status === 'queued' || row.export_status === 'running')) {
      throw new AppError('not_finished', 'The deployment has not completed. Cancel its export first.');
    }
    await tx.deleteFrom('deployments').where('id', '=', row.id).execute();
  });
}

/** Ends a preview: no host serves it from now on, and the next sweep deletes it with its exports. */
async function expireSite(db: Kysely<Database>, siteId: string): Promise<void> {
  await db
    .updateTable('sites')
    .set({ expires_at: sql<Date>`now()` })
    .where('id', '=', siteId)
    .where('label', 'is not', null)
    .execute();
}

/**
 * Ends the preview of a branch that was deleted, or whose pull request was closed, unless its newest pull request is
 * another one. False if the branch has no such preview.
 */
export async function expirePreview(
  tx: Transaction<Database>,
  { projectId, branch, pullRequest }: { projectId: string; branch: string; pullRequest: number | null },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sites')
    .set({ expires_at: sql<Date>`now()` })
    .where('project_id', '=', projectId)
    .where('branch', '=', branch)
    .where('expires_at', '>', sql<Date>`now()`)
    .$if(pullRequest !== null, (query) =>
      query.where((eb) => eb.or([eb('pull_request', 'is', null), eb('pull_request', '=', pullRequest)])),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function requireDeployment(db: Db, { organizationId, projectId, id }: Target) {
  const row = await findDeployment(db, organizationId, id);
  if (row === undefined || row.project_id !== projectId) throw notFound('deployment');
  return row;
}
