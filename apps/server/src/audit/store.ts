import type { AuditFilter } from '@offprint/contract';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { type AuditEventsTable, type Database, plainText } from '../platform/db/database.ts';
import { isWithinProjects } from '../platform/db/within-projects.ts';
import type { Reach } from '../platform/http/route.ts';

type Db = Kysely<Database> | Transaction<Database>;

export type AuditRow = Selectable<AuditEventsTable>;

/** Null: the events of the whole installation. */
export type AuditScope = Reach | null;

function events(db: Db, scope: AuditScope, filter: AuditFilter) {
  const { actor, action, outcome, from, to } = filter;
  let query = db.selectFrom('audit_events');
  if (scope !== null) {
    query = query.where('organization_id', '=', scope.organizationId).where(isWithinProjects(scope.projects));
  }
  if (actor !== undefined) {
    const text = plainText(actor);
    query = query.where((eb) => eb.or([eb('actor_id', '=', text), eb('actor_name', '=', text)]));
  }
  if (action !== undefined) query = query.where('action', '=', plainText(action));
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (from !== undefined) query = query.where('at', '>=', new Date(from));
  if (to !== undefined) query = query.where('at', '<', new Date(to));
  return query;
}

/** Newest first: the events before the one with this number; one row more than the limit where there are more. */
export function listEvents(
  db: Db,
  scope: AuditScope,
  filter: AuditFilter,
  page: { before: number | undefined; limit: number },
): Promise<AuditRow[]> {
  const { before } = page;
  return events(db, scope, filter)
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** Oldest first: the next events after the one with this number, up to another. */
export function nextEvents(
  db: Db,
  scope: AuditScope,
  filter: AuditFilter,
  range: { after: number; last: number; limit: number },
): Promise<AuditRow[]> {
  return events(db, scope, filter)
    .selectAll()
    .where('id', '>', range.after)
    .where('id', '<=', range.last)
    .orderBy('id')
    .limit(range.limit)
    .execute();
}

/** Number of the newest event of the installation; 0 without events. */
export async function lastEventId(db: Db): Promise<number> {
  const row = await db
    .selectFrom('audit_events')
    .select(sql<number>`coalesce(max(id), 0)`.as('id'))
    .executeTakeFirstOrThrow();
  return row.id;
}

/**
 * Deletes up to `limit` of the oldest events that are older than the given number of days; returns how many.
 */
export async function deleteOldEvents(db: Db, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM audit_events
    WHERE id IN (SELECT id FROM audit_events WHERE at < now() - make_interval(days => ${days})
      ORDER BY at LIMIT ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
