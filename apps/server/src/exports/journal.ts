import { type Kysely, sql, type Transaction, type UpdateObject } from 'kysely';
import { addUsage } from '../audit/service.ts';
import { recordNotification } from '../notifications/service.ts';
import {
  type Database,
  type ExportEvent,
  json,
  plainText,
  type RunningPhase,
  type StoredCommit,
  type StoredPageAccess,
  type StoredWarning,
} from '../platform/db/database.ts';
import { withKeepAlive } from '../platform/db/keep-alive.ts';
import { cancelJob, type Fence, notifyChanged } from '../platform/jobs/jobs.ts';
import { lockBundle } from './bundle-use.ts';
import { columns, type Db, type ExportRow } from './store.ts';

/**
 * Starts the next attempt, and every earlier one loses the export. Undefined when it is finished or gone, or when a later
 * attempt has started.
 */
export async function beginExport(tx: Transaction<Database>, fence: Fence): Promise<ExportRow | undefined> {
  const row = await tx
    .updateTable('exports')
    .set({
      status: 'running',
      attempt: fence.attempt,
      started_at: sql<Date>`coalesce(started_at, now())`,
      phase: 'fetching',
      phase_started_at: sql<Date>`now()`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', fence.id)
    .where('attempt', '<', fence.attempt)
    .where('status', 'in', ['queued', 'running'])
    .returning(columns)
    .executeTakeFirst();
  if (row !== undefined) await announce(tx, row, 'claimed');
  return row;
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
  if (row !== undefined) await notifyChanged(db, fence.id);
  return row !== undefined;
}

/** A later attempt reads the pinned commit by its id and no longer knows the branch, so the first one counts. */
function firstOf(info: StoredCommit | null) {
  return sql<string | null>`coalesce(commit_info, ${info === null ? null : json(info)}::jsonb)`;
}

/** What follows the end of an export, in the transaction that records it. */
export type OnExportEnd = (tx: Transaction<Database>, id: string) => Promise<void>;

export interface Completion {
  version: string;
  commit: string | null;
  commitInfo: StoredCommit | null;
  pageCount: number;
  warnings: readonly StoredWarning[];
  access: StoredPageAccess;
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
  onEnd?: OnExportEnd,
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
      page_access: json(result.access),
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
    await onEnd?.(tx, fence.id);
    return 'completed';
  });
}

/** Characters of an error that are kept: a file name in it can be of any length. */
const ERROR_LENGTH = 2_000;

/** Makes the export failed, once. False when the attempt has lost it. */
export async function failExport(
  tx: Transaction<Database>,
  fence: Fence,
  failure: { code: string; message: string },
): Promise<boolean> {
  const error = plainText(failure.message.slice(0, ERROR_LENGTH));
  const isFailed = await transition(tx, fence, 'failed', {
    status: 'failed',
    error,
    error_code: failure.code,
    completed_at: sql<Date>`now()`,
  });
  if (isFailed) await notifyOfFailure(tx, fence.id, { error, code: failure.code });
  return isFailed;
}

async function notifyOfFailure(
  tx: Transaction<Database>,
  id: string,
  { error, code }: { error: string; code: string },
): Promise<void> {
  const { organization_id, project_id, domain, commit } = await tx
    .selectFrom('exports')
    .select(['organization_id', 'project_id', 'domain', 'commit'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  // Of a project that was deleted nobody wants to know.
  if (project_id === null) return;
  await recordNotification(tx, {
    organizationId: organization_id,
    projectId: project_id,
    event: 'export.failed',
    subject: `The export of ${domain} failed`,
    data: { jobId: id, domain, commit, error, errorCode: code },
  });
}

/** Puts the export back: after a failure of ours, or because this worker stops. False when the attempt has lost it. */
export function requeueExport(
  tx: Transaction<Database>,
  fence: Fence,
  event: 'retried' | 'released',
): Promise<boolean> {
  return transition(tx, fence, event, { status: 'queued' });
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
    if (row === undefined) return undefined;
    await cancelJob(tx, id);
    await announce(tx, row, 'failed');
    return row;
  });
}

/** A change of state with its history row. False when the attempt has lost the export. */
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
  await notifyChanged(tx, fence.id);
}

export async function addEvent(tx: Transaction<Database>, fence: Fence, event: ExportEvent): Promise<void> {
  await tx
    .insertInto('export_events')
    .values({ export_id: fence.id, attempt: fence.attempt, event })
    .execute();
}
