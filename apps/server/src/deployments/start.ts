import type { DeploymentSource } from '@offprint/contract';
import type { WantedServices } from '@offprint/render';
import { sql, type Transaction } from 'kysely';
import { hasOwnModel } from '../agent/service.ts';
import type { Quotas } from '../audit/service.ts';
import { verifiedHosts } from '../domains/service.ts';
import { startExportIn } from '../exports/service.ts';
import { lockOrganization, requirePlan } from '../organizations/service.ts';
import type { Database, ExportTrigger } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { newId } from '../platform/ids.ts';
import { addProjectDomain, findProjectIn, type ProjectRow } from '../projects/service.ts';
import { noPreviewDomain, previewDomainOf } from './preview-domain.ts';
import { newPreviewLabel } from './preview-host.ts';
import { nextPosition, type SiteRow } from './store.ts';
import { queueFeedback } from './task-store.ts';

/** Previews of one project at a time. */
const MAX_PREVIEWS = 200;
/** Days after its last update when a preview is deleted, if the project sets nothing else. */
export const DEFAULT_PREVIEW_DAYS = 14;

export interface DeployAdapters {
  maxActiveExports: number;
  quotas: Quotas;
  /** Domain for previews of projects without a wildcard; null: none. */
  previewDomain: string | null;
  /** Services of the installation that pages of deployments use, as far as their project allows it. */
  services: WantedServices;
  /** The installation has a model for projects without their own. */
  hasModel: boolean;
}

export interface DeployRequest {
  project: ProjectRow;
  kind: 'production' | 'preview';
  /** Branch to read; null: the published one. */
  branch: string | null;
  /** Domain for which the site is exported; null: the first one that serves it, else the first of the project. */
  domain: string | null;
  by: string;
  source: DeploymentSource;
  trigger: ExportTrigger;
  /** The commit that a push or a pull request named. A preview of which this is the newest one is not built again. */
  commit?: string | null;
  /** The pull request of the branch of a preview; without it, the known one stays. */
  pullRequest?: number;
}

export interface StartedDeployment {
  id: string;
  exportId: string;
  /** Host of a preview. */
  host: string | null;
  /** Domain for which the site is exported. */
  domain: string;
  /** `waiting`: one that no worker had started is what was asked for. `known`: the newest one has the commit. */
  state: 'new' | 'waiting' | 'known';
}

/**
 * Queues a deployment with its export in the caller's transaction. One that is queued and will read the same branch
 * later than now is returned instead. Throws the errors of the start endpoint of exports.
 */
export async function deployIn(
  tx: Transaction<Database>,
  adapters: DeployAdapters,
  request: DeployRequest,
): Promise<StartedDeployment> {
  const { project, branch, commit = null } = request;
  await requirePlan(tx, project.organization_id, 'Static export', 'enterprise');
  const domain = request.domain ?? (await exportDomainOf(tx, project));
  // Before the site, as starts of exports do.
  await lockOrganization(tx, project.organization_id);
  const { site, host } = await openSite(tx, adapters, request);
  const known = host === null || commit === null ? undefined : await findKnown(tx, site.id, commit);
  const report = (id: string) =>
    queueFeedback(tx, {
      id,
      organization_id: project.organization_id,
      project_id: project.id,
      site_id: site.id,
    });
  if (known !== undefined) {
    // The pull request may be new.
    if (request.pullRequest !== undefined) await report(known.id);
    return { ...known, host, domain, state: 'known' };
  }
  const waiting = await findWaiting(tx, site.id, branch);
  if (waiting !== undefined) {
    // It is requested now: after a rollback since its first request, too, it becomes live.
    const position = await nextPosition(tx, site.id);
    const pushed = commit === null ? {} : { pushed_commit: commit };
    await tx
      .updateTable('deployments')
      .set({ position, ...pushed })
      .where('id', '=', waiting.id)
      .execute();
    if (host !== null) await report(waiting.id);
    return { ...waiting, host, domain, state: 'waiting' };
  }
  const { exportId } = await startDeploymentExport(tx, adapters, {
    organizationId: project.organization_id,
    projectId: project.id,
    ref: branch,
    domain,
    by: request.by,
    trigger: request.trigger,
  });
  const id = newId('dep');
  await tx
    .insertInto('deployments')
    .values({
      id,
      organization_id: project.organization_id,
      project_id: project.id,
      site_id: site.id,
      position: await nextPosition(tx, site.id),
      branch,
      export_id: exportId,
      pushed_commit: commit,
      source: request.source,
      created_by: request.by,
      base_path: project.base_path,
    })
    .execute();
  if (host !== null) await report(id);
  return { id, exportId, host, domain, state: 'new' };
}

/** The services of the pages of a project: without a model, they have no button for an assistant. */
async function servicesOf(
  tx: Transaction<Database>,
  { services, hasModel }: DeployAdapters,
  projectId: string,
): Promise<WantedServices> {
  if (services.assistant !== true || hasModel || (await hasOwnModel(tx, projectId))) return services;
  return { ...services, assistant: false };
}

