import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Queue } from '../platform/jobs/queue.ts';
import type { Logger } from '../platform/log.ts';
import { announce } from './journal.ts';
import { EXPORT_QUEUE, type ExportPayload } from './start.ts';
import { columns, type Db, type ExportRow } from './store.ts';

/** Internal failures after which an export is abandoned. */
export const MAX_FAILURES = 5;

/** An unfinished export that nobody has touched for this time is checked. */
const SILENT_SECONDS = 60;

const BATCH = 100;

export interface LostAdapters {
  db: Kysely<Database>;
  queue: Queue;
  log: Logger;
}

/** Gives unfinished exports whose queue entry is gone to a new entry, or ends them after too many losses. */
export async function sweepLost(
  { db, queue, log }: LostAdapters,
  silentSeconds = SILENT_SECONDS,
): Promise<void> {
  for (const seen of await findSilent(db, silentSeconds, BATCH)) {
    if (seen.queue_entry !== null && (await queue.has(EXPORT_QUEUE, seen.queue_entry))) continue;
    const outcome = await db.transaction().execute(async (tx) => {
      const row = await lockSilent(tx, seen);
      if (row === undefined) return null;
      if (row.failures + 1 >= MAX_FAILURES) {
        await abandonExport(
          tx,
          row,
          `The export failed ${MAX_FAILURES} times, the last time because its worker stopped responding, and was abandoned. Report this with the id of the export.`,
        );
        return 'abandoned';
      }
      const entry = await queue.enqueue<ExportPayload>(
        tx,
        EXPORT_QUEUE,
        { exportId: row.id },
        { owner: row.organization_id },
      );
      await requeueExport(tx, row, entry);
      return 'queued again';
    });
    if (outcome !== null)
      log.warn(
        { exportId: seen.id, attempt: seen.attempt, outcome },
        'the queue entry of an export was missing',
      );
  }
}

/** Unfinished exports that nobody has touched for a while: their queue entry may be lost. */
function findSilent(db: Db, seconds: number, limit: number): Promise<ExportRow[]> {
  return db
    .selectFrom('exports')
    .select(columns)
    .where('status', 'in', ['queued', 'running'])
    .where(sql<boolean>`greatest(updated_at, heartbeat_at) < now() - make_interval(secs => ${seconds})`)
    .orderBy('updated_at')
    .limit(limit)
    .execute();
}

/** The unfinished export, locked, if it is still as it was read; undefined when something has happened to it. */
function lockSilent(tx: Transaction<Database>, seen: ExportRow): Promise<ExportRow | undefined> {
  return tx
    .selectFrom('exports')
    .select(columns)
    .where('id', '=', seen.id)
    .where('attempt', '=', seen.attempt)
    .where('status', '=', seen.status)
    .where('queue_entry', 'is not distinct from', seen.queue_entry)
    .where('updated_at', '=', seen.updated_at)
    .forUpdate()
    .executeTakeFirst();
}

/** Gives a lost export to a new queue entry. The loss counts as a failure of ours. */
export async function requeueExport(tx: Transaction<Database>, row: ExportRow, entry: string): Promise<void> {
  await tx
    .updateTable('exports')
    .set({
      status: 'queued',
      queue_entry: entry,
      failures: sql<number>`failures + 1`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', row.id)
    .execute();
  await announce(tx, row, 'retried');
}

/** Ends a lost export permanently. */
export async function abandonExport(
  tx: Transaction<Database>,
  row: ExportRow,
  message: string,
): Promise<void> {
  await tx
    .updateTable('exports')
    .set({
      status: 'failed',
      error: message,
      error_code: 'internal',
      updated_at: sql<Date>`now()`,
      completed_at: sql<Date>`now()`,
    })
    .where('id', '=', row.id)
    .execute();
  await announce(tx, row, 'failed');
}
