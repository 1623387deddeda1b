import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';

/** The key of one day. */
export interface VisitorKey {
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
  /** Base64url. */
  key: string;
}

/** How long before its day a key is made: time for site servers to get it. */
const AHEAD_MS = 4 * 3_600_000;

/**
 * The keys with which site servers make visitors of requests: of today and, in the last hours of a day, of tomorrow,
 * made by whichever process asks first. A key is stored for less than two days.
 */
export async function readVisitorKeys(db: Kysely<Database>, now: Date): Promise<VisitorKey[]> {
  const days = [
    ...new Set([0, AHEAD_MS].map((ahead) => new Date(now.getTime() + ahead).toISOString().slice(0, 10))),
  ];
  const read = () =>
    db
      .selectFrom('visitor_keys')
      .select([sql<string>`day::text`.as('day'), 'key'])
      .where('day', '=', sql<string>`ANY(${days}::date[])`)
      .orderBy('day')
      .execute();
  let rows = await read();
  if (rows.length < days.length) {
    await db
      .insertInto('visitor_keys')
      .values(days.map((day) => ({ day, key: randomBytes(32) })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    rows = await read();
  }
  return rows.map(({ day, key }) => ({ day, key: key.toString('base64url') }));
}

/** Deletes the keys of days that are over. */
export async function deleteVisitorKeys(db: Kysely<Database>, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('visitor_keys')
    .where(sql<boolean>`day < ${now.toISOString().slice(0, 10)}::date`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
