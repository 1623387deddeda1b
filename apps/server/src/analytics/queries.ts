import type {
  AnalyticsBrokenLinks,
  AnalyticsFeedbackByPage,
  AnalyticsFeedbackEntry,
  AnalyticsReferrers,
  AnalyticsSearches,
  AnalyticsTraffic,
  AnalyticsViews,
  AnalyticsVisitors,
  FeedbackSource,
  UpdateFeedbackBody,
} from '@offprint/contract';
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { AnalyticsFeedbackTable, Database } from '../platform/db/database.ts';
import type { Cursor } from '../platform/http/cursor.ts';
import { type Scope, within } from './scope.ts';
import { countAll, readClicks, readSubjects } from './subjects.ts';

type Db = Kysely<Database>;

interface Page {
  limit: number;
  offset: number;
}

/** Sums by kind of client. `column` is one of ours. */
const byClient = (column: 'count' | 'visitors') => sql`
  coalesce(sum(${sql.ref(column)}) FILTER (WHERE client = 'person'), 0)::bigint AS human,
  coalesce(sum(${sql.ref(column)})
    FILTER (WHERE client IN ('agent', 'search-crawler', 'training-crawler')), 0)::bigint AS ai,
  coalesce(sum(${sql.ref(column)}), 0)::bigint AS total`;

interface Sums {
  human: number;
  ai: number;
  total: number;
}

const none: Sums = { human: 0, ai: 0, total: 0 };

/**
 * Daily rows of pages: of the days that no longer change, which have no sketch, or of the others. Each part has an index
 * of its own; without the condition, PostgreSQL reads the rows of all kinds.
 */
const rowsOfPages = (scope: Scope, column: 'count' | 'visitors', sketch: RawBuilder<unknown>) => sql`
  SELECT subject, client, ${sql.ref(column)} FROM analytics_daily
  WHERE ${within(scope)} AND kind = 'view' AND subject <> '' AND sketch IS ${sketch}`;

async function readPages(
  db: Db,
  scope: Scope,
  column: 'count' | 'visitors',
  { limit, offset }: Page,
): Promise<{ totals: Sums; rows: (Sums & { path: string })[]; hasMore: boolean }> {
  const [totals, pages] = await Promise.all([
    sql<Sums>`SELECT ${byClient(column)} FROM analytics_daily
      WHERE ${within(scope)} AND kind = 'view' AND subject = ''`.execute(db),
    sql<Sums & { path: string }>`SELECT subject AS path, ${byClient(column)}
      FROM (${rowsOfPages(scope, column, sql`NULL`)} UNION ALL ${rowsOfPages(scope, column, sql`NOT NULL`)}) pages
      GROUP BY subject ORDER BY total DESC, subject LIMIT ${limit + 1} OFFSET ${offset}`.execute(db),
  ]);
  return {
    totals: totals.rows[0] ?? none,
    rows: pages.rows.slice(0, limit),
    hasMore: pages.rows.length > limit,
  };
}

export async function readViews(db: Db, scope: Scope, page: Page): Promise<AnalyticsViews> {
  const { totals, rows, hasMore } = await readPages(db, scope, 'count', page);
  return { totals, views: rows, hasMore };
}

export async function readVisitors(db: Db, scope: Scope, page: Page): Promise<AnalyticsVisitors> {
  const { totals, rows, hasMore } = await readPages(db, scope, 'visitors', page);
  return { totals, visitors: rows, hasMore };
}

