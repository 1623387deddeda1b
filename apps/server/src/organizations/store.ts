import type { Plan } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';

type Db = Kysely<Database> | Transaction<Database>;

export function insertOrganization(db: Db, organization: { id: string; name: string; plan: Plan }) {
  return db.insertInto('organizations').values(organization).returningAll().executeTakeFirstOrThrow();
}

export function findOrganization(db: Db, id: string) {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The oldest organization of this name, for the first start that was interrupted and runs again. */
export function findOrganizationByName(db: Db, name: string) {
  return db
    .selectFrom('organizations')
    .selectAll()
    .where('name', '=', name)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
}
