import {
  type Deployment,
  type DeploymentList,
  type Hosting,
  isWellFormedId,
  type PromoteDeploymentBody,
  type UpdateHostingBody,
  type UpdateStatus,
} from '@offprint/contract';
import type { Kysely } from 'kysely';
import { verifiedHosts } from '../domains/service.ts';
import type { ExportService } from '../exports/service.ts';
import type { Database } from '../platform/db/database.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { runOnce, type StoredAnswer } from '../platform/http/idempotency.ts';
import type { Principal, Reach } from '../platform/http/route.ts';
import { type ProjectRow, readProject } from '../projects/service.ts';
import { approveDeployment } from './fork.ts';
import { findHosting, saveHosting } from './hosting-store.ts';
import { type Places, presentDeployment, presentUpdate, presentVariant } from './present.ts';
import { noPreviewDomain, previewDomainOf } from './preview-domain.ts';
import { deleteDeployment, promoteDeployment, type Target } from './promote.ts';
import { DEFAULT_PREVIEW_DAYS, type DeployAdapters, deployIn } from './start.ts';
import { type DeploymentRow, findDeployment, findLive, listDeployments } from './store.ts';
import { findServedVariant, listVariants } from './variants.ts';

export type { FeedbackAdapters } from './feedback.ts';
export { type ForkRequest, forkBranch, isOfFork, requestFork } from './fork.ts';
export { findHosting } from './hosting-store.ts';
export { expirePreview } from './promote.ts';
export { settleExport } from './settle.ts';
export { findServedSite, type ServedSite } from './sites.ts';
export { type DeployAdapters, type DeployRequest, deployIn } from './start.ts';
export { findLive } from './store.ts';
export { createDeploymentTaskKind } from './tasks.ts';
export { queueVariantsOf, servedVariants } from './variants.ts';

/** Pages of each kind that a status names. */
const MAX_CHANGES = 1_000;

export interface TriggerRequest {
  principal: Principal;
  key: string | undefined;
  target: string;
}

export interface DeploymentService {
  /** Queues an update of production; the response is 202 with its id. */
  update(projectId: string, request: TriggerRequest): Promise<StoredAnswer>;
  /** Queues an update of the preview of a branch; the response is 202 with its id and the URL. */
  preview(projectId: string, branch: string, request: TriggerRequest): Promise<StoredAnswer>;
  status(reach: Reach, id: string): Promise<UpdateStatus>;
  list(
    organizationId: string,
    projectId: string,
    query: { kind?: 'production' | 'preview' | undefined; cursor?: string | undefined; limit: number },
  ): Promise<DeploymentList>;
  read(target: Target): Promise<Deployment>;
  promote(target: Target, body: PromoteDeploymentBody | undefined, by: string): Promise<Deployment>;
  /** Starts the deployment of a commit of a fork. */
  approve(target: Target, by: string): Promise<Deployment>;
  delete(target: Target): Promise<void>;
  readHosting(organizationId: string, projectId: string): Promise<Hosting>;
  updateHosting(organizationId: string, projectId: string, body: UpdateHostingBody): Promise<Hosting>;
  /** The export of a successful deployment, or of a variant of one, of any organization, with the digest of its bundle; throws the 404. */
  findServed(id: string): Promise<{ organizationId: string; exportId: string; sha256: string }>;
}

export interface DeploymentAdapters extends DeployAdapters {
  db: Kysely<Database>;
  exports: Pick<ExportService, 'changes'>;
  idempotencyHours: number;
}