export async function readSearches(
  db: Db,
  scope: Scope,
  { limit, offset, withoutResults }: Page & { withoutResults: boolean },
): Promise<Omit<AnalyticsSearches, 'nextCursor'> & { hasMore: boolean }> {
  const [rows, totalSearches] = await Promise.all([
    readSubjects(db, scope, { kind: 'search', limit, offset, withoutResults }),
    countAll(db, scope, 'search'),
  ]);
  const found = rows.slice(0, limit);
  const clicks = await readClicks(
    db,
    scope,
    found.map(({ subject }) => subject),
  );
  return {
    searches: found.map(({ subject, hits, empty, last }) => ({
      searchQuery: subject,
      hits,
      ctr: Math.round(((clicks.get(subject)?.clicks ?? 0) / hits) * 1_000) / 1_000,
      topClickedPage: clicks.get(subject)?.top ?? null,
      lastSearchedAt: last.toISOString(),
      withoutResults: empty,
    })),
    totalSearches,
    hasMore: rows.length > limit,
  };
}

export async function readTraffic(db: Db, scope: Scope): Promise<Omit<AnalyticsTraffic, 'isCounting'>> {
  const [days, sums] = await Promise.all([
    sql<AnalyticsTraffic['days'][number] & { markdown: number }>`
      SELECT day::text AS day, client, count::bigint AS views, visitors, special::bigint AS markdown
      FROM analytics_daily WHERE ${within(scope)} AND kind = 'view' AND subject = ''
      ORDER BY day, client`.execute(db),
    sql<{ copies: number; playground: number }>`
      SELECT coalesce(sum(count) FILTER (WHERE kind = 'copy'), 0)::bigint AS copies,
        coalesce(sum(count) FILTER (WHERE kind = 'playground'), 0)::bigint AS playground
      FROM analytics_daily WHERE ${within(scope)} AND kind IN ('copy', 'playground')`.execute(db),
  ]);
  return {
    days: days.rows.map(({ markdown: _, ...row }) => row),
    markdownViews: days.rows.reduce((sum, { markdown }) => sum + markdown, 0),
    copies: sums.rows[0]?.copies ?? 0,
    playgroundRequests: sums.rows[0]?.playground ?? 0,
  };
}

export async function readReferrers(
  db: Db,
  scope: Scope,
  { limit, offset }: Page,
): Promise<AnalyticsReferrers> {
  const rows = await readSubjects(db, scope, { kind: 'referrer', limit, offset });
  return {
    referrers: rows.slice(0, limit).map(({ subject, hits }) => ({ host: subject, views: hits })),
    hasMore: rows.length > limit,
  };
}

export async function readBrokenLinks(
  db: Db,
  scope: Scope,
  { limit, offset }: Page,
): Promise<AnalyticsBrokenLinks> {
  const rows = await readSubjects(db, scope, { kind: 'missing', limit, offset });
  return {
    links: rows.slice(0, limit).map(({ subject, detail, hits, last }) => ({
      path: subject,
      from: detail,
      hits,
      lastAt: last.toISOString(),
    })),
    hasMore: rows.length > limit,
  };
}

export interface FeedbackFilter {
  source?: FeedbackSource | undefined;
  /** Comma-separated. */
  status?: string | undefined;
}

export type FeedbackRow = Selectable<AnalyticsFeedbackTable>;

export const presentFeedback = (row: FeedbackRow): AnalyticsFeedbackEntry => ({
  id: row.id,
  path: row.path,
  comment: row.comment,
  createdAt: row.created_at.toISOString(),
  source: row.source,
  status: row.status,
  helpful: row.helpful,
  contact: null,
  note: row.note,
});

const matching = (scope: Scope, { source, status }: FeedbackFilter): RawBuilder<boolean> => {
  const states = status?.split(',').map((part) => part.trim()) ?? null;
  return sql<boolean>`organization_id = ${scope.organizationId} AND project_id = ${scope.projectId}
    AND created_at >= ${scope.from}::timestamp AT TIME ZONE 'UTC'
    AND created_at < ${scope.to}::timestamp AT TIME ZONE 'UTC'
    AND (${source ?? null}::text IS NULL OR source = ${source ?? null})
    AND (${states}::text[] IS NULL OR status = ANY(${states}::text[]))`;
};

