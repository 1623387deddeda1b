import { type Kysely, sql, type Transaction, type UpdateObject } from 'kysely';
import { addUsage } from '../audit/service.ts';
import {
  type Database,
  type ExportEvent,
  json,
  plainText,
  type RunningPhase,
  type StoredCommit,
  type StoredWarning,
} from '../platform/db/database.ts';
import { withKeepAlive } from '../platform/db/keep-alive.ts';
import { lockBundle } from './bundle-use.ts';
import { columns, type Db, type ExportRow } from './store.ts';

/** Channel of the notifications of changed exports; the payload is the id. */
export const EXPORT_CHANGED = 'offprint_export_changed';

/** Who may write to a running export: the holder of its latest attempt. */
export interface Fence {
  id: string;
  attempt: number;
}

/**
 * Claims an export for the queue entry: the next attempt starts, and every earlier one loses it. Undefined
 * when it is finished, gone, or meant for another entry.
 */
export function claimExport(db: Kysely<Database>, id: string, entry: string): Promise<ExportRow | undefined> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('exports')
      .set((eb) => ({
        status: 'running',
        attempt: eb('attempt', '+', 1),
        started_at: sql<Date>`coalesce(started_at, now())`,
        phase: 'fetching',
        phase_started_at: sql<Date>`now()`,
        heartbeat_at: sql<Date>`now()`,
        updated_at: sql<Date>`now()`,
      }))
      .where('id', '=', id)
      .where('queue_entry', '=', entry)
      .where('status', 'in', ['queued', 'running'])
      .returning(columns)
      .executeTakeFirst();
    if (row !== undefined) await announce(tx, row, 'claimed');
    return row;
  });
}

/** Progress of a running attempt; never falls, never reaches 100. False when the attempt has lost the export. */
export async function reportProgress(
  db: Kysely<Database>,
  fence: Fence,
  at: {
    progress: number;
    pageCount: number;
    totalPages: number | null;
    phase?: RunningPhase;
    commit?: string | null;
    commitInfo?: StoredCommit | null;
    version?: string;
  },
): Promise<boolean> {
  const row = await owned(db, fence, {
    progress: sql<number>`greatest(progress, ${Math.min(at.progress, 99)}::real)`,
    page_count: sql<number>`greatest(page_count, ${at.pageCount}::int)`,
    heartbeat_at: sql<Date>`now()`,
    updated_at: sql<Date>`now()`,
    ...(at.totalPages === null ? {} : { total_pages: at.totalPages }),
    ...(at.phase === undefined
      ? {}
      : {
          phase: at.phase,
          phase_started_at: sql<Date>`CASE WHEN phase = ${at.phase} THEN phase_started_at ELSE now() END`,
        }),
    ...(at.commit === undefined ? {} : { commit: at.commit }),
    ...(at.commitInfo === undefined ? {} : { commit_info: firstOf(at.commitInfo) }),
    ...(at.version === undefined ? {} : { version: at.version }),
  });
  if (row !== undefined) await notify(db, fence.id);
  return row !== undefined;
}

/** A later attempt reads the pinned commit by its id and no longer knows the branch, so the first one counts. */
function firstOf(info: StoredCommit | null) {
  return sql<string | null>`coalesce(commit_info, ${info === null ? null : json(info)}::jsonb)`;
}

/** Whether the attempt still has the export. */
export async function holdsExport(db: Db, fence: Fence): Promise<boolean> {
  const row = await db
    .selectFrom('exports')
    .select('id')
    .where('id', '=', fence.id)
    .where('attempt', '=', fence.attempt)
    .where('status', '=', 'running')
    .executeTakeFirst();
  return row !== undefined;
}

/** Says that the attempt lives. False when it has lost the export. */
export async function beat(db: Kysely<Database>, fence: Fence): Promise<boolean> {
  return (await owned(db, fence, { heartbeat_at: sql<Date>`now()` })) !== undefined;
}

export interface Completion {
  version: string;
  commit: string | null;
  commitInfo: StoredCommit | null;
  pageCount: number;
  warnings: readonly StoredWarning[];
  /** All there were; `warnings` can hold fewer. */
  warningCount: number;
  artifact: { sha256: string; files: number; bytes: number };
  bundle: { sha256: string; bytes: number };
}

/**
 * Makes the export completed, once, while `isStored` says that its artifact is there. Removal of artifacts
 * holds the same lock, so files that exist now stay.
 */
