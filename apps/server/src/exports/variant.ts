import { type Kysely, sql, type Transaction } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import { type Database, json } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { enqueueJob } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import { addEvent, cancelExport } from './journal.ts';
import { removeExport } from './retention.ts';
import { EXPORT_KIND } from './start.ts';

/**
 * Queues an export of the same commit, with the same options, for other readers: members of `groups`, or with null for
 * those who have not signed in. Returns its id; null if the export is gone.
 */
export async function startVariantIn(
  tx: Transaction<Database>,
  exportId: string,
  groups: readonly string[] | null,
): Promise<string | null> {
  const id = newId('se');
  const { rows } = await sql<{ organization_id: string }>`
    INSERT INTO exports (id, organization_id, project_id, domain, version, version_requested, ref_requested, commit,
      commit_info, paths, include_unlisted, groups, services, public_only, is_variant, created_by, trigger)
    SELECT ${id}, organization_id, project_id, domain, version, version_requested, ref_requested, commit,
      commit_info, paths, include_unlisted, ${json(groups ?? [])}::jsonb, services, ${groups === null}, true, created_by, trigger
    FROM exports WHERE id = ${exportId} AND project_id IS NOT NULL
    RETURNING organization_id`.execute(tx);
  const [row] = rows;
  if (row === undefined) return null;
  await addEvent(tx, { id, attempt: 0 }, 'queued');
  await enqueueJob(tx, { id, kind: EXPORT_KIND, organizationId: row.organization_id });
  return id;
}

const BATCH = 100;

/** Deletes exports that were made for variants of deployments which are gone, or whose own export is. */
export async function removeVariants(
  { db, blobs, log }: { db: Kysely<Database>; blobs: BlobStore; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const rows = await db
    .selectFrom('exports')
    .select(['id', 'organization_id'])
    .where('is_variant', '=', true)
    .where(
      sql<boolean>`NOT EXISTS (
        SELECT FROM deployment_variants
        JOIN deployments ON deployments.id = deployment_variants.deployment_id
        WHERE deployment_variants.export_id = exports.id AND deployments.export_id IS NOT NULL)`,
    )
    .limit(BATCH)
    .execute();
  for (const { id, organization_id: organizationId } of rows) {
    if (signal.aborted) return;
    try {
      await cancelExport(db, organizationId, id);
      const { fault } = await removeExport(db, blobs, organizationId, id);
      if (fault !== undefined) throw fault;
    } catch (error) {
      log.warn({ err: error, exportId: id }, 'the export of a variant was not deleted completely');
    }
  }
}
