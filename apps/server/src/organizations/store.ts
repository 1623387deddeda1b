import type { Plan } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';

type Db = Kysely<Database> | Transaction<Database>;

export interface OrganizationRow {
  id: string;
  name: string;
  plan: Plan;
  created_at: Date;
}

export function insertOrganization(
  db: Db,
  organization: { id: string; name: string; plan: Plan },
): Promise<OrganizationRow> {
  return db.insertInto('organizations').values(organization).returningAll().executeTakeFirstOrThrow();
}

export function findOrganization(db: Db, id: string): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The oldest organization of this name, for the first start that was interrupted and runs again. */
export function findOrganizationByName(db: Db, name: string): Promise<OrganizationRow | undefined> {
  return db
    .selectFrom('organizations')
    .selectAll()
    .where('name', '=', name)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
}
