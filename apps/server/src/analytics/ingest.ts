import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { enqueueJob } from '../platform/jobs/jobs.ts';
import type { Batch, ReportedEvent } from './batch.ts';
import { createPartitions, storedSpan } from './partitions.ts';

/** Kind of the jobs that add events to the daily counts. */
export const ANALYTICS_KIND = 'analytics';

/** What became of a batch. */
export interface Ingested {
  /** Events that are stored now, or were stored when the batch came before. */
  stored: number;
  /** Events of projects that no longer exist, of times for which nothing is stored, or of an unknown form. */
  dropped: number;
}

/** New entries of feedback of one project in a day: more come from a program. */
const MAX_DAILY_FEEDBACK = 2_000;

/** PostgreSQL: no partition takes the row. */
const NO_PARTITION = '23514';

/**
 * Stores the events of a batch, once, however often it is sent: they and the id of the batch are one transaction. Those
 * of projects that do not exist are dropped.
 */
export async function ingestBatch(db: Kysely<Database>, batch: Batch, now: Date): Promise<Ingested> {
  try {
    return await db.transaction().execute((tx) => ingestIn(tx, batch, now));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== NO_PARTITION) throw error;
    await createPartitions(db, now);
    return db.transaction().execute((tx) => ingestIn(tx, batch, now));
  }
}

async function ingestIn(tx: Transaction<Database>, batch: Batch, now: Date): Promise<Ingested> {
  const row = await tx
    .insertInto('analytics_batches')
    .values({ id: batch.id, events: batch.events.length })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('number')
    .executeTakeFirst();
  if (row === undefined) return { stored: batch.events.length, dropped: batch.unknown };
  const organizationOf = await findOrganizations(tx, batch.events);
  const { from, to } = storedSpan(now);
  const known = batch.events.flatMap((event): Known[] => {
    const organizationId = organizationOf.get(event.projectId);
    if (organizationId === undefined || event.at < from.getTime() || event.at >= to.getTime()) return [];
    return [{ ...event, organizationId }];
  });
  await insertEvents(tx, row.number, known);
  await saveFeedback(tx, known);
  await queueRollups(tx, row.number, [...new Set(known.map(({ organizationId }) => organizationId))].sort());
  return { stored: known.length, dropped: batch.events.length - known.length + batch.unknown };
}

type Known = ReportedEvent & { organizationId: string };

async function findOrganizations(
  tx: Transaction<Database>,
  events: readonly ReportedEvent[],
): Promise<Map<string, string>> {
  const ids = [...new Set(events.map(({ projectId }) => projectId))];
  const rows = await tx
    .selectFrom('projects')
    .select(['id', 'organization_id'])
    .where('id', '=', sql<string>`ANY(${ids}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row.organization_id]));
}

async function insertEvents(
  tx: Transaction<Database>,
  batch: number,
  known: readonly Known[],
): Promise<void> {
  const events = known.filter((event) => event.kind !== 'feedback');
  if (events.length === 0) return;
  const column = <Value>(of: (event: Exclude<Known, { kind: 'feedback' }>) => Value): Value[] =>
    events.map(of);
  await sql`
    INSERT INTO analytics_events (at, organization_id, project_id, batch, kind, client, path, visitor,
      is_markdown, referrer, query, results, target)
    SELECT at, organization_id, project_id, ${batch}, kind, client, path, decode(visitor, 'hex'),
      is_markdown, referrer, query, results, target
    FROM unnest(
      ${column(({ at }) => new Date(at))}::timestamptz[],
      ${column(({ organizationId }) => organizationId)}::text[],
      ${column(({ projectId }) => projectId)}::text[],
      ${column(({ kind }) => kind)}::text[],
      ${column(({ client }) => client)}::text[],
      ${column(({ path }) => path)}::text[],
      ${column((event) => (event.kind === 'view' ? event.visitor : null))}::text[],
      ${column((event) => event.kind === 'view' && event.isMarkdown)}::boolean[],
      ${column((event) => ('referrer' in event ? event.referrer : null))}::text[],
      ${column((event) => ('query' in event ? event.query : null))}::text[],
      ${column((event) => (event.kind === 'search' ? event.results : null))}::integer[],
      ${column((event) => (event.kind === 'click' ? event.target : null))}::text[]
    ) AS e (at, organization_id, project_id, kind, client, path, visitor, is_markdown, referrer, query,
      results, target)`.execute(tx);
}

/** A comment that follows a vote completes its row; a later vote replaces it. */
async function saveFeedback(tx: Transaction<Database>, known: readonly Known[]): Promise<void> {
  for (const event of known) {
    if (event.kind !== 'feedback') continue;
    const { entry, path, helpful, projectId } = event;
    const comment = event.comment?.trim() || null;
    const source = event.isAgent ? 'agent' : comment === null ? 'thumbs_only' : 'contextual';
    const at = new Date(event.at);
    await sql`
      INSERT INTO analytics_feedback AS f
        (id, organization_id, project_id, entry, path, source, helpful, comment, created_at, updated_at)
      SELECT ${newId('fb')}, ${event.organizationId}, ${projectId}, ${entry}, ${path}, ${source},
        ${helpful}::boolean, ${comment}::text, ${at}, ${at}
      WHERE ${MAX_DAILY_FEEDBACK} > (
        SELECT count(*) FROM analytics_feedback
        WHERE project_id = ${projectId} AND created_at > ${new Date(event.at - 86_400_000)})
      ON CONFLICT (project_id, entry) DO UPDATE SET
        helpful = coalesce(excluded.helpful, f.helpful),
        comment = coalesce(excluded.comment, f.comment),
        source = CASE WHEN f.source = 'contextual' THEN f.source ELSE excluded.source END,
        updated_at = excluded.updated_at`.execute(tx);
  }
}

/**
 * Notes what the daily counts lack, and queues the job that adds it. The row of the job stays locked until the
 * transaction ends: a job that is about to end sees the note, or ends before and is queued again.
 */
async function queueRollups(
  tx: Transaction<Database>,
  batch: number,
  organizations: readonly string[],
): Promise<void> {
  if (organizations.length === 0) return;
  await tx
    .insertInto('analytics_pending')
    .values(organizations.map((organization_id) => ({ organization_id, batch })))
    .execute();
  await tx
    .insertInto('analytics_rollups')
    .values(organizations.map((organization_id) => ({ id: newId('rollup'), organization_id })))
    .onConflict((conflict) => conflict.column('organization_id').doNothing())
    .execute();
  const rows = await tx
    .selectFrom('analytics_rollups')
    .select(['id', 'organization_id', 'attempt', 'state'])
    .where('organization_id', '=', sql<string>`ANY(${[...organizations]}::text[])`)
    // In one order, so that two batches do not wait for each other.
    .orderBy('organization_id')
    .forUpdate()
    .execute();
  for (const { id, organization_id: organizationId, attempt, state } of rows) {
    if (state === 'queued') continue;
    await tx
      .updateTable('analytics_rollups')
      .set({ state: 'queued', updated_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute();
    await enqueueJob(tx, { id, kind: ANALYTICS_KIND, organizationId, attempt });
  }
}
