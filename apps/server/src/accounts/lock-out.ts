import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { callerOf } from '../platform/http/rate-limit.ts';

/** Failures that pass before every further one waits. */
const OF_ACCOUNT = 5;
const OF_ADDRESS = 50;

/** The first wait; each failure doubles it up to the last. Failures older than a day are forgotten. */
const FIRST_SECONDS = 30;
const LAST_SECONDS = 900;

/** An attempt that was let through; it counts as a failure until it succeeds. */
export interface Attempt {
  succeeded(): Promise<void>;
}

export interface LockOut {
  /**
   * Lets an attempt pass or throws the 429. `isKnownPlace`: somebody is signed in to the account from this address;
   * such a place has failures of its own, so that strangers who guess do not lock the owner out.
   */
  begin(attempt: { account: string; address: string; isKnownPlace: boolean }): Promise<Attempt>;
  /** Forgets the failures of an account, wherever they came from but known places. */
  forgive(account: string): Promise<void>;
}

interface Subject {
  digest: Buffer;
  limit: number;
}

/**
 * Counts failed sign-ins in the database, so that every API process counts alike. An attempt is counted
 * before the password is checked: a hundred at the same moment are a hundred failures, not one. `key`:
 * addresses and accounts are kept as digests under it.
 */
export function createLockOut(db: Kysely<Database>, key: Buffer): LockOut {
  const subjectOf = (limit: number, ...parts: string[]): Subject => ({
    digest: createHmac('sha256', key).update(JSON.stringify(parts)).digest(),
    limit,
  });

  return {
    async begin({ account, address, isKnownPlace }) {
      const place = callerOf(address);
      const subjects = [
        isKnownPlace
          ? subjectOf(OF_ACCOUNT, 'account', account, place)
          : subjectOf(OF_ACCOUNT, 'account', account),
        subjectOf(OF_ADDRESS, 'address', place),
      ] as const;
      // The address first: one that waits must not add to the failures of accounts.
      const ofAddress = await count(db, subjects[1]);
      await count(db, subjects[0]);
      return {
        async succeeded() {
          await forget(db, subjects[0].digest);
          await giveBack(db, subjects[1], ofAddress);
        },
      };
    },

    forgive: (account) => forget(db, subjectOf(OF_ACCOUNT, 'account', account).digest),
  };
}

/** Counts one failure and returns how many there are now; throws the 429 while further ones wait. */
async function count(db: Kysely<Database>, { digest, limit }: Subject): Promise<number> {
  const old = sql<boolean>`f.last_at < now() - interval '1 day'`;
  const next = sql<number>`CASE WHEN ${old} THEN 1 ELSE f.failures + 1 END`;
  const wait = sql`least(${LAST_SECONDS}::int, ${FIRST_SECONDS}::int * 2 ^ least((${next}) - ${limit}::int, 20))`;
  const { rows } = await sql<{ failures: number }>`
    INSERT INTO sign_in_failures AS f (subject, failures) VALUES (${digest}, 1)
    ON CONFLICT (subject) DO UPDATE SET
      failures = ${next},
      last_at = now(),
      locked_until = CASE WHEN ${next} >= ${limit}::int THEN now() + make_interval(secs => ${wait}) END
    WHERE f.locked_until IS NULL OR f.locked_until <= now()
    RETURNING failures`.execute(db);
  const row = rows[0];
  if (row !== undefined) return row.failures;
  const locked = await db
    .selectFrom('sign_in_failures')
    .select(sql<number>`greatest(1, ceil(extract(epoch FROM locked_until - now())))::int`.as('wait'))
    .where('subject', '=', digest)
    .executeTakeFirst();
  const seconds = locked?.wait ?? 1;
  throw new AppError('too_many_sign_ins', `Too many failed sign-ins. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

async function forget(db: Kysely<Database>, digest: Buffer): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('subject', '=', digest).execute();
}

/**
 * Takes one failure of an email or IP address back, with the wait that this attempt started; failures of
 * others stay.
 */
async function giveBack(db: Kysely<Database>, { digest }: Subject, counted: number): Promise<void> {
  await db
    .updateTable('sign_in_failures')
    .set({
      failures: sql<number>`greatest(failures - 1, 0)`,
      locked_until: sql<Date | null>`CASE WHEN failures = ${counted} THEN NULL ELSE locked_until END`,
    })
    .where('subject', '=', digest)
    .execute();
}

/** Deletes what is too old to count. */
export async function forgetOldFailures(db: Kysely<Database>): Promise<void> {
  await db
    .deleteFrom('sign_in_failures')
    .where('last_at', '<', sql<Date>`now() - interval '1 day'`)
    .execute();
}
