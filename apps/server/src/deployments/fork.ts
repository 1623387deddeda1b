import { type Kysely, sql, type Transaction } from 'kysely';
import { lockOrganization, requirePlan } from '../organizations/service.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { newId } from '../platform/ids.ts';
import type { Target } from './promote.ts';
import { type DeployAdapters, type DeployRequest, openSite, startDeploymentExport } from './start.ts';
import { findDeployment, lockSite, nextPosition } from './store.ts';
import { queueFeedback } from './task-store.ts';

/** Strangers create pull requests: at most this number of a project waits at a time. */
const MAX_WAITING = 20;

export interface ForkRequest extends Pick<DeployRequest, 'project' | 'by' | 'source' | 'trigger'> {
  /** Path of the repository of the fork. */
  fork: string;
  /** Branch of the fork. */
  branch: string;
  commit: string;
  pullRequest: number;
}

/** Name of the branch of a fork: no branch of a repository has a colon. */
export const forkBranch = (fork: string, branch: string): string => `${fork}:${branch}`.slice(0, 255);

/**
 * Records a deployment of a commit of a fork. Nothing of it is read until a member approves this commit. One of an
 * earlier commit that waits still is replaced. False: the newest deployment of the preview has the commit.
 */
export async function requestFork(
  tx: Transaction<Database>,
  adapters: DeployAdapters,
  request: ForkRequest,
): Promise<{ id: string; isNew: boolean }> {
  const { project, fork, commit, pullRequest } = request;
  const branch = forkBranch(fork, request.branch);
  await requirePlan(tx, project.organization_id, 'Static export', 'enterprise');
  await lockOrganization(tx, project.organization_id);
  await requireRoom(tx, project.id, branch);
  const { site } = await openSite(tx, adapters, { project, kind: 'preview', branch, pullRequest });
  const newest = await tx
    .selectFrom('deployments')
    .select(['id', 'pushed_commit'])
    .where('site_id', '=', site.id)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest?.pushed_commit === commit) return { id: newest.id, isNew: false };
  await tx.deleteFrom('deployments').where('site_id', '=', site.id).where('status', '=', 'waiting').execute();
  const id = newId('dep');
  const of = { organization_id: project.organization_id, project_id: project.id, site_id: site.id };
  await tx
    .insertInto('deployments')
    .values({
      id,
      ...of,
      position: await nextPosition(tx, site.id),
      branch,
      status: 'waiting',
      fork,
      pushed_commit: commit,
      source: request.source,
      created_by: request.by,
      base_path: project.base_path,
    })
    .execute();
  await queueFeedback(tx, { id, ...of });
  return { id, isNew: true };
}

/** Whether an export is of a fork. */
export async function isOfFork(db: Kysely<Database>, exportId: string): Promise<boolean> {
  const row = await db
    .selectFrom('deployments')
    .select('id')
    .where('export_id', '=', exportId)
    .where('fork', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function requireRoom(tx: Transaction<Database>, projectId: string, branch: string): Promise<void> {
  const { count } = await tx
    .selectFrom('deployments')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .where('status', '=', 'waiting')
    .where('branch', 'is distinct from', branch)
    .executeTakeFirstOrThrow();
  if (count < MAX_WAITING) return;
  throw new AppError(
    'too_many_previews',
    `${MAX_WAITING} pull requests of forks wait for approval, the maximum. Approve or delete some of their deployments.`,
    { headers: { 'Retry-After': '3600' } },
  );
}

/**
 * Starts the export of a commit of a fork, once. The export reads the commit from the repository of the project, which
 * has it because of the pull request, and nothing else that changes later.
 */
export function approveDeployment(
  db: Kysely<Database>,
  adapters: DeployAdapters,
  { organizationId, projectId, id }: Target,
  by: string,
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const find = async () => {
      const row = await findDeployment(tx, organizationId, id);
      if (row === undefined || row.project_id !== projectId) throw notFound('deployment');
      return row;
    };
    await requirePlan(tx, organizationId, 'Static export', 'enterprise');
    // Before the site, as starts of exports do.
    await lockOrganization(tx, organizationId);
    const { site_id: siteId } = await find();
    if ((await lockSite(tx, siteId)) === undefined) throw notFound('deployment');
    const row = await find();
    if (row.status !== 'waiting') {
      if (row.approved_by !== null) return;
      throw new AppError('not_waiting', 'The deployment does not wait for approval: it is not of a fork.');
    }
    const { exportId } = await startDeploymentExport(tx, adapters, {
      organizationId,
      projectId,
      ref: row.pushed_commit,
      domain: null,
      by,
      trigger: 'call',
    });
    await tx
      .updateTable('deployments')
      .set({
        status: 'queued',
        approved_by: by,
        export_id: exportId,
        position: await nextPosition(tx, siteId),
      })
      .where('id', '=', id)
      .execute();
    await queueFeedback(tx, row);
  });
}
