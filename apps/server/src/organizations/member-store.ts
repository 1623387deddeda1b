import type { Plan, Role } from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Cursor } from '../platform/http/cursor.ts';

type Db = Kysely<Database> | Transaction<Database>;
type Tx = Transaction<Database>;

/** An organization of a user, with the role in it. */
export interface Membership {
  id: string;
  name: string;
  plan: Plan;
  role: Role;
}

export function listMemberships(db: Db, userId: string): Promise<Membership[]> {
  return db
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organization_id')
    .select(['organizations.id', 'organizations.name', 'organizations.plan', 'members.role'])
    .where('members.user_id', '=', userId)
    .orderBy('organizations.name')
    .orderBy('organizations.id')
    .execute();
}

export async function findRole(db: Db, organizationId: string, userId: string): Promise<Role | undefined> {
  const row = await db
    .selectFrom('members')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.role;
}

/** Whether the user was none yet; the role of a member stays. */
export async function insertMember(
  db: Db,
  member: { organizationId: string; userId: string; role: Role },
): Promise<boolean> {
  const row = await db
    .insertInto('members')
    .values({ organization_id: member.organizationId, user_id: member.userId, role: member.role })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export type MemberRow = Awaited<ReturnType<typeof listMemberRows>>[number];

/** Oldest first; one row more than the limit where there are more. */
export function listMemberRows(
  db: Db,
  organizationId: string,
  page: { after?: Cursor | undefined; limit: number; userId?: string },
) {
  const { after, userId } = page;
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select([
      'users.id',
      'users.email',
      'users.name',
      'members.role',
      'members.created_at',
      sql<Date | null>`coalesce(
        (SELECT max(last_seen_at) FROM sessions WHERE sessions.user_id = users.id),
        users.last_sign_in_at)`.as('last_seen_at'),
    ])
    .where('members.organization_id', '=', organizationId)
    .$if(userId !== undefined, (query) => query.where('users.id', '=', userId as string))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(members.created_at, members.user_id) > (${after?.createdAt}, ${after?.id})`),
    )
    .orderBy('members.created_at')
    .orderBy('members.user_id')
    .limit(page.limit + 1)
    .execute();
}

/**
 * Serializes operations that count or change resources of the organization until the transaction ends. False:
 * it does not exist.
 */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Admins beside this user who can sign in. */
export async function countOtherAdmins(tx: Tx, organizationId: string, userId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('members.organization_id', '=', organizationId)
    .where('members.user_id', '<>', userId)
    .where('members.role', '=', 'admin')
    .where('users.disabled_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

export async function setRole(tx: Tx, organizationId: string, userId: string, role: Role): Promise<void> {
  await tx
    .updateTable('members')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute();
}

export async function deleteMember(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('members')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute();
}

/** Organizations that the user is an admin of. Serializes the user's requests until the transaction ends. */
export async function countOwnOrganizations(tx: Tx, userId: string): Promise<number> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
  const { count } = await tx
    .selectFrom('members')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('user_id', '=', userId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow();
  return count;
}
