import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, DeploymentsTable, SitesTable } from '../platform/db/database.ts';
import type { Cursor } from '../platform/http/cursor.ts';
import { queueTask } from './task-store.ts';
import { queueVariants } from './variants.ts';

export type Db = Kysely<Database> | Transaction<Database>;
export type SiteRow = Selectable<SitesTable>;
export type DeploymentRow = NonNullable<Awaited<ReturnType<typeof findDeployment>>>;
export type DeploymentColumns = Selectable<DeploymentsTable>;

/** Deployments with what their export and their site know of them; those of previews that are over are gone. */
const select = (db: Db) =>
  db
    .selectFrom('deployments')
    .innerJoin('sites', 'sites.id', 'deployments.site_id')
    .leftJoin('exports', 'exports.id', 'deployments.export_id')
    .selectAll('deployments')
    .select([
      'sites.label',
      'sites.expires_at',
      'sites.switched_at',
      'sites.switched_by',
      'exports.status as export_status',
      'exports.attempt as export_attempt',
      'exports.progress as export_progress',
      'exports.error as export_error',
      'exports.error_code as export_error_code',
      'exports.commit as export_commit',
      'exports.commit_info as export_commit_info',
      'exports.started_at as export_started_at',
      'exports.completed_at as export_completed_at',
      'exports.page_access as export_page_access',
      sql<boolean>`(sites.deployment_id IS NOT DISTINCT FROM deployments.id)`.as('is_live'),
    ])
    // What the commit shows: the newest task counts.
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('deployment_tasks')
          .select(['state as feedback_state', 'error as feedback_error'])
          .whereRef('deployment_tasks.deployment_id', '=', 'deployments.id')
          .where('task', '=', 'feedback')
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(1)
          .as('feedback'),
      (join) => join.onTrue(),
    )
    .select(['feedback.feedback_state', 'feedback.feedback_error'])
    .where(sql<boolean>`(sites.expires_at IS NULL OR sites.expires_at > now())`);

export function findDeployment(db: Db, organizationId: string, id: string) {
  return select(db)
    .where('deployments.organization_id', '=', organizationId)
    .where('deployments.id', '=', id)
    .executeTakeFirst();
}

/** The production deployment that is live; undefined: none. */
export function findLive(db: Db, organizationId: string, projectId: string) {
  return select(db)
    .where('deployments.organization_id', '=', organizationId)
    .where('deployments.project_id', '=', projectId)
    .where('sites.label', 'is', null)
    .whereRef('sites.deployment_id', '=', 'deployments.id')
    .executeTakeFirst();
}

export function listDeployments(
  db: Db,
  of: { organizationId: string; projectId: string; kind: 'production' | 'preview' | undefined },
  page: { after: Cursor | undefined; limit: number },
): Promise<DeploymentRow[]> {
  const { after } = page;
  return select(db)
    .where('deployments.organization_id', '=', of.organizationId)
    .where('deployments.project_id', '=', of.projectId)
    .$if(of.kind !== undefined, (query) =>
      query.where('sites.label', of.kind === 'production' ? 'is' : 'is not', null),
    )
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(deployments.created_at, deployments.id) < (${after?.createdAt ?? null}, ${after?.id ?? null})`,
      ),
    )
    .orderBy('deployments.created_at', 'desc')
    .orderBy('deployments.id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** The site, locked until the transaction ends: before its deployments, in every transaction that locks both. */
export function lockSite(tx: Transaction<Database>, id: string): Promise<SiteRow | undefined> {
  return tx.selectFrom('sites').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Number of the next request to change what the locked site serves. */
export async function nextPosition(tx: Transaction<Database>, siteId: string): Promise<number> {
  const { requests } = await tx
    .updateTable('sites')
    .set({ requests: sql<number>`requests + 1` })
    .where('id', '=', siteId)
    .returning('requests')
    .executeTakeFirstOrThrow();
  return requests;
}

/** What becomes live. */
export interface Switch {
  siteId: string;
  deploymentId: string;
  exportId: string;
  position: number;
  by: string;
}

/**
 * Makes a deployment live, unless a later request has made another one live: the only statement that does. What
 * production serves is recorded afterwards.
 */
export async function switchSite(tx: Transaction<Database>, to: Switch): Promise<boolean> {
  const { rows } = await sql<{
    previous: string | null;
    organization_id: string;
    project_id: string;
    label: string | null;
  }>`
    UPDATE sites SET deployment_id = ${to.deploymentId}, export_id = ${to.exportId}, position = ${to.position},
      switched_at = now(), switched_by = ${to.by}
    FROM (SELECT id, export_id AS previous FROM sites WHERE id = ${to.siteId}) AS before
    WHERE sites.id = before.id AND sites.position < ${to.position}
    RETURNING before.previous AS previous, sites.organization_id, sites.project_id, sites.label`.execute(tx);
  const [switched] = rows;
  if (switched === undefined) return false;
  await tx
    .updateTable('deployments')
    .set({ previous_export_id: switched.previous })
    .where('id', '=', to.deploymentId)
    // What a promotion replaces is not what the deployment has changed.
    .where('previous_export_id', 'is', null)
    .execute();
  await queueVariants(tx, to.siteId);
  const { organization_id: organizationId, project_id: projectId, label } = switched;
  if (label === null) {
    const lane = `links/${projectId}`;
    await queueTask(tx, { organizationId, projectId, deploymentId: to.deploymentId, task: 'links', lane });
  }
  return true;
}
