import { randomInt } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { hasUsers } from './user-store.ts';
import { createUser, prepareUser } from './users.ts';

/** The account that the first start has made. */
export interface FirstOperator {
  userId: string;
  email: string;
  /** The password that was made for it, kept nowhere; null: the one that was configured. */
  madePassword: string | null;
}

/** Letters and digits that are not mistaken for each other; 32 of them, so each is 5 bits. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_SIGNS = 4;

/**
 * Creates the account of the operator if no account exists, once, however many processes start together. Null
 * when there was one. Throws like `prepareUser` for a configured password that is guessed first.
 */
export async function ensureOperator(
  db: Kysely<Database>,
  wanted: { email: string; password: string | undefined },
): Promise<FirstOperator | null> {
  if (await hasUsers(db)) return null;
  const madePassword = wanted.password === undefined ? makePassword() : null;
  const operator = await prepareUser({
    email: wanted.email,
    name: 'Operator',
    password: wanted.password ?? madePassword ?? '',
    isOperator: true,
  });
  return db.transaction().execute(async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('first operator', 0))`.execute(tx);
    if (await hasUsers(tx)) return null;
    const user = await createUser(tx, operator);
    return { userId: user.id, email: user.email, madePassword };
  });
}

/** 80 random bits in groups that can be read out. */
function makePassword(): string {
  const group = () => Array.from({ length: GROUP_SIGNS }, () => SIGNS[randomInt(SIGNS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}
