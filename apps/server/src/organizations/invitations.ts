import { createHash, randomBytes } from 'node:crypto';
import type {
  CreateInvitationBody,
  Invitation,
  InvitationList,
  InvitationPreview,
  Organization,
} from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { countOfLastHour } from '../platform/db/last-hour.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import type { Principal } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import {
  findAccountByEmail,
  findOpenInvitation,
  hasOpenInvitation,
  type InvitationRow,
  insertInvitation,
  listOpenInvitations,
  lockOpenInvitation,
  markAccepted,
  revokeInvitationRow,
  revokeInvitationsTo,
} from './invitation-store.ts';
import { requireGrantable } from './key-rights.ts';
import { insertMember, lockOrganization } from './member-store.ts';
import { readOrganization } from './organizations.ts';

type Db = Kysely<Database> | Transaction<Database>;
type Tx = Transaction<Database>;

/** Throws the 401 for a key that has ended since the request started. */
export type RequireUsable = (tx: Tx, principal: Principal) => Promise<void>;

const DAYS = 7;
const PER_HOUR = 50;

/**
 * Creates an invitation and the token of its link, which is not stored. An earlier one to the address stops
 * working. Throws the 403 for a key with fewer rights than the role, the 409 for the address of a member and the 429
 * above the limit.
 */
export async function makeInvitation(
  tx: Tx,
  principal: Principal,
  body: CreateInvitationBody,
  requireUsable: RequireUsable,
): Promise<{ invitation: Invitation; token: string }> {
  const { organizationId } = principal;
  requireGrantable(principal, body.role);
  await lockOrganization(tx, organizationId);
  await requireUsable(tx, principal);
  if ((await findAccountByEmail(tx, organizationId, body.email))?.isMember === true) {
    throw new AppError(
      'already_member',
      `${body.email} is already a member of the organization. Change the role instead.`,
    );
  }
  const { count, retryAfter } = await countOfLastHour(tx, 'invitations', organizationId);
  if (count >= PER_HOUR) {
    throw new AppError(
      'too_many_invitations',
      `The organization invited ${count} times in the last hour, which is the limit. Try again later.`,
      { headers: { 'Retry-After': String(retryAfter) } },
    );
  }
  await revokeInvitationsTo(tx, organizationId, body.email);
  const token = randomBytes(32).toString('base64url');
  const row = await insertInvitation(tx, {
    id: newId('inv'),
    organizationId,
    email: body.email,
    role: body.role,
    tokenSha256: digestOf(token),
    invitedBy: principal.name,
    key: principal.kind === 'key' ? principal : null,
    days: DAYS,
  });
  return { invitation: present(row), token };
}

/** Where an invitation is accepted. The token is in the fragment, which browsers send to no server. */
export function invitationUrl(publicUrl: string, token: string): string {
  return new URL(`/invitation#token=${token}`, publicUrl).href;
}

export async function listInvitations(
  db: Db,
  organizationId: string,
  query: { cursor?: string | undefined; limit: number },
): Promise<InvitationList> {
  const rows = await listOpenInvitations(db, organizationId, {
    after: parseCursor(query.cursor),
    limit: query.limit,
  });
  return pageOf(rows, query.limit, present);
}

/** Throws the 404 for one that the organization does not have, or that was accepted. */
export async function revokeInvitation(db: Db, organizationId: string, id: string): Promise<void> {
  if (!(await revokeInvitationRow(db, organizationId, id))) throw notFound('invitation');
}

export async function previewInvitation(db: Db, token: string): Promise<InvitationPreview> {
  const row = await findOpenInvitation(db, digestOf(token));
  if (row === undefined) throw tokenInvalid();
  const { name } = await readOrganization(db, row.organization_id);
  const account = await findAccountByEmail(db, row.organization_id, row.email);
  return { organizationName: name, email: row.email, role: row.role, hasAccount: account !== undefined };
}

/**
 * Joins the organization of the invitation, which is used up. Existing members keep their role. Throws
 * `token_invalid` for a token that is unknown, expired, revoked or used, `invitation_mismatch` for another
 * address.
 */
export async function acceptInvitation(
  tx: Tx,
  user: { userId: string; email: string },
  token: string,
): Promise<Organization> {
  const row = await lockOpenInvitation(tx, digestOf(token));
  if (row === undefined) throw tokenInvalid();
  if (row.email !== user.email.toLowerCase()) {
    throw new AppError(
      'invitation_mismatch',
      'The invitation is for another email address. Sign in with the invited email address, or ask for a new invitation.',
    );
  }
  await insertMember(tx, { organizationId: row.organization_id, userId: user.userId, role: row.role });
  await markAccepted(tx, row.id);
  return readOrganization(tx, row.organization_id);
}

/**
 * Whether the address is invited: by the invitation of this token, or without a token by any that waits. An address
 * that comes with a token needs no other proof, one that comes without has to be shown to be the person's.
 */
export async function isInvited(db: Db, email: string, token?: string): Promise<boolean> {
  if (token === undefined) return hasOpenInvitation(db, email.toLowerCase());
  const row = await findOpenInvitation(db, digestOf(token));
  return row !== undefined && row.email === email.toLowerCase();
}

function tokenInvalid(): AppError {
  return new AppError(
    'token_invalid',
    'The invitation is invalid: it is unknown, expired, revoked or was already used. Ask for a new one.',
  );
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function present(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}
