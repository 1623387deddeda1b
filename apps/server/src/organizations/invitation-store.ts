import type { Role } from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import type { Cursor } from '../platform/http/cursor.ts';

type Db = Kysely<Database> | Transaction<Database>;
type Tx = Transaction<Database>;

export interface NewInvitation {
  id: string;
  organizationId: string;
  /** Lower case. */
  email: string;
  role: Role;
  tokenSha256: Buffer;
  invitedBy: string;
  /** The key that sends it, with which it ends; null: a member sends it. */
  key: { id: string; expiresAt: Date | null } | null;
  days: number;
}

const columns = ['id', 'organization_id', 'email', 'role', 'invited_by', 'created_at', 'expires_at'] as const;

/** An invitation without the digest of its token. */
export type InvitationRow = Awaited<ReturnType<typeof insertInvitation>>;

export function insertInvitation(tx: Tx, wanted: NewInvitation) {
  return tx
    .insertInto('invitations')
    .values({
      id: wanted.id,
      organization_id: wanted.organizationId,
      email: wanted.email,
      role: wanted.role,
      token_sha256: wanted.tokenSha256,
      invited_by: wanted.invitedBy,
      invited_by_key: wanted.key?.id ?? null,
      expires_at: sql<Date>`least(now() + make_interval(days => ${wanted.days}), ${wanted.key?.expiresAt ?? null}::timestamptz)`,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Invitations that can still be accepted. */
function openInvitations(db: Db) {
  return db
    .selectFrom('invitations')
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`);
}

/** Newest first; one row more than the limit where there are more. */
export function listOpenInvitations(
  db: Db,
  organizationId: string,
  page: { after: Cursor | undefined; limit: number },
): Promise<InvitationRow[]> {
  return openInvitations(db)
    .select(columns)
    .where('organization_id', '=', organizationId)
    .$call((query) => newestFirst(query, page))
    .execute();
}

export function findOpenInvitation(db: Db, tokenSha256: Buffer): Promise<InvitationRow | undefined> {
  return openInvitations(db).select(columns).where('token_sha256', '=', tokenSha256).executeTakeFirst();
}

/** The open invitation of this token, locked until the transaction ends, so that it is used once. */
export function lockOpenInvitation(tx: Tx, tokenSha256: Buffer): Promise<InvitationRow | undefined> {
  return openInvitations(tx)
    .select(columns)
    .where('token_sha256', '=', tokenSha256)
    .forUpdate()
    .executeTakeFirst();
}

/** Whether an open invitation waits for the address. */
export async function hasOpenInvitation(db: Db, email: string): Promise<boolean> {
  const row = await openInvitations(db).select('id').where('email', '=', email).limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function markAccepted(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('invitations').set({ accepted_at: sql<Date>`now()` }).where('id', '=', id).execute();
}

/** Takes back what waits for the address in the organization. */
export async function revokeInvitationsTo(tx: Tx, organizationId: string, email: string): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ revoked_at: sql<Date>`now()` })
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Takes back what these keys have sent and nobody accepted yet. */
export async function revokeInvitationsOfKeys(
  tx: Tx,
  organizationId: string,
  keyIds: readonly string[],
): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ revoked_at: sql<Date>`now()` })
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`invited_by_key = ANY (${[...keyIds]}::text[])`)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Takes back what the user has sent in the organization and nobody accepted yet. */
export async function revokeInvitationsOf(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ revoked_at: sql<Date>`now()` })
    .where('organization_id', '=', organizationId)
    .where('invited_by_key', 'is', null)
    .where('invited_by', '=', (query) => query.selectFrom('users').select('email').where('id', '=', userId))
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Whether the organization has the invitation and it was not accepted; the time of an earlier revocation stays. */
export async function revokeInvitationRow(db: Db, organizationId: string, id: string): Promise<boolean> {
  const row = await db
    .updateTable('invitations')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a user has the address, and is a member of the organization. */
export async function findAccountByEmail(
  db: Db,
  organizationId: string,
  email: string,
): Promise<{ isMember: boolean } | undefined> {
  const row = await db
    .selectFrom('users')
    .leftJoin('members', (join) =>
      join.onRef('members.user_id', '=', 'users.id').on('members.organization_id', '=', organizationId),
    )
    .select('members.role')
    .where('users.email', '=', email)
    .executeTakeFirst();
  return row === undefined ? undefined : { isMember: row.role !== null };
}
