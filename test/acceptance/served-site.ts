import { newId } from '../../apps/server/src/platform/ids.ts';
import type { TestPlatform } from '../support/platform.ts';

export interface NewServedSite {
  organizationId: string;
  projectId: string;
  host: string;
  basePath?: string;
  /** A completed export; default: none, so that nothing can be downloaded. */
  exportId?: string;
}

/** Makes a host one that site servers serve, without a job; the id of its deployment. */
export async function serveSite(
  platform: TestPlatform,
  { organizationId, projectId, host, basePath = '', exportId }: NewServedSite,
): Promise<string> {
  const { db } = platform.database;
  const of = { organization_id: organizationId, project_id: projectId };
  const id = newId('site');
  await db
    .insertInto('sites')
    .values({ id, ...of, requests: 1, position: 1 })
    .execute();
  const deploymentId = await insertDeployment(platform, {
    ...of,
    site_id: id,
    position: 1,
    base_path: basePath,
    export_id: exportId ?? null,
  });
  await db
    .updateTable('sites')
    .set({ deployment_id: deploymentId, export_id: exportId ?? null })
    .where('id', '=', id)
    .execute();
  await verifyHost(platform, { organizationId, projectId, host });
  return deploymentId;
}

/** Makes a host a verified domain of a project. */
export async function verifyHost(
  { database: { db } }: Pick<TestPlatform, 'database'>,
  { organizationId, projectId, host }: { organizationId: string; projectId: string; host: string },
): Promise<void> {
  await db
    .insertInto('site_domains')
    .values({
      id: newId('dom'),
      organization_id: organizationId,
      project_id: projectId,
      host,
      state: 'verified',
      method: 'trusted',
      // Not checked while a test runs.
      next_check_at: new Date('2100-01-01'),
    })
    .execute();
}

/** A deployment, by default one that succeeded; its id. */
export async function insertDeployment(
  { database: { db } }: Pick<TestPlatform, 'database'>,
  row: {
    organization_id: string;
    project_id: string;
    site_id: string;
    position: number;
    base_path: string;
    export_id: string | null;
    status?: 'waiting' | 'success';
    fork?: string;
  },
): Promise<string> {
  const id = newId('dep');
  await db
    .insertInto('deployments')
    .values({ id, status: 'success', ...row, source: 'api', created_by: 'test' })
    .execute();
  return id;
}
