import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** Days after which a session ends however much it is used. */
const MAX_DAYS = 90;

/** Sessions of one user; the oldest end when there are more. */
const MAX_SESSIONS = 50;

export interface NewSession {
  id: string;
  userId: string;
  tokenSha256: Buffer;
  address: string;
  userAgent: string | null;
  days: number;
}

export async function insertSession(db: Db, session: NewSession): Promise<{ expires_at: Date }> {
  const row = await db
    .insertInto('sessions')
    .values({
      id: session.id,
      user_id: session.userId,
      token_sha256: session.tokenSha256,
      address: session.address,
      user_agent: session.userAgent,
      expires_at: sql<Date>`now() + make_interval(days => ${session.days})`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', session.userId)
    .where('id', 'not in', (query) =>
      query
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', session.userId)
        .where('expires_at', '>', sql<Date>`now()`)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_SESSIONS),
    )
    .execute();
  return row;
}

/**
 * The session with this digest that has not ended, with its user, and the user's role in `organizationId`
 * (null: no member). One query, since every request of the dashboard starts with it.
 */
export function findSession(db: Db, tokenSha256: Buffer, organizationId: string) {
  return db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .leftJoin('members as m', (join) =>
      join.onRef('m.user_id', '=', 'u.id').on('m.organization_id', '=', organizationId),
    )
    .select([
      's.id as session_id',
      's.user_id',
      'u.email',
      'u.name',
      'u.is_operator',
      'm.role',
      sql<boolean>`s.last_seen_at < now() - interval '1 minute'`.as('use_is_news'),
    ])
    .where('s.token_sha256', '=', tokenSha256)
    .where('s.expires_at', '>', sql<Date>`now()`)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst();
}

/** Notes the use of a session, which puts its end off. Of several calls in one minute, one does. */
export async function touchSession(db: Db, id: string, days: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({
      last_seen_at: sql<Date>`now()`,
      expires_at: sql<Date>`least(created_at + make_interval(days => ${MAX_DAYS}), now() + make_interval(days => ${days}))`,
    })
    .where('id', '=', id)
    .where('last_seen_at', '<', sql<Date>`now() - interval '1 minute'`)
    .execute();
}

/** When a session ends if it is not used again; undefined for one that has ended. */
export async function findSessionEnd(db: Db, id: string): Promise<Date | undefined> {
  const row = await db.selectFrom('sessions').select('expires_at').where('id', '=', id).executeTakeFirst();
  return row?.expires_at;
}

export function listSessions(db: Db, userId: string) {
  return db
    .selectFrom('sessions')
    .select(['id', 'address', 'user_agent', 'created_at', 'last_seen_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Whether the user had the session. */
export async function deleteSession(db: Db, userId: string, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends the sessions of a user, but the one with the id `except`. */
export async function deleteSessions(db: Db, userId: string, except?: string): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(except !== undefined, (query) => query.where('id', '<>', except!))
    .execute();
}

export async function deleteExpired(db: Db): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', sql<Date>`now()`).execute();
  await db.deleteFrom('password_resets').where('expires_at', '<=', sql<Date>`now()`).execute();
}
