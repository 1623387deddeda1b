import type { Plan } from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type Database, plainText } from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import type { Cursor } from '../platform/http/cursor.ts';

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

export async function updateOrganizationRow(
  db: Db,
  id: string,
  set: { name?: string; plan?: Plan },
): Promise<OrganizationRow | undefined> {
  return db.updateTable('organizations').set(set).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Deletes an organization with everything that belongs to it, which can take its time. False when it is not there. */
export async function deleteOrganizationRow(tx: Transaction<Database>, id: string): Promise<boolean> {
  await sql`SET LOCAL statement_timeout = 0`.execute(tx);
  const row = await tx.deleteFrom('organizations').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

/** An organization with how much there is of it. */
export type OperatedRow = OrganizationRow & { members: number; projects: number };

/**
 * Organizations of the installation, newest first; one row more than the limit where there are more. `search`: part of
 * the name, of the address of a member, or the id.
 */
export function listOrganizationRows(
  db: Db,
  page: {
    search?: string | undefined;
    id?: string;
    name?: string;
    after?: Cursor | undefined;
    limit: number;
  },
): Promise<OperatedRow[]> {
  const { search, id, name } = page;
  const part = search === undefined ? undefined : plainText(search.trim().toLowerCase());
  return db
    .selectFrom('organizations')
    .selectAll()
    .select([
      sql<number>`(SELECT count(*)::int FROM members WHERE organization_id = organizations.id)`.as('members'),
      sql<number>`(SELECT count(*)::int FROM projects WHERE organization_id = organizations.id)`.as(
        'projects',
      ),
    ])
    .$if(id !== undefined, (query) => query.where('id', '=', id as string))
    .$if(name !== undefined, (query) => query.where('name', '=', name as string))
    .$if(part !== undefined && part !== '', (query) =>
      query.where(sql<boolean>`(strpos(lower(name), ${part}) > 0 OR id = ${part} OR EXISTS (
        SELECT FROM members JOIN users ON users.id = members.user_id
        WHERE organization_id = organizations.id AND strpos(email, ${part}) > 0))`),
    )
    .$call((query) => newestFirst(query, page))
    .execute();
}

/** Whether more than one organization has a project, so that several could have jobs. */
export async function hasSeveralOrganizations(db: Kysely<Database>): Promise<boolean> {
  const rows = await db.selectFrom('projects').select('organization_id').distinct().limit(2).execute();
  return rows.length > 1;
}