export function createDeploymentService(adapters: DeploymentAdapters): DeploymentService {
  const { db, previewDomain } = adapters;

  const placesOf = async (projectId: string): Promise<Places> => {
    const hosts = await verifiedHosts(db, projectId);
    const host = hosts.find(({ redirectTo }) => redirectTo === null)?.host ?? null;
    return { host, previewDomain: await previewDomainOf(db, projectId, previewDomain) };
  };

  const find = async ({ organizationId, projectId, id }: Target): Promise<DeploymentRow> => {
    await readProject(db, organizationId, projectId);
    const row = isWellFormedId('deployment', id) ? await findDeployment(db, organizationId, id) : undefined;
    if (row === undefined || row.project_id !== projectId) throw notFound('deployment');
    return row;
  };

  const trigger = (
    projectId: string,
    branch: string | null,
    { principal, key, target }: TriggerRequest,
  ): Promise<StoredAnswer> => {
    const { organizationId } = principal;
    const once = {
      organizationId,
      route: target,
      key,
      body: branch === null ? {} : { branch },
      hours: adapters.idempotencyHours,
    };
    return runOnce(db, once, async (tx) => {
      const project = await readProject(tx, organizationId, projectId);
      if (branch !== null && project.source_kind !== 'git') throw noBranches(project);
      const { id, host } = await deployIn(tx, adapters, {
        project,
        kind: branch === null ? 'production' : 'preview',
        branch,
        domain: null,
        by: principal.name,
        source: principal.kind === 'key' ? 'api' : 'dashboard',
        trigger: 'call',
      });
      return {
        status: 202,
        body: {
          statusId: id,
          ...(host === null ? {} : { previewUrl: `https://${host}${project.base_path}` }),
        },
        headers: { Location: `/v1/project/update-status/${id}` },
      };
    });
  };

  /** Pages that differ from what was live before; null if that is not known. */
  const changesOf = async (reach: Reach, row: DeploymentRow) => {
    const { export_id: exportId, previous_export_id: since, status } = row;
    if (status !== 'success' || exportId === null || since === null) return null;
    try {
      const { pages } = await adapters.exports.changes(reach, exportId, since);
      const shown = (paths: readonly string[]) => paths.slice(0, MAX_CHANGES);
      return { added: shown(pages.added), modified: shown(pages.changed), removed: shown(pages.removed) };
    } catch (error) {
      // One of the two was deleted, or its files are lost.
      if (error instanceof AppError && error.status < 500) return null;
      throw error;
    }
  };

  const readHosting: DeploymentService['readHosting'] = async (organizationId, projectId) => {
    await readProject(db, organizationId, projectId);
    const [settings, live, hosts, places] = await Promise.all([
      findHosting(db, organizationId, projectId),
      findLive(db, organizationId, projectId),
      verifiedHosts(db, projectId),
      placesOf(projectId),
    ]);
    return {
      enabled: settings?.enabled ?? false,
      previews: {
        enabled: settings?.previews_enabled ?? false,
        days: settings?.preview_days ?? DEFAULT_PREVIEW_DAYS,
        domain: places.previewDomain,
      },
      hosts: hosts.map(({ host, redirectTo }) => ({ host, redirectTo })),
      live: live === undefined ? null : presentDeployment(live, places),
      groups: live?.export_page_access?.groups ?? [],
      variants:
        live === undefined ? [] : (await listVariants(db, organizationId, live.id)).map(presentVariant),
    };
  };

  return {
    update: (projectId, request) => trigger(projectId, null, request),
    preview: (projectId, branch, request) => trigger(projectId, branch, request),
    readHosting,

    async status(reach, id) {
      const row = isWellFormedId('deployment', id)
        ? await findDeployment(db, reach.organizationId, id)
        : undefined;
      const isReached = row !== undefined && (reach.projects?.includes(row.project_id) ?? true);
      if (!isReached) throw notFound('deployment');
      return presentUpdate(row, await placesOf(row.project_id), await changesOf(reach, row));
    },

    async list(organizationId, projectId, query) {
      await readProject(db, organizationId, projectId);
      const rows = await listDeployments(
        db,
        { organizationId, projectId, kind: query.kind },
        { after: parseCursor(query.cursor), limit: query.limit },
      );
      const places = await placesOf(projectId);
      return pageOf(rows, query.limit, (row) => presentDeployment(row, places));
    },

    read: async (target) => presentDeployment(await find(target), await placesOf(target.projectId)),

    async promote(target, body, by) {
      await find(target);
      await promoteDeployment(db, target, { replaces: body?.replaces, by });
      return presentDeployment(await find(target), await placesOf(target.projectId));
    },

    async approve(target, by) {
      await find(target);
      await approveDeployment(db, adapters, target, by);
      return presentDeployment(await find(target), await placesOf(target.projectId));
    },

    async delete(target) {
      await find(target);
      await deleteDeployment(db, target);
    },

    async updateHosting(organizationId, projectId, body) {
      const project = await readProject(db, organizationId, projectId);
      const { previews } = body;
      if (previews?.enabled === true && project.source_kind !== 'git') throw noBranches(project);
      if (previews?.enabled === true && (await previewDomainOf(db, projectId, previewDomain)) === null)
        throw noPreviewDomain();
      await saveHosting(
        db,
        { organization_id: organizationId, project_id: projectId },
        {
          enabled: body.enabled,
          previews_enabled: previews?.enabled ?? false,
          preview_days: previews?.days ?? DEFAULT_PREVIEW_DAYS,
        },
      );
      return readHosting(organizationId, projectId);
    },

    async findServed(id) {
      const variant = await findServedVariant(db, id);
      if (variant !== undefined) return variant;
      const row = await db
        .selectFrom('deployments')
        .select(['organization_id', 'export_id', 'bundle_sha256'])
        .where('id', '=', isWellFormedId('deployment', id) ? id : '')
        .where('status', '=', 'success')
        .executeTakeFirst();
      if (row === undefined || row.export_id === null || row.bundle_sha256 === null)
        throw notFound('deployment');
      return { organizationId: row.organization_id, exportId: row.export_id, sha256: row.bundle_sha256 };
    },
  };
}

const noBranches = (project: ProjectRow): AppError =>
  new AppError(
    'source_kind_mismatch',
    `Only Git sources have branches; the source of the project is of kind ${project.source_kind}.`,
  );
