import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Fence, Kind, Lease } from '../platform/jobs/jobs.ts';
import { holdsRow, recordProgress } from '../platform/jobs/jobs.ts';
import { countByDay, type DailyCount, type DailyKey, dailyName, type StoredEvent } from './daily.ts';
import { ANALYTICS_KIND } from './ingest.ts';
import { openSketch } from './sketch.ts';

/** Batches that one transaction adds. */
const BATCHES = 20;
/** Different searches, links or hosts of a project in a day: readers send them, so that they could be endless. */
const MAX_SUBJECTS = 5_000;
/** Subject of what is beyond. */
export const OTHER_SUBJECTS = '(other)';
const MAX_FAILURES = 20;
const READ_BY_READERS: ReadonlySet<string> = new Set([
  'search',
  'click',
  'missing',
  'referrer',
  'copy',
  'playground',
]);

/**
 * Adds events to the daily counts as jobs, one per organization. Batches leave `analytics_pending` in the transaction
 * that adds them, so that each is added once, wherever the process dies.
 */
export function createAnalyticsKind(adapters: { db: Kysely<Database> }): Kind {
  return {
    name: ANALYTICS_KIND,
    unfinished: sql`
      SELECT id, organization_id, NULL AS lane, attempt FROM analytics_rollups WHERE state = 'queued'`,
    maxFailures: MAX_FAILURES,
    async begin(tx, { id, attempt }) {
      const row = await tx
        .updateTable('analytics_rollups')
        .set({ attempt })
        .where('id', '=', id)
        .where('attempt', '<', attempt)
        .where('state', '=', 'queued')
        .returning('organization_id')
        .executeTakeFirst();
      return row && { run: (lease) => addAll(adapters.db, row.organization_id, lease) };
    },
    failureOf: () => ({ code: 'internal', message: 'An internal error of the server.', retryable: true }),
    release: (tx, fence) => holdsRow(tx, 'analytics_rollups', fence),
    retry: (tx, fence) => holdsRow(tx, 'analytics_rollups', fence),
    // The next batch queues it again.
    fail: (tx, fence) => endRollup(tx, fence),
  };
}

async function addAll(db: Kysely<Database>, organizationId: string, lease: Lease): Promise<string> {
  for (;;) {
    lease.signal.throwIfAborted();
    const isOver = await db.transaction().execute(async (tx) => {
      if (await addBatches(tx, organizationId)) {
        await recordProgress(tx, lease);
        return false;
      }
      // Locked against batches that come: they queue the job again after this, or their note is seen.
      if (!(await holdsRow(tx, 'analytics_rollups', lease))) return true;
      const left = await tx
        .selectFrom('analytics_pending')
        .select('batch')
        .where('organization_id', '=', organizationId)
        .limit(1)
        .executeTakeFirst();
      return left === undefined && (await endRollup(tx, lease));
    });
    if (isOver) return 'completed';
  }
}

