import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { callerOf } from '../platform/http/rate-limit.ts';

/** Tokens per day (UTC), input and output together. */
export interface DailyLimits {
  reader: number;
  site: number;
}

/** Tokens that an answer may use, taken from the limits until `settle` says how many it was. */
export interface Reservation {
  settle(tokens: number): Promise<void>;
}

type Db = Kysely<Database> | Transaction<Database>;

const SITE = 'site';
const today = sql<string>`(now() AT TIME ZONE 'UTC')::date`;

/**
 * Takes the tokens of one answer from the limits of the reader and the site, for all processes together. What a process
 * that died has taken stays taken. Throws the 429.
 */
export async function reserveTokens(
  db: Kysely<Database>,
  {
    projectId,
    reader,
    tokens,
    limits,
  }: { projectId: string; reader: string | null; tokens: number; limits: DailyLimits },
): Promise<Reservation> {
  const subjects: [string, number, string][] = [
    ...(reader === null ? [] : [[reader, limits.reader, 'You have'] as [string, number, string]]),
    [SITE, limits.site, 'The readers of this site have'],
  ];
  await db.transaction().execute(async (tx) => {
    // The reader first in every process, so that none waits for another one in a circle.
    for (const [subject, limit, who] of subjects) {
      if (tokens <= limit && (await take(tx, projectId, subject, tokens, limit))) continue;
      const seconds = secondsUntilTomorrow();
      throw new AppError(
        'assistant_limit',
        `${who} used the assistant as much as is allowed today. Try again tomorrow, or use the search.`,
        { headers: { 'Retry-After': String(seconds) } },
      );
    }
  });
  let isSettled = false;
  return {
    async settle(used) {
      if (isSettled) return;
      isSettled = true;
      for (const [subject] of subjects) await give(db, projectId, subject, used - tokens);
    },
  };
}

async function take(
  db: Db,
  projectId: string,
  subject: string,
  tokens: number,
  limit: number,
): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO assistant_use AS used (project_id, subject, day, tokens, questions)
    VALUES (${projectId}, ${subject}, ${today}, ${tokens}, 1)
    ON CONFLICT (project_id, subject, day) DO UPDATE
      SET tokens = used.tokens + excluded.tokens, questions = used.questions + 1
      WHERE used.tokens + excluded.tokens <= ${limit}
    RETURNING tokens`.execute(db);
  return rows.length === 1;
}

async function give(db: Db, projectId: string, subject: string, tokens: number): Promise<void> {
  await sql`
    UPDATE assistant_use SET tokens = greatest(0, tokens + ${tokens})
    WHERE project_id = ${projectId} AND subject = ${subject}
      AND day = (SELECT max(day) FROM assistant_use
        WHERE project_id = ${projectId} AND subject = ${subject})`.execute(db);
}

/** Counts a question of a reader; returns how many the site had in this minute, in all processes. */
export async function countQuestion(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ questions: number }>`
    INSERT INTO assistant_use AS used (project_id, subject, day, questions)
    VALUES (${projectId}, 'minute ' || floor(extract(epoch FROM now()) / 60)::text, ${today}, 1)
    ON CONFLICT (project_id, subject, day) DO UPDATE SET questions = used.questions + 1
    RETURNING questions`.execute(db);
  return rows[0]?.questions ?? 0;
}

/** Whether this is the first use of a proof of work, for all processes. */
export async function useProof(db: Db, projectId: string, proof: string): Promise<boolean> {
  const digest = createHash('sha256').update(proof).digest('base64url');
  const { rows } = await sql`
    INSERT INTO assistant_use (project_id, subject, day)
    VALUES (${projectId}, ${`proof ${digest}`}, ${today})
    ON CONFLICT DO NOTHING RETURNING subject`.execute(db);
  return rows.length === 1;
}

/**
 * Name under which the limit of a reader is counted: a hash of the IP address with a key that exists for two days, so
 * that the address is stored nowhere and cannot be found again later.
 */
export async function readerSubject(db: Db, projectId: string, address: string): Promise<string> {
  const key = await keyOfToday(db);
  const digest = createHmac('sha256', key)
    .update(`${projectId}\n${callerOf(address)}`)
    .digest('base64url');
  return `reader ${digest.slice(0, 22)}`;
}

async function keyOfToday(db: Db): Promise<Buffer> {
  const read = () =>
    sql<{ key: Buffer }>`SELECT key FROM assistant_days WHERE day = ${today}`
      .execute(db)
      .then(({ rows }) => rows[0]?.key);
  const known = await read();
  if (known !== undefined) return known;
  await sql`INSERT INTO assistant_days (day, key) VALUES (${today}, ${randomBytes(32)}) ON CONFLICT DO NOTHING`.execute(
    db,
  );
  const key = await read();
  if (key === undefined) throw new Error('the key of the day was not stored');
  return key;
}

/** Deletes what was counted before yesterday, and the keys of those days. */
export async function forgetUse(db: Db): Promise<void> {
  await sql`DELETE FROM assistant_use WHERE day < ${today} - 1
    OR (subject LIKE 'minute %' AND subject < 'minute ' || (floor(extract(epoch FROM now()) / 60) - 10)::text)`.execute(
    db,
  );
  await sql`DELETE FROM assistant_days WHERE day < ${today} - 1`.execute(db);
}

function secondsUntilTomorrow(now = new Date()): number {
  const tomorrow = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.ceil((tomorrow - now.getTime()) / 1_000);
}
