import { type Kysely, sql } from 'kysely';
import { cancelExport, removeExport, removeVariants } from '../exports/service.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { type Periodic, startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { FeedbackAdapters } from './feedback.ts';
import { correctStatuses } from './pending-status.ts';
import { settleAll } from './settle.ts';
import { lockSite } from './store.ts';
import { forgetTasks } from './task-store.ts';
import { settleVariants } from './variants.ts';

export interface DeploymentSweepAdapters extends FeedbackAdapters {
  blobs: BlobStore;
  log: Logger;
  metrics: Metrics;
}

const SETTLE_MS = 5_000;
const VARIANTS_MS = 15_000;
const PREVIEWS_MS = 60_000;
const STATUSES_MS = 60_000;
const TIDY_MS = 3_600_000;
/** Tasks are kept so long after their end. */
const TASK_DAYS = 30;
const BATCH = 100;

/** Starts to end deployments whose export ended without them, and to delete previews that are over. */
export function startDeploymentSweeper(adapters: DeploymentSweepAdapters): Periodic {
  return startShared(
    [
      { name: 'end deployments', ms: SETTLE_MS, run: () => settleAll(adapters.db) },
      { name: 'queue variants of deployments', ms: VARIANTS_MS, run: () => settleVariants(adapters.db) },
      {
        name: 'delete variants of deployments',
        ms: VARIANTS_MS,
        run: (signal) => removeVariants(adapters, signal),
      },
      {
        name: 'forget tasks of deployments',
        ms: TIDY_MS,
        run: () => forgetTasks(adapters.db, TASK_DAYS),
      },
      {
        name: 'correct statuses of commits',
        ms: STATUSES_MS,
        run: (signal) => correctStatuses(adapters, signal),
      },
      { name: 'delete previews', ms: PREVIEWS_MS, run: (signal) => removePreviews(adapters, signal) },
    ],
    adapters,
  );
}

/** Deletes previews whose time is over, and what earlier updates of a preview have left, with their exports. */
export async function removePreviews(
  adapters: Pick<DeploymentSweepAdapters, 'db' | 'blobs' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const { db } = adapters;
  const expired = await db
    .selectFrom('sites')
    .select(['id', 'organization_id'])
    .where('expires_at', '<=', sql<Date>`now()`)
    .orderBy('expires_at')
    .limit(BATCH)
    .execute();
  for (const site of expired) {
    if (signal.aborted) return;
    await removeExports(adapters, site.organization_id, await removeSite(db, site.id));
  }
  const replaced = await db
    .selectFrom('deployments')
    .innerJoin('sites', 'sites.id', 'deployments.site_id')
    .select(['deployments.id', 'deployments.organization_id', 'deployments.export_id'])
    .where('sites.label', 'is not', null)
    .where('deployments.status', '=', 'success')
    .whereRef('deployments.position', '<', 'sites.position')
    .limit(BATCH)
    .execute();
  for (const { id, organization_id: organizationId, export_id: exportId } of replaced) {
    if (signal.aborted) return;
    await db.deleteFrom('deployments').where('id', '=', id).execute();
    if (exportId !== null) await removeExports(adapters, organizationId, [exportId]);
  }
}

/** Deletes a preview whose time is over still; returns the exports of its deployments. */
function removeSite(db: Kysely<Database>, siteId: string): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    const site = await lockSite(tx, siteId);
    if (site === undefined) return [];
    const rows = await tx
      .selectFrom('deployments')
      .select('export_id')
      .where('site_id', '=', siteId)
      .where('export_id', 'is not', null)
      .execute();
    const { numDeletedRows } = await tx
      .deleteFrom('sites')
      .where('id', '=', siteId)
      // Another update may have prolonged it.
      .where('expires_at', '<=', sql<Date>`now()`)
      .executeTakeFirst();
    return numDeletedRows === 0n ? [] : rows.flatMap(({ export_id: id }) => id ?? []);
  });
}

/** Deletes exports that were made for previews only. What is left by a crash is an export like any other. */
async function removeExports(
  { db, blobs, log }: Pick<DeploymentSweepAdapters, 'db' | 'blobs' | 'log'>,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    try {
      await cancelExport(db, organizationId, id);
      const { fault } = await removeExport(db, blobs, organizationId, id);
      if (fault !== undefined) throw fault;
    } catch (error) {
      log.warn({ err: error, exportId: id }, 'the export of a deleted preview was not deleted completely');
    }
  }
}
