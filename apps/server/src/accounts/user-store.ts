import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, UsersTable } from '../platform/db/database.ts';
import type { Cursor } from '../platform/http/cursor.ts';

type Db = Kysely<Database> | Transaction<Database>;

export type UserRow = Selectable<UsersTable>;

export interface NewUser {
  id: string;
  email: string;
  name: string;
  passwordHash: string | null;
  /** Whether the address was shown to be the person's. */
  isVerified: boolean;
  isOperator: boolean;
}

/** Undefined when the address is taken. */
export function insertUser(db: Db, user: NewUser): Promise<UserRow | undefined> {
  return db
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      name: user.name,
      password_hash: user.passwordHash,
      email_verified_at: user.isVerified ? sql<Date>`now()` : null,
      is_operator: user.isOperator,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * The user, locked until the transaction ends, if the password is still the one that was checked and the
 * account is not disabled: checking a password takes a while, in which the owner may have set another.
 */
export function lockUser(
  tx: Transaction<Database>,
  seen: Pick<UserRow, 'id' | 'password_hash'>,
): Promise<UserRow | undefined> {
  return tx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', seen.id)
    .where('password_hash', 'is not distinct from', seen.password_hash)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Users, held until the transaction ends; always in one order, so that nobody waits in a circle. */
export function lockUsers(tx: Transaction<Database>, ids: readonly string[]): Promise<UserRow[]> {
  return tx
    .selectFrom('users')
    .selectAll()
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** `email`: in lower case. */
export function findUserRowByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

/** The same, with whether the account has a live session that started at this IP address. */
export function findUserAt(db: Db, email: string, address: string) {
  return db
    .selectFrom('users as u')
    .selectAll('u')
    .select((query) =>
      query
        .exists(
          query
            .selectFrom('sessions as s')
            .select('s.id')
            .whereRef('s.user_id', '=', 'u.id')
            .where('s.address', '=', address)
            .where('s.expires_at', '>', sql<Date>`now()`),
        )
        .as('is_known_place'),
    )
    .where('u.email', '=', email)
    .executeTakeFirst();
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Undefined for a user who does not exist. */
export function updateUserRow(
  db: Db,
  id: string,
  changes: {
    name?: string;
    password_hash?: string | null;
    is_operator?: boolean;
    email_verified_at?: ReturnType<typeof sql<Date>>;
    disabled_at?: ReturnType<typeof sql<Date>> | null;
    last_sign_in_at?: ReturnType<typeof sql<Date>>;
  },
): Promise<UserRow | undefined> {
  return db.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Users with the number of their organizations, newest first. */
export function listUserRows(
  db: Db,
  page: { search?: string | undefined; after: Cursor | undefined; limit: number; id?: string },
) {
  const { after, search, id } = page;
  const pattern = `%${(search ?? '').replace(/[\\%_]/g, '\\$&')}%`;
  return db
    .selectFrom('users as u')
    .selectAll('u')
    .select(sql<number>`(SELECT count(*)::int FROM members m WHERE m.user_id = u.id)`.as('organizations'))
    .$if(id !== undefined, (query) => query.where('u.id', '=', id!))
    .$if(search !== undefined, (query) =>
      query.where((where) =>
        where.or([where('u.email', 'ilike', pattern), where('u.name', 'ilike', pattern)]),
      ),
    )
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(u.created_at, u.id) < (${after?.createdAt}, ${after?.id})`),
    )
    .orderBy('u.created_at', 'desc')
    .orderBy('u.id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

export function findIdentity(db: Db, issuer: string, subject: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('user_identities as i')
    .innerJoin('users as u', 'u.id', 'i.user_id')
    .selectAll('u')
    .where('i.issuer', '=', issuer)
    .where('i.subject', '=', subject)
    .executeTakeFirst();
}

export async function insertIdentity(
  db: Db,
  identity: { issuer: string; subject: string; user_id: string },
): Promise<void> {
  await db
    .insertInto('user_identities')
    .values(identity)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function insertReset(
  db: Db,
  reset: { tokenSha256: Buffer; userId: string; minutes: number; mailed: boolean },
): Promise<{ expires_at: Date }> {
  return db
    .insertInto('password_resets')
    .values({
      token_sha256: reset.tokenSha256,
      user_id: reset.userId,
      mailed: reset.mailed,
      expires_at: sql<Date>`now() + make_interval(mins => ${reset.minutes})`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
}

/** Mailed links of the user that work, whose number cannot change during the transaction. */
export async function countMailedResets(tx: Transaction<Database>, userId: string): Promise<number> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
  const row = await tx
    .selectFrom('password_resets')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('user_id', '=', userId)
    .where('mailed', '=', true)
    .where('created_at', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** The user of a link that works and who may sign in. */
export function findReset(db: Db, tokenSha256: Buffer): Promise<UserRow | undefined> {
  return db
    .selectFrom('password_resets as r')
    .innerJoin('users as u', 'u.id', 'r.user_id')
    .selectAll('u')
    .where('r.token_sha256', '=', tokenSha256)
    .where('r.expires_at', '>', sql<Date>`now()`)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst();
}

/** Uses a link up: the user of it, and whether it was mailed. Undefined for one that is unknown, expired or used. */
export function takeReset(
  tx: Transaction<Database>,
  tokenSha256: Buffer,
): Promise<{ user_id: string; mailed: boolean } | undefined> {
  return tx
    .deleteFrom('password_resets')
    .where('token_sha256', '=', tokenSha256)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['user_id', 'mailed'])
    .executeTakeFirst();
}

export async function deleteResets(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('password_resets').where('user_id', '=', userId).execute();
}
