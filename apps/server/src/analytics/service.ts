import { MAX_ANALYTICS_DAYS } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { readProject } from '../projects/service.ts';
import type { Scope } from './scope.ts';

export { createEventFileKind } from './files.ts';
export { ANALYTICS_KIND, ingestBatch } from './ingest.ts';
export { createAnalyticsKind } from './rollup.ts';
export { startAnalyticsSweeper } from './sweep.ts';
export { readVisitorKeys, type VisitorKey } from './visitor-keys.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/**
 * What a request asks about: the project, which must be one of the organization, and the days. Throws the 404 and the
 * 400.
 */
export async function readScope(
  db: Kysely<Database>,
  of: { organizationId: string; projectId: string },
  { dateFrom, dateTo }: { dateFrom?: string | undefined; dateTo?: string | undefined },
  now: Date,
): Promise<Scope> {
  await readProject(db, of.organizationId, of.projectId);
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  const to = dateTo ?? dayOf(now.getTime() + DAY_MS);
  const from = dateFrom ?? dayOf(Date.parse(to) - DEFAULT_DAYS * DAY_MS);
  if (from >= to) throw invalid('dateFrom', `dateFrom (${from}) must be before dateTo (${to}).`);
  if (Date.parse(to) - Date.parse(from) > MAX_ANALYTICS_DAYS * DAY_MS)
    throw invalid('dateFrom', `One request can cover at most ${MAX_ANALYTICS_DAYS} days.`);
  return { organizationId: of.organizationId, projectId: of.projectId, from, to };
}

/** A cursor that is the number of rows before it. */
export function parseOffset(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw invalid('cursor', 'cursor must be the nextCursor of an earlier response.');
}

export const formatOffset = (offset: number): string => Buffer.from(String(offset)).toString('base64url');

/** The 404 of an entry that is not one of the project. */
export const feedbackNotFound = (): AppError => notFound('feedback');

const invalid = (param: string, message: string) => new AppError('invalid_request', message, { param });