export function completeExport(
  db: Kysely<Database>,
  fence: Fence & { organizationId: string },
  result: Completion,
  isStored: () => Promise<boolean>,
): Promise<'completed' | 'lost' | 'not stored'> {
  return db.transaction().execute(async (tx) => {
    await lockBundle(tx, fence.organizationId, result.bundle.sha256);
    if (!(await withKeepAlive(tx, isStored))) return 'not stored';
    const owned = await transition(tx, fence, 'completed', {
      status: 'completed',
      progress: 100,
      page_count: result.pageCount,
      total_pages: result.pageCount,
      version: result.version,
      commit: result.commit,
      commit_info: firstOf(result.commitInfo),
      warnings: json(result.warnings),
      warning_count: result.warningCount,
      artifact_sha256: result.artifact.sha256,
      artifact_files: result.artifact.files,
      artifact_bytes: result.artifact.bytes,
      bundle_sha256: result.bundle.sha256,
      bundle_bytes: result.bundle.bytes,
      completed_at: sql<Date>`now()`,
    });
    if (!owned) return 'lost';
    await addUsage(tx, fence.organizationId, { exports: 1, pages: result.pageCount });
    return 'completed';
  });
}

/** Characters of an error that are kept: a file name in it can be of any length. */
const ERROR_LENGTH = 2_000;

/** Makes the export failed, once. False when the attempt has lost it. */
export function failExport(
  db: Kysely<Database>,
  fence: Fence,
  failure: { code: string; message: string },
): Promise<boolean> {
  return inTransaction(db, fence, 'failed', {
    status: 'failed',
    error: plainText(failure.message.slice(0, ERROR_LENGTH)),
    error_code: failure.code,
    completed_at: sql<Date>`now()`,
  });
}

/** Puts the export back after a failure of ours, which counts. */
export function retryExport(db: Kysely<Database>, fence: Fence): Promise<boolean> {
  return inTransaction(db, fence, 'retried', {
    status: 'queued',
    failures: sql<number>`failures + 1`,
  });
}

/** Puts the export back because this worker stops; counts as no failure. */
export function releaseExport(db: Kysely<Database>, fence: Fence): Promise<boolean> {
  return inTransaction(db, fence, 'released', { status: 'queued' });
}

/** Ends an export that has not ended, whichever worker has it; undefined if it was finished or is gone. */
export function cancelExport(
  db: Kysely<Database>,
  organizationId: string,
  id: string,
): Promise<ExportRow | undefined> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('exports')
      .set({
        status: 'failed',
        error: 'Cancelled',
        error_code: 'cancelled',
        updated_at: sql<Date>`now()`,
        completed_at: sql<Date>`now()`,
      })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('status', 'in', ['queued', 'running'])
      .returning(columns)
      .executeTakeFirst();
    if (row !== undefined) await announce(tx, row, 'failed');
    return row;
  });
}

function inTransaction(
  db: Kysely<Database>,
  fence: Fence,
  event: ExportEvent,
  set: UpdateObject<Database, 'exports'>,
): Promise<boolean> {
  return db.transaction().execute((tx) => transition(tx, fence, event, set));
}

async function transition(
  tx: Transaction<Database>,
  fence: Fence,
  event: ExportEvent,
  set: UpdateObject<Database, 'exports'>,
): Promise<boolean> {
  const row = await owned(tx, fence, { ...set, updated_at: sql<Date>`now()` });
  if (row !== undefined) await announce(tx, row, event);
  return row !== undefined;
}

/** The only way to write to a running export: under its fence. */
function owned(db: Db, fence: Fence, set: UpdateObject<Database, 'exports'>): Promise<Fence | undefined> {
  return db
    .updateTable('exports')
    .set(set)
    .where('id', '=', fence.id)
    .where('attempt', '=', fence.attempt)
    .where('status', '=', 'running')
    .returning(['id', 'attempt'])
    .executeTakeFirst();
}

/** The history row of a transition and the hint to those who wait, both part of its transaction. */
export async function announce(tx: Transaction<Database>, fence: Fence, event: ExportEvent): Promise<void> {
  await addEvent(tx, fence, event);
  await notify(tx, fence.id);
}

export async function addEvent(tx: Transaction<Database>, fence: Fence, event: ExportEvent): Promise<void> {
  await tx
    .insertInto('export_events')
    .values({ export_id: fence.id, attempt: fence.attempt, event })
    .execute();
}

async function notify(db: Db, id: string): Promise<void> {
  await sql`SELECT pg_notify(${EXPORT_CHANGED}, ${id})`.execute(db);
}
