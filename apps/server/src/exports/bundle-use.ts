import { sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Db } from './store.ts';

/**
 * Locked until the transaction ends by the code that commits or removes a bundle, so that one of the two sees
 * the change of the other.
 */
export async function lockBundle(
  tx: Transaction<Database>,
  organizationId: string,
  sha256: string,
): Promise<void> {
  const name = JSON.stringify(['bundle', organizationId, sha256]);
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

/** Whether an export of the organization has this bundle. */
export async function usesBundle(
  db: Db,
  organizationId: string,
  digests: { artifact?: string; bundle: string },
): Promise<boolean> {
  let query = db
    .selectFrom('exports')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('bundle_sha256', '=', digests.bundle);
  // One bundle has one artifact, by which there is an index.
  if (digests.artifact !== undefined) query = query.where('artifact_sha256', '=', digests.artifact);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Digests of the bundles of all exports of the organization. */
export async function findBundles(db: Db, organizationId: string): Promise<Set<string | null>> {
  const rows = await db
    .selectFrom('exports')
    .select('bundle_sha256')
    .distinct()
    .where('organization_id', '=', organizationId)
    .where('bundle_sha256', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.bundle_sha256));
}
