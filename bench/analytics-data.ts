/** Events of readers in any number, stored as readers of the last 90 days would have left them. */
import { type Kysely, sql } from 'kysely';
import { createPartitions } from '../apps/server/src/analytics/partitions.ts';
import { closeDays } from '../apps/server/src/analytics/sweep.ts';
import { newUlid } from '../apps/server/src/assistant/ulid.ts';
import type { Database } from '../apps/server/src/platform/db/database.ts';

export const DAYS = 90;
export const PAGES = 1_000;
const DAY_MS = 86_400_000;
/** Of the same name on different days: as many different ones a day as the platform keeps. */
const SUBJECTS = 5_000;
/** For this number of events there is one vote, and one question to the assistant. */
const EVENTS_OF_ONE = 100;

interface Owner {
  organizationId: string;
  projectId: string;
}

/** Stores events of a project, the same number on each day before today, and the daily counts of them. */
export async function fillAnalytics(db: Kysely<Database>, of: Owner, events: number): Promise<void> {
  for (let month = 0; month <= DAYS / 30 + 1; month += 1)
    await createPartitions(db, new Date(Date.now() - month * 30 * DAY_MS));
  for (let day = 1; day <= DAYS; day += 1) {
    const from = new Date(Math.floor(Date.now() / DAY_MS - day) * DAY_MS);
    const before = Math.floor((events * (day - 1)) / DAYS);
    const count = Math.floor((events * day) / DAYS) - before;
    if (count === 0) continue;
    await insertEvents(db, of, from, { before, count });
    await countDay(db, of, from);
  }
  await insertFeedback(db, of, Math.ceil(events / EVENTS_OF_ONE));
  await insertQuestions(db, of, Math.ceil(events / EVENTS_OF_ONE));
  await closeDays(db, new Date());
  for (const table of ['analytics_daily', 'analytics_feedback', 'assistant_turns', 'assistant_threads'])
    await sql`VACUUM ANALYZE ${sql.table(table)}`.execute(db);
}

/** Every ten events have each kind. The random number of a row decides about everything else of it. */
async function insertEvents(
  db: Kysely<Database>,
  of: Owner,
  from: Date,
  { before, count }: { before: number; count: number },
): Promise<void> {
  await sql`
    INSERT INTO analytics_events (at, organization_id, project_id, batch, kind, client, path, visitor,
      is_markdown, referrer, query, results, target)
    SELECT ${from}::timestamptz + make_interval(secs => n * 86399.0 / ${count}), ${of.organizationId},
      ${of.projectId}, 0, kind,
      CASE WHEN kind <> 'view' OR r % 10 < 6 THEN 'person'
        ELSE (ARRAY['agent', 'search-crawler', 'training-crawler', 'other'])[1 + r % 4] END,
      CASE WHEN kind = 'missing' THEN '/gone/' || subject ELSE '/guides/page-' || page END,
      CASE WHEN kind = 'view' THEN substr(decode(md5(${from.toISOString()} || r % 50000), 'hex'), 1, 8) END,
      kind = 'view' AND r % 7 = 0,
      CASE WHEN kind = 'view' AND r % 3 = 0 THEN 'host-' || subject || '.example'
        WHEN kind = 'missing' THEN '/guides/page-' || page END,
      CASE WHEN kind IN ('search', 'click') THEN 'how to set up ' || subject END,
      CASE WHEN kind = 'search' THEN CASE WHEN subject % 10 = 0 THEN 0 ELSE 1 + r % 9 END END,
      CASE WHEN kind = 'click' THEN '/guides/page-' || page END
    FROM (
      SELECT n, r, floor(${PAGES} * ((r % 9973) / 9973.0) ^ 3)::int AS page,
        floor(${SUBJECTS} * ((r % 9949) / 9949.0) ^ 3)::int AS subject,
        (ARRAY['view', 'view', 'view', 'view', 'view', 'search', 'click', 'missing', 'copy', 'playground'])[
          1 + (n + ${before}::bigint) % 10] AS kind
      FROM (SELECT n, floor(random() * 1000000000)::int AS r FROM generate_series(1, ${count}::int) n) numbers
    ) rows`.execute(db);
}

