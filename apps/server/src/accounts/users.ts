import {
  email as emailSchema,
  newPassword,
  type OperatedUser,
  type OperatedUserList,
  personName,
  type User,
} from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { z } from 'zod';
import type { Database } from '../platform/db/database.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { newId } from '../platform/ids.ts';
import { requireUncommon } from './common-password.ts';
import { hashPassword } from './password.ts';
import { deleteSessions } from './session-store.ts';
import { digestOf, newToken } from './token.ts';
import {
  deleteResets,
  findUser,
  findUserRowByEmail,
  insertReset,
  insertUser,
  listUserRows,
  lockUsers,
  type NewUser,
  type UserRow,
  updateUserRow,
} from './user-store.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** Minutes for which a link to a new password works. */
export const RESET_MINUTES = 60;

/** What an operator says of a new account. Without a password, a reset link or single sign-on opens it. */
export interface NewAccount {
  email: string;
  name: string;
  password?: string;
  isOperator?: boolean;
}

/**
 * Checks a new account and hashes its password, which takes long and must not happen in a transaction. Throws the 400
 * that names the field that is wrong.
 */
export async function prepareUser(account: NewAccount): Promise<NewUser> {
  const email = valid(emailSchema, account.email, 'email');
  const name = valid(personName, account.name, 'name');
  if (account.password !== undefined) {
    requireUncommon(valid(newPassword, account.password, 'password'), email, '/password');
  }
  return {
    id: newId('usr'),
    email,
    name,
    passwordHash: account.password === undefined ? null : await hashPassword(account.password),
    isVerified: true,
    isOperator: account.isOperator === true,
  };
}

/**
 * Creates an account at the request of an operator, who vouches for the email address. Throws the 409 for an address that
 * has an account.
 */
export async function createUser(db: Db, user: NewUser): Promise<User> {
  const row = await insertUser(db, user);
  if (row === undefined) throw emailTaken(user.email);
  return presentUser(row);
}

export function emailTaken(email: string): AppError {
  return new AppError(
    'email_taken',
    `An account with the email address ${email} already exists. Sign in instead.`,
  );
}

function valid<Schema extends z.ZodType>(schema: Schema, value: unknown, field: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('invalid_request', `${field} ${result.error.issues[0]?.message ?? 'is invalid'}.`, {
    param: `/${field}`,
  });
}

/** The account with this address, in any case of letters. */
export async function findUserByEmail(db: Db, email: string): Promise<OperatedUser | undefined> {
  const row = await findUserRowByEmail(db, email.trim().toLowerCase());
  return row === undefined ? undefined : readOperatedUser(db, row.id);
}

/** Every account, newest first. */
export async function listUsers(
  db: Db,
  query: { search?: string | undefined; cursor?: string | undefined; limit: number },
): Promise<OperatedUserList> {
  const search = query.search?.replaceAll('\0', '\uFFFD');
  const rows = await listUserRows(db, { search, after: parseCursor(query.cursor), limit: query.limit });
  return pageOf(rows, query.limit, presentOperated);
}

/** Throws the 404. */
export async function readOperatedUser(db: Db, id: string): Promise<OperatedUser> {
  const [row] = await listUserRows(db, { after: undefined, limit: 1, id });
  if (row === undefined) throw notFound('user');
  return presentOperated(row);
}

/** Lets a user sign in or not; a disabled one is signed out everywhere and has no links left. Throws the 404. */
export async function setDisabled(db: Db, id: string, disabled: boolean): Promise<void> {
  const disabledAt = disabled ? sql<Date>`coalesce(disabled_at, now())` : null;
  if ((await updateUserRow(db, id, { disabled_at: disabledAt })) === undefined) throw notFound('user');
  if (!disabled) return;
  await deleteSessions(db, id);
  await deleteResets(db, id);
}

/**
 * Holds an operator and a user until the transaction ends. Throws the 403 for a user who is not an operator
 * any more: of two who demote each other at the same moment, one is left.
 */
export async function lockOperator(tx: Transaction<Database>, id: string, userId: string): Promise<void> {
  const operator = (await lockUsers(tx, [id, userId])).find((row) => row.id === id);
  if (operator?.is_operator === true && operator.disabled_at === null) return;
  throw new AppError('operator_required', 'You are no longer an operator of the installation.');
}

/** Changes whether a user is an operator of the installation. Throws the 404. */
export async function setOperator(db: Db, id: string, isOperator: boolean): Promise<void> {
  if ((await updateUserRow(db, id, { is_operator: isOperator })) === undefined) throw notFound('user');
}

/** A link with which a user sets a new password, for an operator to pass on. Throws the 404. */
export async function createResetLink(
  db: Db,
  publicUrl: string,
  userId: string,
): Promise<{ userId: string; url: string; expiresAt: string }> {
  if ((await findUser(db, userId)) === undefined) throw notFound('user');
  const token = newToken();
  const { expires_at } = await insertReset(db, {
    tokenSha256: digestOf(token),
    userId,
    minutes: RESET_MINUTES,
    mailed: false,
  });
  return { userId, url: resetUrl(publicUrl, token), expiresAt: expires_at.toISOString() };
}

/** The token is in the fragment, which browsers send to no server. */
export function resetUrl(publicUrl: string, token: string): string {
  return new URL(`/reset-password#token=${token}`, publicUrl).href;
}

export function presentUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    isOperator: row.is_operator,
    hasPassword: row.password_hash !== null,
    createdAt: row.created_at.toISOString(),
  };
}

function presentOperated(row: UserRow & { organizations: number }): OperatedUser {
  return {
    ...presentUser(row),
    disabledAt: row.disabled_at?.toISOString() ?? null,
    lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
    organizations: row.organizations,
  };
}
