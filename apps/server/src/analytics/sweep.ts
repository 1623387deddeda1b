import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { queueEventFiles } from './files.ts';
import { createPartitions, dropPartitions, listPartitions } from './partitions.ts';
import { closeSubjects } from './subjects.ts';
import { deleteVisitorKeys } from './visitor-keys.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than events can wait on a volume. */
const BATCH_DAYS = 90;
/** Days after which the visitors of a day are final: few events come later. */
const SKETCH_DAYS = 7;
/** Days after which a day gets keys of its subjects. Later events still count, each at the price of a write to the index. */
const OPEN_DAYS = 2;

export interface AnalyticsRetention {
  /** Days for which events are stored; whole months are dropped. */
  eventDays: number;
  /** Days for which daily counts and feedback are stored. */
  days: number;
}

/** Starts to make partitions ahead, to queue files with events, and to delete what is older than the settings say. */
export function startAnalyticsSweeper(adapters: {
  db: Kysely<Database>;
  log: Logger;
  metrics: Metrics;
  retention: AnalyticsRetention;
  /** Whether files with events are written to a bucket. */
  writesFiles: boolean;
}): { stop(): Promise<void> } {
  const { db, log, retention, writesFiles } = adapters;
  return startShared(
    [
      {
        name: 'keep analytics',
        ms: HOUR_MS,
        run: async () => {
          const now = new Date();
          await createPartitions(db, now);
          const dropped = await dropPartitions(db, now, retention.eventDays);
          if (dropped.length > 0) log.info({ dropped }, 'old analytics events were deleted');
          await deleteVisitorKeys(db, now);
          await deleteOld(db, retention.days);
          await closeDays(db, now);
          await deleteEventsOfDeleted(db);
        },
      },
      ...(writesFiles
        ? [
            {
              name: 'queue files with events',
              ms: HOUR_MS,
              run: async () => {
                await queueEventFiles(db, new Date());
              },
            },
          ]
        : []),
    ],
    adapters,
  );
}

export async function deleteOld(db: Kysely<Database>, days: number): Promise<void> {
  const before = (count: number) => sql<Date>`now() - make_interval(days => ${count})`;
  await db
    .deleteFrom('analytics_daily')
    .where(sql<boolean>`day < (${before(days)})::date`)
    .execute();
  await db
    .deleteFrom('analytics_files')
    .where(sql<boolean>`day < (${before(days)})::date`)
    .execute();
  await db.deleteFrom('analytics_feedback').where('created_at', '<', before(days)).execute();
  await db.deleteFrom('analytics_batches').where('received_at', '<', before(BATCH_DAYS)).execute();
}

/** Moves the rows of days that are over to the indexes of days that no longer change. */
export async function closeDays(db: Kysely<Database>, now: Date): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10);
  await db
    .updateTable('analytics_daily')
    .set({ sketch: null })
    .where('sketch', 'is not', null)
    .where(sql<boolean>`day < ${before(SKETCH_DAYS)}::date`)
    .execute();
  await closeSubjects(db, before(OPEN_DAYS));
}

/** Deletes the events of projects that were deleted. */
export async function deleteEventsOfDeleted(db: Kysely<Database>): Promise<void> {
  for (const name of await listPartitions(db)) {
    const table = sql.table(name);
    // One step of the index for each project, not one for each event.
    const { rows } = await sql<{ id: string }>`
      WITH RECURSIVE ids AS (
        (SELECT project_id AS id FROM ${table} ORDER BY project_id LIMIT 1)
        UNION ALL
        SELECT (SELECT project_id FROM ${table} WHERE project_id > ids.id ORDER BY project_id LIMIT 1)
        FROM ids WHERE ids.id IS NOT NULL
      )
      SELECT id FROM ids WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM projects WHERE projects.id = ids.id)`.execute(
      db,
    );
    for (const { id } of rows) await sql`DELETE FROM ${table} WHERE project_id = ${id}`.execute(db);
  }
}