async function endRollup(tx: Transaction<Database>, { id, attempt }: Fence): Promise<boolean> {
  const row = await tx
    .updateTable('analytics_rollups')
    .set({ state: 'idle', updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Adds some batches of an organization to the daily counts. False: none was left. */
async function addBatches(tx: Transaction<Database>, organizationId: string): Promise<boolean> {
  // Two attempts, of which one does not know yet that it is over, must not read the same sketch.
  await sql`SELECT pg_advisory_xact_lock(hashtext('offprint analytics'), hashtext(${organizationId}))`.execute(
    tx,
  );
  const { rows: taken } = await sql<{ batch: number }>`
    DELETE FROM analytics_pending WHERE (organization_id, batch) IN (
      SELECT organization_id, batch FROM analytics_pending
      WHERE organization_id = ${organizationId} ORDER BY batch LIMIT ${BATCHES})
    RETURNING batch`.execute(tx);
  if (taken.length === 0) return false;
  const { rows: events } = await sql<StoredEvent>`
    SELECT at, project_id, kind, client, path, visitor, is_markdown, referrer, query, results, target
    FROM analytics_events
    WHERE batch = ANY(${taken.map(({ batch }) => batch)}::bigint[]) AND organization_id = ${organizationId}
      AND EXISTS (SELECT FROM projects WHERE projects.id = analytics_events.project_id)`.execute(tx);
  const counts = await limitSubjects(tx, countByDay(events));
  for (let at = 0; at < counts.length; at += 1_000)
    await saveCounts(tx, organizationId, counts.slice(at, at + 1_000));
  return true;
}

/** Puts what exceeds the number of subjects of a day into one row. */
async function limitSubjects(
  tx: Transaction<Database>,
  counts: readonly DailyCount[],
): Promise<DailyCount[]> {
  const groupOf = ({ project, day, kind }: DailyKey): string => JSON.stringify([project, day, kind]);
  const groups = Map.groupBy(
    counts.filter(({ kind }) => READ_BY_READERS.has(kind)),
    groupOf,
  );
  const full = new Map<string, Set<string>>();
  for (const [group, [first, ...others]] of groups) {
    if (first === undefined) continue;
    const { project, day, kind } = first;
    const { rows } = await sql<{ total: number }>`
      SELECT count(*) AS total FROM analytics_daily
      WHERE project_id = ${project} AND kind = ${kind} AND day = ${day}::date`.execute(tx);
    if ((rows[0]?.total ?? 0) + others.length + 1 <= MAX_SUBJECTS) continue;
    const known = await sql<{ subject: string; detail: string }>`
      SELECT subject, detail FROM analytics_daily
      WHERE project_id = ${project} AND kind = ${kind} AND day = ${day}::date`.execute(tx);
    full.set(group, new Set(known.rows.map(({ subject, detail }) => JSON.stringify([subject, detail]))));
  }
  if (full.size === 0) return [...counts];
  const merged = new Map<string, DailyCount>();
  for (const row of counts) {
    const known = full.get(groupOf(row));
    const place = JSON.stringify([row.subject, row.detail]);
    const isIn = known === undefined || known.has(place) || known.size < MAX_SUBJECTS;
    if (isIn) known?.add(place);
    const kept = isIn ? row : { ...row, subject: OTHER_SUBJECTS, detail: '' };
    const before = merged.get(dailyName(kept));
    if (before === undefined) {
      merged.set(dailyName(kept), { ...kept });
      continue;
    }
    before.count += kept.count;
    before.special += kept.special;
    if (kept.last > before.last) before.last = kept.last;
  }
  return [...merged.values()];
}

async function saveCounts(
  tx: Transaction<Database>,
  organizationId: string,
  counts: readonly DailyCount[],
): Promise<void> {
  const sketches = await openSketches(tx, counts);
  const column = <Value>(of: (row: DailyCount) => Value): Value[] => counts.map(of);
  const sketchOf = (row: DailyCount) => sketches.get(dailyName(row));
  await sql`
    INSERT INTO analytics_daily AS d (project_id, day, kind, subject, detail, client, organization_id, count,
      special, visitors, sketch, last_at)
    SELECT project_id, day, kind, subject, detail, client, ${organizationId}, count, special, visitors,
      decode(sketch, 'hex'), last_at
    FROM unnest(
      ${column(({ project }) => project)}::text[], ${column(({ day }) => day)}::date[],
      ${column(({ kind }) => kind)}::text[], ${column(({ subject }) => subject)}::text[],
      ${column(({ detail }) => detail)}::text[], ${column(({ client }) => client)}::text[],
      ${column(({ count }) => count)}::bigint[], ${column(({ special }) => special)}::bigint[],
      ${column((row) => sketchOf(row)?.count() ?? 0)}::integer[],
      ${column((row) => sketchOf(row)?.bytes().toString('hex') ?? null)}::text[],
      ${column(({ last }) => last)}::timestamptz[]
    ) AS e (project_id, day, kind, subject, detail, client, count, special, visitors, sketch, last_at)
    ON CONFLICT (project_id, kind, day, subject, detail, client) DO UPDATE SET
      count = d.count + excluded.count,
      special = d.special + excluded.special,
      visitors = greatest(d.visitors, excluded.visitors),
      sketch = coalesce(excluded.sketch, d.sketch),
      last_at = greatest(d.last_at, excluded.last_at)`.execute(tx);
}

/** The sketches of the rows, with the visitors of their new events. */
async function openSketches(
  tx: Transaction<Database>,
  counts: readonly DailyCount[],
): Promise<Map<string, ReturnType<typeof openSketch>>> {
  const views = counts.filter(({ visitors }) => visitors.length > 0);
  if (views.length === 0) return new Map();
  const { rows } = await sql<DailyKey & { sketch: Buffer | null }>`
    SELECT d.project_id AS project, d.day::text AS day, d.kind, d.subject, d.detail, d.client, d.sketch
    FROM analytics_daily d
    JOIN unnest(
      ${views.map(({ project }) => project)}::text[], ${views.map(({ day }) => day)}::date[],
      ${views.map(({ subject }) => subject)}::text[], ${views.map(({ client }) => client)}::text[]
    ) AS e (project_id, day, subject, client)
      ON d.project_id = e.project_id AND d.kind = 'view' AND d.day = e.day AND d.subject = e.subject
        AND d.detail = '' AND d.client = e.client`.execute(tx);
  const stored = new Map(rows.map((row) => [dailyName(row), row.sketch]));
  return new Map(
    views.map((row) => {
      const name = dailyName(row);
      const sketch = openSketch(stored.get(name) ?? null);
      for (const visitor of row.visitors) sketch.add(visitor);
      return [name, sketch];
    }),
  );
}