/** What a worker would have added to the counts of a day that is over. */
async function countDay(db: Kysely<Database>, of: Owner, from: Date): Promise<void> {
  const day = from.toISOString().slice(0, 10);
  await sql`
    WITH events AS MATERIALIZED (
      SELECT * FROM analytics_events
      WHERE project_id = ${of.projectId} AND at >= ${from} AND at < ${from}::timestamptz + interval '1 day'
    ), rows AS (
      SELECT 'view' AS kind, subject, '' AS detail, client, is_markdown AS special, visitor, at
      FROM events, LATERAL (VALUES (''), (path)) subjects (subject) WHERE kind = 'view'
      UNION ALL SELECT 'referrer', referrer, '', '', false, NULL, at FROM events
        WHERE kind = 'view' AND client = 'person' AND referrer IS NOT NULL
      UNION ALL SELECT 'search', query, '', '', results = 0, NULL, at FROM events WHERE kind = 'search'
      UNION ALL SELECT 'click', query, target, '', false, NULL, at FROM events WHERE kind = 'click'
      UNION ALL SELECT 'missing', path, referrer, '', false, NULL, at FROM events WHERE kind = 'missing'
      UNION ALL SELECT kind, path, '', '', false, NULL, at FROM events WHERE kind IN ('copy', 'playground')
    )
    INSERT INTO analytics_daily (project_id, day, kind, subject, detail, client, organization_id, count, special,
      visitors, last_at)
    SELECT ${of.projectId}, ${day}::date, kind, subject, detail, client, ${of.organizationId}, count, special, visitors, last
    FROM (
      SELECT kind, subject, detail, client, count(*), count(*) FILTER (WHERE special) AS special,
        count(DISTINCT visitor) AS visitors, max(at) AS last,
        row_number() OVER (PARTITION BY kind ORDER BY min(at)) AS place
      FROM rows GROUP BY kind, subject, detail, client
    ) counts WHERE kind = 'view' OR place <= ${SUBJECTS}`.execute(db);
}

/** Rows that one statement inserts: the limits of statements hold here too. */
const FEEDBACK_ROWS = 50_000;

async function insertFeedback(db: Kysely<Database>, of: Owner, count: number): Promise<void> {
  for (let at = 0; at < count; at += FEEDBACK_ROWS)
    await sql`
      INSERT INTO analytics_feedback (id, organization_id, project_id, entry, path, source, helpful, comment,
        status, note, created_at)
      SELECT 'fb_' || md5(${of.projectId} || n), ${of.organizationId}, ${of.projectId}, 'entry ' || n,
        '/guides/page-' || n % ${PAGES}, CASE WHEN n % 3 = 1 THEN 'contextual' ELSE 'thumbs_only' END, n % 4 > 0,
        CASE WHEN n % 3 = 1 THEN 'The step after the installation is not clear to me. What do I set?' END,
        (ARRAY['pending', 'pending', 'in_progress', 'resolved', 'dismissed'])[1 + n % 5],
        CASE WHEN n % 5 = 2 THEN 'We write an example.' ELSE '' END,
        now() - make_interval(secs => (n - 0.5) * ${DAYS} * 86400.0 / ${count})
      FROM generate_series(${at + 1}::int, ${Math.min(at + FEEDBACK_ROWS, count)}::int) n`.execute(db);
}

/** Ids start with the time of their question; each has a thread of the same id. */
async function insertQuestions(db: Kysely<Database>, of: Owner, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, at) =>
    newUlid(Math.floor(Date.now() - (at * DAYS * DAY_MS) / count)),
  );
  for (let at = 0; at < ids.length; at += 10_000) {
    const some = ids.slice(at, at + 10_000);
    await sql`
      INSERT INTO assistant_threads (id, organization_id, project_id)
      SELECT id, ${of.organizationId}, ${of.projectId} FROM unnest(${some}::text[]) id`.execute(db);
    await sql`
      INSERT INTO assistant_turns (id, thread_id, organization_id, project_id, created_at, query, response,
        sources, resolution, caller, page_url, groups)
      SELECT id, id, ${of.organizationId}, ${of.projectId},
        now() - make_interval(secs => (${at} + n) * ${DAYS} * 86400.0 / ${count}),
        'How do I set up part ' || n % 500 || ' behind a proxy?',
        'Set the address of the proxy in the settings. See [Settings](/guides/page-' || n % ${PAGES} || ').',
        '[]', 'unanswered',
        (ARRAY['web', 'web', 'api', 'other'])[1 + n % 4], NULL, '{}'
      FROM unnest(${some}::text[]) WITH ORDINALITY AS ids (id, n)`.execute(db);
  }
}
