import type { Role } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { findRole, listMemberships, type Membership } from './member-store.ts';

export { revokeInvitationsOfKeys } from './invitation-store.ts';
export { acceptInvitation, isInvited } from './invitations.ts';
export { lockOrganization, type Membership } from './member-store.ts';
export { addMember, changeRole, removeMember } from './members.ts';
export {
  createOrganization,
  deleteOrganization,
  ensureOrganization,
  findOrganizations,
  listOrganizations,
  readOrganization,
  setPlan,
} from './organizations.ts';
export { planFault, requirePlan } from './plan.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** The organizations of a user by name, with the role in each. */
export function membershipsOf(db: Db, userId: string): Promise<Membership[]> {
  return listMemberships(db, userId);
}

/**
 * The role of a user in an organization; undefined for a user who is not a member, and for an organization
 * that does not exist.
 */
export function roleOf(db: Db, organizationId: string, userId: string): Promise<Role | undefined> {
  return findRole(db, organizationId, userId);
}
