import type { Member, MemberList, Role } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { revokeInvitationsOf } from './invitation-store.ts';
import {
  countOtherAdmins,
  deleteMember,
  findRole,
  insertMember,
  listMemberRows,
  lockOrganization,
  type MemberRow,
  setRole,
} from './member-store.ts';

type Db = Kysely<Database> | Transaction<Database>;
type Tx = Transaction<Database>;

export async function listMembers(
  db: Db,
  organizationId: string,
  query: { cursor?: string | undefined; limit: number },
): Promise<MemberList> {
  const rows = await listMemberRows(db, organizationId, {
    after: parseCursor(query.cursor),
    limit: query.limit,
  });
  return pageOf(rows, query.limit, present);
}

/** Adds a user as a member; throws the 404 for an organization that does not exist, the 409 for a member. */
export async function addMember(
  tx: Tx,
  member: { organizationId: string; userId: string; role: Role },
): Promise<Member> {
  if (!(await lockOrganization(tx, member.organizationId))) throw notFound('organization');
  if (!(await insertMember(tx, member)))
    throw new AppError(
      'already_member',
      'The person is already a member of the organization. Change the role instead.',
    );
  return readMember(tx, member.organizationId, member.userId);
}

/** Throws what a change of this role would be refused with. */
type Admit = (held: Role) => void;

/**
 * Throws the 404 for a user who is not a member, what `admit` throws, and the 409 if the organization would be left
 * without an admin.
 */
export async function changeRole(
  tx: Tx,
  organizationId: string,
  userId: string,
  role: Role,
  admit: Admit = () => {},
): Promise<{ before: Role; member: Member }> {
  await lockOrganization(tx, organizationId);
  const held = await requireMember(tx, organizationId, userId, 'member');
  admit(held);
  if (held === 'admin' && role !== 'admin') await requireOtherAdmin(tx, organizationId, userId);
  await setRole(tx, organizationId, userId, role);
  return { before: held, member: await readMember(tx, organizationId, userId) };
}

/** Throws like `changeRole`. `thing`: what the 404 says is not there. */
export async function removeMember(
  tx: Tx,
  organizationId: string,
  userId: string,
  { thing = 'member', admit = () => {} }: { thing?: 'member' | 'organization'; admit?: Admit } = {},
): Promise<void> {
  await lockOrganization(tx, organizationId);
  const held = await requireMember(tx, organizationId, userId, thing);
  admit(held);
  if (held === 'admin') await requireOtherAdmin(tx, organizationId, userId);
  // Otherwise a removed member could return by an invitation sent to one of their email addresses.
  await revokeInvitationsOf(tx, organizationId, userId);
  await deleteMember(tx, organizationId, userId);
}

async function requireMember(tx: Tx, organizationId: string, userId: string, thing: string): Promise<Role> {
  const held = await findRole(tx, organizationId, userId);
  if (held === undefined) throw notFound(thing);
  return held;
}

/** An admin whose account is disabled manages nothing, so does not count. */
async function requireOtherAdmin(tx: Tx, organizationId: string, userId: string): Promise<void> {
  if ((await countOtherAdmins(tx, organizationId, userId)) > 0) return;
  throw new AppError(
    'last_admin',
    'This is the last admin of the organization. Make another member an admin first.',
  );
}

async function readMember(db: Db, organizationId: string, userId: string): Promise<Member> {
  const [row] = await listMemberRows(db, organizationId, { limit: 1, userId });
  if (row === undefined) throw notFound('member');
  return present(row);
}

function present(row: MemberRow): Member {
  return {
    userId: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    joinedAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  };
}
