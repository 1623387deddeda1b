import type { UserSession } from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type Database, plainText } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import type { MemberPrincipal, UserPrincipal } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import {
  deleteSession,
  deleteSessions,
  findSession,
  insertSession,
  listSessions,
  touchSession,
} from './session-store.ts';
import { digestOf, newToken } from './token.ts';
import { updateUserRow } from './user-store.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** Where a request comes from. */
export interface Place {
  /** Network address. */
  address: string;
  userAgent: string | undefined;
}

/** A new session, as the cookie holds it. */
export interface Started {
  token: string;
  expiresAt: Date;
}

const USER_AGENT_LENGTH = 300;

/** Starts a session under a token that nobody has seen before, to prevent session fixation. */
export async function startSession(db: Db, userId: string, place: Place, days: number): Promise<Started> {
  const token = newToken();
  const { expires_at } = await insertSession(db, {
    id: newId('ses'),
    userId,
    tokenSha256: digestOf(token),
    address: place.address,
    userAgent:
      place.userAgent === undefined
        ? null
        : plainText(place.userAgent.replace(/\p{Cc}/gu, ' ').slice(0, USER_AGENT_LENGTH)),
    days,
  });
  await updateUserRow(db, userId, { last_sign_in_at: sql<Date>`now()` });
  return { token, expiresAt: expires_at };
}

/** The user of the session; throws the 401. */
export async function identify(db: Db, token: string | undefined, days: number): Promise<UserPrincipal> {
  return userOf(await requireSession(db, token, '', days));
}

/**
 * Whom the session speaks for in an organization. Throws the 401, the 400 for a request that names no
 * organization, and the 404 for one that the user is not a member of, which is also the response for one that
 * does not exist.
 */
export async function authenticate(
  db: Db,
  token: string | undefined,
  organizationId: string | undefined,
  days: number,
): Promise<MemberPrincipal> {
  const row = await requireSession(db, token, organizationId ?? '', days);
  if (organizationId === undefined || organizationId === '') {
    throw new AppError(
      'invalid_request',
      'The header Offprint-Organization must name the organization, such as org_00112233445566778899aabbccddeeff.',
      { param: 'Offprint-Organization' },
    );
  }
  if (row.role === null) throw notFound('organization');
  return {
    kind: 'member',
    id: row.user_id,
    name: row.email,
    organizationId,
    projects: null,
    role: row.role,
  };
}

type SessionRow = NonNullable<Awaited<ReturnType<typeof findSession>>>;

async function requireSession(
  db: Db,
  token: string | undefined,
  organizationId: string,
  days: number,
): Promise<SessionRow> {
  const row = token === undefined ? undefined : await findSession(db, digestOf(token), organizationId);
  if (row === undefined) {
    throw new AppError('unauthorized', 'You are not signed in, or the session has ended. Sign in again.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  if (row.use_is_news) await touchSession(db, row.session_id, days);
  return row;
}

function userOf(row: SessionRow): UserPrincipal {
  return {
    id: row.user_id,
    email: row.email,
    name: row.name,
    isOperator: row.is_operator,
    sessionId: row.session_id,
  };
}

/** Ends the session of a token, whichever user it belongs to; an unknown one has ended. */
export async function endToken(db: Db, token: string): Promise<void> {
  const row = await findSession(db, digestOf(token), '');
  if (row !== undefined) await deleteSession(db, row.user_id, row.session_id);
}

export async function readSessions(db: Db, user: UserPrincipal): Promise<UserSession[]> {
  const rows = await listSessions(db, user.id);
  return rows.map((row) => ({
    id: row.id,
    current: row.id === user.sessionId,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  }));
}

/** Throws the 404 for a session that the user does not have. */
export async function endSession(db: Db, userId: string, id: string): Promise<void> {
  if (!(await deleteSession(db, userId, id))) throw notFound('session');
}

/** Ends every session of the user, but the one with the id `except`. */
export const endSessions: (db: Db, userId: string, except?: string) => Promise<void> = deleteSessions;
