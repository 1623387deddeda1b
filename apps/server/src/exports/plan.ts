import type { Kysely, Transaction } from 'kysely';
import { requirePlan } from '../organizations/service.ts';
import type { Database } from '../platform/db/database.ts';

/** Throws the 403 where the plan of the organization does not include static export. */
export function requireExportPlan(
  db: Kysely<Database> | Transaction<Database>,
  organizationId: string,
): Promise<void> {
  return requirePlan(db, organizationId, 'Static export', 'enterprise');
}
