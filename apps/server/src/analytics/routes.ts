import { Readable } from 'node:stream';
import { routes } from '@offprint/contract';
import type { Kysely } from 'kysely';
import { csvLine } from '../platform/csv.ts';
import type { Database } from '../platform/db/database.ts';
import { changesBetween } from '../platform/http/changes.ts';
import { formatCursor, parseCursor } from '../platform/http/cursor.ts';
import { type Answer, type HandledRoute, handle, type Principal } from '../platform/http/route.ts';
import {
  exportEvents,
  findFeedback,
  listFeedback,
  presentFeedback,
  readBrokenLinks,
  readFeedbackByPage,
  readReferrers,
  readSearches,
  readTraffic,
  readViews,
  readVisitors,
  updateFeedback,
} from './queries.ts';
import { feedbackNotFound, formatOffset, parseOffset, readScope } from './service.ts';

export interface AnalyticsAdapters {
  db: Kysely<Database>;
  /** Whether readers of a project are counted now. */
  isMeasured(projectId: string): Promise<boolean>;
}

interface Asked {
  principal: Principal;
  params: { projectId: string };
  query: { dateFrom?: string | undefined; dateTo?: string | undefined };
}

export function analyticsRoutes({ db, isMeasured }: AnalyticsAdapters): HandledRoute[] {
  const scopeOf = ({ principal, params, query }: Asked) =>
    readScope(
      db,
      { organizationId: principal.organizationId, projectId: params.projectId },
      query,
      new Date(),
    );
  return [
    handle(routes.getAnalyticsViews, async (request) => {
      const body = await readViews(db, await scopeOf(request), request.query);
      return rowsOf(request, 'views', body, body.views, ['path', 'human', 'ai', 'total']);
    }),
    handle(routes.getAnalyticsVisitors, async (request) => {
      const body = await readVisitors(db, await scopeOf(request), request.query);
      return rowsOf(request, 'visitors', body, body.visitors, ['path', 'human', 'ai', 'total']);
    }),
    handle(routes.getAnalyticsSearches, async (request) => {
      const { limit, cursor, withoutResults = false } = request.query;
      const offset = parseOffset(cursor);
      const page = { limit, offset, withoutResults };
      const { hasMore, ...found } = await readSearches(db, await scopeOf(request), page);
      const body = { ...found, nextCursor: hasMore ? formatOffset(offset + limit) : null };
      const columns = [
        'searchQuery',
        'hits',
        'ctr',
        'topClickedPage',
        'lastSearchedAt',
        'withoutResults',
      ] as const;
      return rowsOf(request, 'searches', body, body.searches, columns);
    }),
    handle(routes.getAnalyticsFeedback, async (request) => {
      const { limit, cursor, source, status } = request.query;
      const filter = { source, status, limit, after: parseCursor(cursor) };
      const rows = await listFeedback(db, await scopeOf(request), filter);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const hasMore = rows.length > limit;
      const feedback = shown.map(presentFeedback);
      const nextCursor = hasMore && last !== undefined ? formatCursor(last) : null;
      const columns = ['id', 'path', 'comment', 'createdAt', 'source', 'status', 'helpful', 'note'] as const;
      return rowsOf(request, 'feedback', { feedback, nextCursor, hasMore }, feedback, columns);
    }),
    handle(routes.getAnalyticsFeedbackByPage, async (request) => {
      const body = await readFeedbackByPage(db, await scopeOf(request), request.query);
      const columns = ['path', 'thumbsUp', 'thumbsDown', 'code', 'total'] as const;
      return rowsOf(request, 'feedback-by-page', body, body.feedback, columns);
    }),
    handle(routes.updateAnalyticsFeedback, async ({ principal, params, body }) => {
      const of = { organizationId: principal.organizationId, projectId: params.projectId };
      const before = await findFeedback(db, of, params.feedbackId);
      const row = await updateFeedback(db, of, params.feedbackId, body);
      if (before === undefined || row === undefined) throw feedbackNotFound();
      const settings = ({ status, note }: typeof row) => ({ status, note });
      return {
        status: 200,
        body: presentFeedback(row),
        act: { target: row.id, changes: changesBetween(settings(before), settings(row)) },
      };
    }),
    handle(routes.getAnalyticsTraffic, async (request) => {
      const traffic = await readTraffic(db, await scopeOf(request));
      return { status: 200, body: { ...traffic, isCounting: await isMeasured(request.params.projectId) } };
    }),
    handle(routes.getAnalyticsReferrers, async (request) => {
      const body = await readReferrers(db, await scopeOf(request), request.query);
      return rowsOf(request, 'referrers', body, body.referrers, ['host', 'views']);
    }),
    handle(routes.getAnalyticsBrokenLinks, async (request) => {
      const body = await readBrokenLinks(db, await scopeOf(request), request.query);
      return rowsOf(request, 'broken-links', body, body.links, ['path', 'from', 'hits', 'lastAt']);
    }),
    handle(routes.exportAnalyticsEvents, async (request) => ({
      status: 200,
      file: {
        stream: Readable.from(exportEvents(db, await scopeOf(request))),
        contentType: 'application/x-ndjson; charset=utf-8',
        name: 'events.jsonl',
      },
    })),
  ];
}

type Field = string | number | boolean | null;

/** The response, or its rows as CSV if the request asks for it. */
function rowsOf<Name extends string>(
  request: { query: { format?: 'json' | 'csv' | undefined }; header(name: string): string | undefined },
  name: string,
  body: object,
  rows: readonly Readonly<Record<Name, Field>>[],
  columns: readonly Name[],
): Answer {
  const accepts = /^\s*text\/csv\b/i.test(request.header('Accept') ?? '');
  const isCsv = request.query.format === 'csv' || (request.query.format === undefined && accepts);
  if (!isCsv) return { status: 200, body };
  const lines = [csvLine(columns), ...rows.map((row) => csvLine(columns.map((column) => row[column])))];
  return {
    status: 200,
    file: {
      stream: Readable.from(lines),
      contentType: 'text/csv; charset=utf-8; header=present',
      name: `${name}.csv`,
    },
  };
}
