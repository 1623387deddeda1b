import { type Kysely, sql, type Transaction } from 'kysely';
import type { DailyKind, Database } from '../platform/db/database.ts';
import type { Scope } from './scope.ts';

/** Kinds of which there are lists of subjects that readers can invent. */
type SubjectKind = Extract<DailyKind, 'search' | 'click' | 'missing' | 'referrer'>;

/** Part of the conditions of their rows whose day is not over; the index of these rows has the same. */
export const isOpen = sql<boolean>`subject_key IS NULL AND kind IN ('search', 'click', 'missing', 'referrer')`;

/**
 * 64 bits for a subject: a link is one by its page as well. Readers send subjects, so they must not be able to make one
 * that counts as that of another.
 */
export const subjectKey = sql<number>`('x' || left(encode(sha256(convert_to(
  CASE kind WHEN 'missing' THEN subject || E'\n' || detail ELSE subject END, 'UTF8')), 'hex'), 16))::bit(64)::bigint`;

/** Rows that one statement closes. */
const ROWS = 10_000;

/**
 * Gives the rows of days that are over their key, which moves them to the index that lists read. `before` is a day, `YYYY-MM-DD`. Rows that a worker
 * writes at this moment are left for the next time.
 */
export async function closeSubjects(db: Kysely<Database>, before: string): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      UPDATE analytics_daily SET subject_key = ${subjectKey}
      WHERE ctid = ANY(ARRAY(
        SELECT rows.ctid FROM projects CROSS JOIN unnest(ARRAY['search', 'click', 'missing', 'referrer']) kinds (name)
        CROSS JOIN LATERAL (
          SELECT ctid FROM analytics_daily
          WHERE project_id = projects.id AND kind = kinds.name AND day < ${before}::date AND ${isOpen}
          LIMIT ${ROWS} FOR UPDATE SKIP LOCKED
        ) rows LIMIT ${ROWS}))`.execute(db);
    if ((numAffectedRows ?? 0n) < BigInt(ROWS)) return;
  }
}

/** A subject of a list, with the sums of all days. */
export interface SubjectRow {
  subject: string;
  detail: string;
  hits: number;
  /** Of searches: without results. */
  empty: number;
  last: Date;
}

interface SubjectList {
  kind: SubjectKind;
  limit: number;
  offset: number;
  /** Only searches that never had a result. */
  withoutResults?: boolean;
}

/** Memory of a sum by subject. The default of PostgreSQL makes it write to files from some ten thousand subjects on. */
const SUM_MEMORY = '32MB';

/** What a row counts on a day, in a type that PostgreSQL adds up in half of the time. */
const small = (column: 'count' | 'special') => sql`least(${sql.ref(column)}, 2147483647)::integer`;

/**
 * The most frequent subjects of a kind: `limit`, and one more if there are more. Days that are over are summed by key from
 * the index; only what is listed is looked up in the table, from the last day back: it was there on most days, and its
 * last day would be a tenth of the sum.
 */
export async function readSubjects(
  db: Kysely<Database>,
  scope: Scope,
  { kind, limit, offset, withoutResults = false }: SubjectList,
): Promise<SubjectRow[]> {
  const filter = withoutResults ? sql`WHERE empty = hits` : sql``;
  // A second sum of some hundred thousand rows is a fifth of the time.
  const empty = kind === 'search' ? sql`sum(special)` : sql`0`;
  const { rows } = await withMemory(db, (tx) =>
    sql<SubjectRow>`
      WITH opened AS MATERIALIZED (
        SELECT ${subjectKey} AS key, subject, detail, ${small('count')} AS count, ${small('special')} AS special, last_at
        FROM analytics_daily WHERE ${ofKind(scope, kind)} AND ${isOpen}
      ), listed AS MATERIALIZED (
        SELECT * FROM (
          SELECT key, sum(count) AS hits, ${empty} AS empty FROM (
            SELECT subject_key AS key, ${small('count')} AS count, ${small('special')} AS special
            FROM analytics_daily WHERE ${ofKind(scope, kind)} AND subject_key IS NOT NULL
            UNION ALL SELECT key, count, special FROM opened
          ) counts GROUP BY key
        ) sums ${filter} ORDER BY hits DESC, key LIMIT ${limit + 1} OFFSET ${offset}
      ), later AS (
        SELECT key, min(subject) AS subject, min(detail) AS detail, max(last_at) AS last
        FROM opened WHERE key IN (SELECT key FROM listed) GROUP BY key
      )
      SELECT coalesce(later.subject, earlier.subject) AS subject, coalesce(later.detail, earlier.detail) AS detail,
        hits, empty, greatest(later.last, earlier.last_at) AS last
      FROM listed LEFT JOIN later USING (key) LEFT JOIN LATERAL (
        SELECT found.* FROM generate_series(${scope.to}::date - 1, ${scope.from}::date, interval '-1 day') days (day)
        CROSS JOIN LATERAL (
          SELECT subject, detail, last_at FROM analytics_daily
          WHERE project_id = ${scope.projectId} AND kind = ${kind} AND day = days.day::date AND subject_key = listed.key
          LIMIT 1
        ) found LIMIT 1
      ) earlier ON true
      ORDER BY hits DESC, subject, detail`.execute(tx),
  );
  return rows;
}

/** The sum of all counts of a kind. */
export async function countAll(db: Kysely<Database>, scope: Scope, kind: SubjectKind): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT coalesce(sum(count), 0)::bigint AS total FROM (
      SELECT count FROM analytics_daily WHERE ${ofKind(scope, kind)} AND subject_key IS NOT NULL
      UNION ALL SELECT count FROM analytics_daily WHERE ${ofKind(scope, kind)} AND ${isOpen}
    ) counts`.execute(db);
  return rows[0]?.total ?? 0;
}

