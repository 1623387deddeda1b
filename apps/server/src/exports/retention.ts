import { type Kysely, sql, type Transaction } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { withKeepAlive } from '../platform/db/keep-alive.ts';
import { mayRemoveFiles } from '../platform/db/keep-files.ts';
import { removeArtifact } from './artifact.ts';
import { lockBundle, usesBundle } from './bundle-use.ts';
import { columns, type Db, type ExportRow, isPublishedExport } from './store.ts';

const BATCH = 500;
/** Successful deployments of a site whose exports are kept, so that it can go back to them. */
const KEPT_DEPLOYMENTS = 10;

export interface RetentionAdapters {
  db: Kysely<Database>;
  blobs: BlobStore;
  retention: Retention;
}

/** What is kept; 0: everything. */
export interface Retention {
  /** Days after which finished exports are deleted. */
  days: number;
  /** Completed exports, and failed ones, of each domain of an organization. */
  count: number;
}

/**
 * Deletes finished exports that are older than they are kept, or of whose domain there are more newer ones, but not the
 * newest one of everything of each domain that a project publishes on, and not those that sites serve or can go back to.
 * Throws the first error, after all others were tried.
 */
export async function removeExpired({ db, blobs, retention }: RetentionAdapters): Promise<void> {
  if (retention.days === 0 && retention.count === 0) return;
  const faults: unknown[] = [];
  for (let isMore = true; isMore; ) {
    const expired = await expiredExports(db, retention).limit(BATCH).execute();
    let deleted = 0;
    for (const { organization_id: organizationId, id } of expired) {
      try {
        const removal = await removeExport(db, blobs, organizationId, id);
        if (removal.isDeleted) deleted += 1;
        if (removal.fault !== undefined) faults.push(removal.fault);
      } catch (error) {
        faults.push(error);
      }
    }
    // The next batch would be the same one.
    isMore = expired.length === BATCH && deleted > 0;
  }
  if (faults.length > 0) throw faults[0];
}

export interface Removal {
  /** False when the export is not finished, not there, or used by a deployment. */
  isDeleted: boolean;
  /** Why files of a deleted export were left; the sweep of orphans removes them. */
  fault?: unknown;
}

/**
 * Deletes a finished export, then what no other export of the organization uses. Throws what keeps the export itself
 * from being deleted.
 */
export async function removeExport(
  db: Kysely<Database>,
  blobs: BlobStore,
  organizationId: string,
  id: string,
): Promise<Removal> {
  const row = await deleteFinished(db, organizationId, id);
  if (row === undefined) return { isDeleted: false };
  // After the row is gone: in one transaction, an export whose files are half removed would reappear if a
  // store or a process fails in between.
  try {
    await db.transaction().execute((tx) => removeUnused(tx, blobs, row));
    return { isDeleted: true };
  } catch (fault) {
    return { isDeleted: true, fault };
  }
}

/** Removes the artifact and the bundle of an export that is deleted when no other one has them, and no backup runs. */
export async function removeUnused(
  tx: Transaction<Database>,
  blobs: BlobStore,
  row: ExportRow,
): Promise<void> {
  const { organization_id: organizationId, artifact_sha256: artifact, bundle_sha256: bundle } = row;
  if (artifact === null || bundle === null) return;
  await lockBundle(tx, organizationId, bundle);
  if (await usesBundle(tx, organizationId, { artifact, bundle })) return;
  if (!(await mayRemoveFiles(tx))) return;
  await withKeepAlive(tx, (signal) => removeArtifact(blobs, organizationId, bundle, signal));
}

/**
 * Whether a deployment of a row of `exports` is live, may become live, or is one of those to which a project can go back:
 * its newest successful ones.
 */
const isDeployable = sql<boolean>`EXISTS (
  SELECT FROM deployments
  LEFT JOIN sites ON sites.deployment_id = deployments.id
  WHERE deployments.id IN (
    SELECT id FROM deployments AS own WHERE own.export_id = exports.id
    UNION ALL
    SELECT variant.deployment_id FROM deployment_variants AS variant
    JOIN deployments AS base ON base.id = variant.deployment_id
    WHERE variant.export_id = exports.id AND base.export_id IS NOT NULL
  ) AND (sites.id IS NOT NULL OR deployments.status = 'queued' OR (
    deployments.status = 'success' AND (
      SELECT count(*) FROM deployments AS newer
      WHERE newer.site_id = deployments.site_id AND newer.status = 'success'
        AND newer.position > deployments.position
    ) < ${KEPT_DEPLOYMENTS}
  ))
)`;

/** Deletes a finished export; undefined when it is not finished, not there, or deployed. */
function deleteFinished(db: Db, organizationId: string, id: string): Promise<ExportRow | undefined> {
  return db
    .deleteFrom('exports')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', 'in', ['completed', 'failed'])
    .where(sql<boolean>`NOT ${isDeployable}`)
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
    AND newest.status = 'completed' AND ${isPublishedExport}
  ORDER BY newest.created_at DESC, newest.id DESC LIMIT 1)`;

/** Finished exports that are not kept, oldest first. */
function expiredExports(db: Db, { days, count }: Retention) {
  const newer = sql<number>`row_number() OVER (
    PARTITION BY organization_id, domain, status ORDER BY created_at DESC, id DESC)`;
  const isOld = sql<boolean>`${days} > 0 AND completed_at < now() - make_interval(days => ${days}::int)`;
  return db
    .selectFrom(
      db
        .selectFrom('exports')
        .select(['id', 'organization_id', 'domain', 'status', 'completed_at'])
        // Places need all rows.
        .select([(count === 0 ? sql<number>`0` : newer).as('place'), isOld.as('is_old')])
        .where('status', 'in', ['completed', 'failed'])
        // They are deleted with the export of their deployment.
        .where('is_variant', '=', false)
        .as('exports'),
    )
    .select(['id', 'organization_id', 'domain', 'status', 'completed_at'])
    .where(sql<boolean>`(is_old OR place > ${count})`)
    .where('id', 'is distinct from', followed)
    .where(sql<boolean>`NOT ${isDeployable}`)
    .orderBy('completed_at')
    .orderBy('id');
}

export interface ExpiredExport {
  id: string;
  organizationId: string;
  domain: string;
  status: 'completed' | 'failed';
  completedAt: string;
}

export interface RetentionPreview {
  /** Oldest first. */
  exports: ExpiredExport[];
  /** Bytes of their bundles that no other export has. */
  freedBytes: number;
}

/** What `removeExpired` would delete now; of one organization, if one is named. */
export async function previewRetention(
  db: Db,
  retention: Retention,
  organizationId?: string,
): Promise<RetentionPreview> {
  const rows = await expiredExports(db, retention)
    .$if(organizationId !== undefined, (query) => query.where('organization_id', '=', organizationId ?? ''))
    .execute();
  const ids = rows.map(({ id }) => id);
  const { rows: freed } = await sql<{ bytes: number }>`
    SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM (
      SELECT max(bundle_bytes) AS bytes FROM exports
      WHERE bundle_sha256 IS NOT NULL
      GROUP BY organization_id, bundle_sha256
      HAVING bool_and(id = ANY (${ids}))
    ) bundles`.execute(db);
  return {
    exports: rows.map((row) => ({
      id: row.id,
      organizationId: row.organization_id,
      domain: row.domain,
      status: row.status === 'completed' ? 'completed' : 'failed',
      completedAt: row.completed_at?.toISOString() ?? '',
    })),
    freedBytes: freed[0]?.bytes ?? 0,
  };
}
