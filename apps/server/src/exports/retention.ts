import { type Kysely, sql, type Transaction } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import { whileAwake } from '../platform/db/awake.ts';
import type { Database } from '../platform/db/database.ts';
import { removeArtifact } from './artifact.ts';
import { lockBundle, usesBundle } from './bundle-use.ts';
import { columns, type Db, type ExportRow, ofPublished } from './store.ts';

const BATCH = 100;

export interface RetentionAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  /** 0 = exports are kept. */
  exportRetentionDays: number;
}

/**
 * Deletes finished exports that are older than they are kept, but none that deployments of a domain follow. One that cannot be
 * removed keeps no other one.
 */
export async function removeExpired({ db, blobs, exportRetentionDays }: RetentionAdapters): Promise<void> {
  if (exportRetentionDays === 0) return;
  for (;;) {
    const expired = await findExpired(db, exportRetentionDays, BATCH);
    const faults: unknown[] = [];
    for (const { organization_id: organizationId, id } of expired) {
      await removeExport(db, blobs, organizationId, id).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
    if (expired.length < BATCH) return;
  }
}

/**
 * Deletes a finished export, then what no other export of the organization uses. False when it is not finished or
 * not there. When it throws after that, the export is gone, and the sweep of orphans removes what is left.
 */
export async function removeExport(
  db: Kysely<Database>,
  blobs: BlobStore,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const row = await deleteFinished(db, organizationId, id);
  if (row === undefined) return false;
  // Once nobody is told of it: were both one transaction, an export whose files are half gone would come back when a
  // store or a process fails in between.
  await db.transaction().execute((tx) => removeUnused(tx, blobs, row));
  return true;
}

/** Removes the artifact and the bundle of an export that is deleted when no other one has them. */
export async function removeUnused(
  tx: Transaction<Database>,
  blobs: BlobStore,
  row: ExportRow,
): Promise<void> {
  const { organization_id: organizationId, artifact_sha256: artifact, bundle_sha256: bundle } = row;
  if (artifact === null || bundle === null) return;
  await lockBundle(tx, organizationId, bundle);
  if (await usesBundle(tx, organizationId, { artifact, bundle })) return;
  await whileAwake(tx, (signal) => removeArtifact(blobs, organizationId, bundle, signal));
}

/** Deletes a finished export; undefined when it is not finished or not there. */
function deleteFinished(db: Db, organizationId: string, id: string): Promise<ExportRow | undefined> {
  return db
    .deleteFrom('exports')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', 'in', ['completed', 'failed'])
    .returning(columns)
    .executeTakeFirst();
}

/**
 * The export that deployments follow which ask for the newest of the domain of a row of `exports`; null when no
 * project publishes on it any more. Without it a new deployment could not start until the next change of the docs.
 */
const followed = sql<string | null>`(
  SELECT newest.id FROM exports AS newest
  JOIN domains ON domains.organization_id = newest.organization_id AND domains.domain = newest.domain
  WHERE newest.organization_id = exports.organization_id AND newest.domain = exports.domain
    AND newest.status = 'completed' AND ${ofPublished}
  ORDER BY newest.created_at DESC, newest.id DESC LIMIT 1)`;

/** Finished exports older than so many days that nobody follows. */
function findExpired(db: Db, days: number, limit: number) {
  return db
    .selectFrom('exports')
    .select(['id', 'organization_id'])
    .where('status', 'in', ['completed', 'failed'])
    .where('completed_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .where('id', 'is distinct from', followed)
    .orderBy('completed_at')
    .limit(limit)
    .execute();
}
