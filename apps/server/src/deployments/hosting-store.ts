import { type Selectable, sql } from 'kysely';
import type { HostingTable } from '../platform/db/database.ts';
import type { Db } from './store.ts';

export type HostingRow = Selectable<HostingTable>;

/** What pushes of a project deploy; undefined: nothing was set. */
export function findHosting(
  db: Db,
  organizationId: string,
  projectId: string,
): Promise<HostingRow | undefined> {
  return db
    .selectFrom('hosting')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

export async function saveHosting(
  db: Db,
  key: Pick<HostingRow, 'organization_id' | 'project_id'>,
  values: Pick<HostingRow, 'enabled' | 'previews_enabled' | 'preview_days'>,
): Promise<void> {
  await db
    .insertInto('hosting')
    .values({ ...key, ...values })
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet({ ...values, updated_at: sql<Date>`now()` }),
    )
    .execute();
}