/** Opened results of some searches: how often, and the page that was opened most. */
export async function readClicks(
  db: Kysely<Database>,
  scope: Scope,
  searches: readonly string[],
): Promise<Map<string, { clicks: number; top: string }>> {
  if (searches.length === 0) return new Map();
  const { rows } = await withMemory(db, (tx) =>
    sql<{ subject: string; clicks: number; top: string }>`
      WITH listed AS MATERIALIZED (
        SELECT subject, ${subjectKey} AS key
        FROM (SELECT 'click' AS kind, unnest(${searches}::text[]) AS subject, '' AS detail) texts
      ), pages AS (
        SELECT key, page, sum(count)::bigint AS clicks, max(day) AS day FROM (
          SELECT listed.key, page, count, days.day::date AS day FROM listed
          CROSS JOIN generate_series(${scope.from}::date, ${scope.to}::date - 1, interval '1 day') days (day)
          CROSS JOIN LATERAL (
            SELECT detail_key AS page, ${small('count')} AS count FROM analytics_daily
            WHERE project_id = ${scope.projectId} AND kind = 'click' AND day = days.day::date AND subject_key = listed.key
            OFFSET 0
          ) closed
          UNION ALL
          SELECT listed.key, detail_key, ${small('count')}, day FROM analytics_daily
          JOIN listed ON listed.subject = analytics_daily.subject
          WHERE ${ofKind(scope, 'click')} AND ${isOpen}
        ) counts GROUP BY key, page
      ), searches AS (
        SELECT DISTINCT ON (key) key, page, day, sum(clicks) OVER (PARTITION BY key)::bigint AS clicks
        FROM pages ORDER BY key, pages.clicks DESC, page
      )
      SELECT subject, clicks, (
        SELECT detail FROM analytics_daily
        WHERE project_id = ${scope.projectId} AND kind = 'click' AND day = searches.day AND subject = listed.subject
          AND detail_key = page LIMIT 1
      ) AS top
      FROM searches JOIN listed USING (key)`.execute(tx),
  );
  return new Map(rows.map(({ subject, ...counts }) => [subject, counts]));
}

/** The index has no organization, so that it stays small. */
const ofKind = ({ organizationId, projectId, from, to }: Scope, kind: SubjectKind) => sql<boolean>`
  project_id = (SELECT id FROM projects WHERE id = ${projectId} AND organization_id = ${organizationId})
  AND kind = ${kind} AND day >= ${from}::date AND day < ${to}::date`;

function withMemory<Result>(
  db: Kysely<Database>,
  read: (tx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await sql`SET LOCAL work_mem = ${sql.lit(SUM_MEMORY)}`.execute(tx);
    await sql`SET LOCAL jit = off`.execute(tx);
    return read(tx);
  });
}