/** Queues the export of a deployment. `ref` null: the published branch; `domain` null: as `DeployRequest`. */
export async function startDeploymentExport(
  tx: Transaction<Database>,
  adapters: DeployAdapters,
  wanted: {
    organizationId: string;
    projectId: string;
    ref: string | null;
    domain: string | null;
    by: string;
    trigger: ExportTrigger;
  },
): Promise<{ exportId: string }> {
  const { organizationId, projectId, ref } = wanted;
  const project = await findProjectIn(tx, organizationId, projectId);
  if (project === undefined) throw notFound('project');
  const domain = wanted.domain ?? (await exportDomainOf(tx, project));
  const reach = { organizationId, projects: [projectId] };
  const body = { domain, ...(ref === null ? {} : { source: { ref } }) };
  const { jobId } = await startExportIn(tx, adapters, reach, body, {
    createdBy: wanted.by,
    trigger: wanted.trigger,
    services: await servicesOf(tx, adapters, projectId),
  });
  return { exportId: jobId };
}

/** The first domain that serves the site, which is one of the project from now on; else the first one of the project. */
async function exportDomainOf(tx: Transaction<Database>, project: ProjectRow): Promise<string> {
  const key = { organizationId: project.organization_id, projectId: project.id };
  for (const { host, redirectTo } of await verifiedHosts(tx, project.id))
    if (redirectTo === null && (await addProjectDomain(tx, key, host))) return host;
  const [domain] = project.domains;
  if (domain !== undefined) return domain;
  throw new AppError(
    'domain_missing',
    'The project has no domain. Add the domain on which its site is served to the project.',
  );
}

/** The site of the request with its host, made if it is the first one, and locked. A preview lives on from now. */
export async function openSite(
  tx: Transaction<Database>,
  adapters: DeployAdapters,
  { project, kind, branch, pullRequest }: Pick<DeployRequest, 'project' | 'kind' | 'branch' | 'pullRequest'>,
): Promise<{ site: SiteRow; host: string | null }> {
  const isPreview = kind === 'preview';
  const previewDomain = isPreview ? await previewDomainOf(tx, project.id, adapters.previewDomain) : null;
  if (isPreview && previewDomain === null) throw noPreviewDomain();
  if (isPreview) await requireRoom(tx, project.id, branch);
  const days = sql<number>`coalesce(
    (SELECT preview_days FROM hosting WHERE project_id = ${project.id}), ${DEFAULT_PREVIEW_DAYS})`;
  const pull = pullRequest === undefined ? {} : { pull_request: pullRequest };
  const expiresAt = isPreview ? sql<Date>`now() + make_interval(days => ${days})` : null;
  const site = await tx
    .insertInto('sites')
    .values({
      id: newId('site'),
      organization_id: project.organization_id,
      project_id: project.id,
      branch: isPreview ? branch : null,
      label: isPreview ? newPreviewLabel(branch ?? '') : null,
      expires_at: expiresAt,
      ...pull,
    })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'branch']).doUpdateSet({ expires_at: expiresAt, ...pull }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return { site, host: site.label === null ? null : `${site.label}.${previewDomain}` };
}

async function requireRoom(
  tx: Transaction<Database>,
  projectId: string,
  branch: string | null,
): Promise<void> {
  const { count } = await tx
    .selectFrom('sites')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .where('branch', 'is not', null)
    .where('branch', 'is distinct from', branch)
    .executeTakeFirstOrThrow();
  if (count < MAX_PREVIEWS) return;
  throw new AppError(
    'too_many_previews',
    `The project has ${MAX_PREVIEWS} previews, the maximum. Delete previews that are no longer needed.`,
    { headers: { 'Retry-After': '3600' } },
  );
}

/** The queued deployment of the site that no worker has started. */
async function findWaiting(
  tx: Transaction<Database>,
  siteId: string,
  branch: string | null,
): Promise<{ id: string; exportId: string } | undefined> {
  return tx
    .selectFrom('deployments')
    .innerJoin('exports', 'exports.id', 'deployments.export_id')
    .select(['deployments.id', 'exports.id as exportId'])
    .where('deployments.site_id', '=', siteId)
    .where('deployments.status', '=', 'queued')
    .where('deployments.branch', 'is not distinct from', branch)
    .where('exports.status', '=', 'queued')
    .where('exports.attempt', '=', 0)
    .limit(1)
    .executeTakeFirst();
}

/** The newest deployment of a preview, if a push or a pull request named this commit for it or it contains the commit. */
async function findKnown(
  tx: Transaction<Database>,
  siteId: string,
  commit: string,
): Promise<{ id: string; exportId: string } | undefined> {
  const newest = await tx
    .selectFrom('deployments')
    .innerJoin('exports', 'exports.id', 'deployments.export_id')
    .select(['deployments.id', 'exports.id as exportId', 'deployments.pushed_commit', 'exports.commit'])
    .where('deployments.site_id', '=', siteId)
    .orderBy('deployments.position', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined || ![newest.pushed_commit, newest.commit].includes(commit)) return undefined;
  return { id: newest.id, exportId: newest.exportId };
}
