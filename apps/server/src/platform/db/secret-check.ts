import { timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import { deriveKey } from '../secret.ts';
import type { Database } from './database.ts';

/** A value that is derived from the secret and opens nothing. */
export const secretCheckOf = (secret: string): Buffer => deriveKey(secret, 'secret-check');

/** The values of the secrets that a database was used with: none or one. Stores nothing. */
export async function readSecretChecks(db: Kysely<Database>): Promise<Buffer[]> {
  const rows = await db.selectFrom('installation').select('secret_check').execute();
  return rows.map(({ secret_check: check }) => check);
}

/**
 * Whether the secret is the one of this database. The first secret that is checked becomes it.
 */
export async function isSecretOf(db: Kysely<Database>, secret: string): Promise<boolean> {
  const value = secretCheckOf(secret);
  await db
    .insertInto('installation')
    .values({ secret_check: value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { secret_check: known } = await db
    .selectFrom('installation')
    .select('secret_check')
    .executeTakeFirstOrThrow();
  return known.length === value.length && timingSafeEqual(known, value);
}

/** Why a process does not start, with the way out. */
export const WRONG_SECRET =
  'OFFPRINT_SECRET is not the secret of this database: with it, every API key is unknown, and stored credentials cannot be read. Set the secret that the database was used with, or restore the file `secret` of its data folder. If it is lost, see "Lost secret" in the runbook.';