/** One more than the limit if there are more. */
export async function listFeedback(
  db: Db,
  scope: Scope,
  { limit, after, ...filter }: FeedbackFilter & { limit: number; after: Cursor | undefined },
): Promise<FeedbackRow[]> {
  const later =
    after === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(created_at, id) < (${after.createdAt}, ${after.id})`;
  return db
    .selectFrom('analytics_feedback')
    .selectAll()
    .where(matching(scope, filter))
    .where(later)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
}

export async function readFeedbackByPage(
  db: Db,
  scope: Scope,
  { limit, offset, ...filter }: Page & FeedbackFilter,
): Promise<AnalyticsFeedbackByPage> {
  const { rows } = await sql<AnalyticsFeedbackByPage['feedback'][number]>`
    SELECT path, count(*) FILTER (WHERE helpful)::int AS "thumbsUp",
      count(*) FILTER (WHERE NOT helpful)::int AS "thumbsDown",
      count(*) FILTER (WHERE source = 'code_snippet')::int AS code, count(*)::int AS total
    FROM analytics_feedback WHERE ${matching(scope, filter)}
    GROUP BY path ORDER BY total DESC, path LIMIT ${limit + 1} OFFSET ${offset}`.execute(db);
  return { feedback: rows.slice(0, limit), hasMore: rows.length > limit };
}

export function findFeedback(
  db: Db,
  { organizationId, projectId }: Pick<Scope, 'organizationId' | 'projectId'>,
  id: string,
): Promise<FeedbackRow | undefined> {
  return db
    .selectFrom('analytics_feedback')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function updateFeedback(
  db: Db,
  { organizationId, projectId }: Pick<Scope, 'organizationId' | 'projectId'>,
  id: string,
  { status, note }: UpdateFeedbackBody,
): Promise<FeedbackRow | undefined> {
  return db
    .updateTable('analytics_feedback')
    .set({
      ...(status === undefined ? {} : { status }),
      ...(note === undefined ? {} : { note: note.replaceAll('\0', '').toWellFormed() }),
      updated_at: sql<Date>`now()`,
    })
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** An event as it is exported: without its visitor. */
interface ExportedEvent {
  at: Date;
  kind: string;
  client: string;
  path: string;
  is_markdown: boolean;
  referrer: string | null;
  query: string | null;
  results: number | null;
  target: string | null;
  batch: number;
  place: string;
}

const EXPORT_ROWS = 5_000;

/** Stored events as lines of JSON, oldest first, in pieces of some thousand. */
export async function* exportEvents(db: Db, scope: Scope): AsyncGenerator<string> {
  let after: ExportedEvent | undefined;
  for (;;) {
    const rest =
      after === undefined
        ? sql`true`
        : sql`(at, batch, ctid::text) > (${after.at}, ${after.batch}, ${after.place})`;
    const { rows } = await sql<ExportedEvent>`
      SELECT at, kind, client, path, is_markdown, referrer, query, results, target, batch, ctid::text AS place
      FROM analytics_events
      WHERE organization_id = ${scope.organizationId} AND project_id = ${scope.projectId}
        AND at >= greatest(${scope.from}::timestamp AT TIME ZONE 'UTC', ${after?.at ?? null}::timestamptz)
        AND at < ${scope.to}::timestamp AT TIME ZONE 'UTC' AND ${rest}
      ORDER BY at, batch, ctid::text LIMIT ${EXPORT_ROWS}`.execute(db);
    if (rows.length === 0) return;
    yield rows.map(lineOf).join('');
    after = rows.at(-1);
  }
}

function lineOf({
  at,
  kind,
  client,
  path,
  is_markdown,
  referrer,
  query,
  results,
  target,
}: ExportedEvent): string {
  const line = {
    at: at.toISOString(),
    kind,
    client,
    path,
    ...(kind === 'view' ? { markdown: is_markdown } : {}),
    ...(referrer === null ? {} : { referrer }),
    ...(query === null ? {} : { query }),
    ...(results === null ? {} : { results }),
    ...(target === null ? {} : { target }),
  };
  return `${JSON.stringify(line)}\n`;
}
