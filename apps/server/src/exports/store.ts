import type { StartExportBody } from '@offprint/contract';
import { type Kysely, type Selectable, sql, type Transaction, type UpdateObject } from 'kysely';
import { addUsage } from '../audit/service.ts';
import { lockOrganization } from '../organizations/service.ts';
import { whileAwake } from '../platform/db/awake.ts';
import {
  type Database,
  type ExportEvent,
  type ExportStatus,
  type ExportsTable,
  type ExportTrigger,
  json,
  plainText,
  type StoredWarning,
} from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import type { Cursor } from '../platform/http/cursor.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** An export without its warnings, which can be many. */
export type ExportRow = Omit<Selectable<ExportsTable>, 'warnings'>;

/** Channel of the notifications of changed exports; the payload is the id. */
export const EXPORT_CHANGED = 'offprint_export_changed';

const columns = [
  'id',
  'organization_id',
  'project_id',
  'domain',
  'status',
  'attempt',
  'failures',
  'queue_entry',
  'version_requested',
  'ref_requested',
  'paths',
  'include_unlisted',
  'groups',
  'version',
  'commit',
  'progress',
  'page_count',
  'total_pages',
  'warning_count',
  'error',
  'error_code',
  'artifact_sha256',
  'artifact_files',
  'artifact_bytes',
  'bundle_sha256',
  'bundle_bytes',
  'created_by',
  'trigger',
  'created_at',
  'updated_at',
  'started_at',
  'heartbeat_at',
  'completed_at',
] as const;

/** Adds a queued export with its first history row. */
export async function insertExport(
  tx: Transaction<Database>,
  wanted: {
    id: string;
    organizationId: string;
    projectId: string;
    body: StartExportBody;
    createdBy: string;
    trigger: ExportTrigger;
  },
): Promise<void> {
  const { body } = wanted;
  await tx
    .insertInto('exports')
    .values({
      id: wanted.id,
      organization_id: wanted.organizationId,
      project_id: wanted.projectId,
      domain: body.domain,
      version: body.version ?? null,
      version_requested: body.version ?? null,
      ref_requested: body.source?.ref ?? null,
      paths: body.paths === undefined ? null : json([...new Set(body.paths)]),
      include_unlisted: body.options?.includeUnlisted ?? true,
      groups: json([...new Set(body.options?.groups ?? [])]),
      created_by: wanted.createdBy,
      trigger: wanted.trigger,
    })
    .execute();
  await addEvent(tx, { id: wanted.id, attempt: 0 }, 'queued');
}

export function setQueueEntry(tx: Transaction<Database>, id: string, entry: string): Promise<ExportRow> {
  return tx
    .updateTable('exports')
    .set({ queue_entry: entry })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export function findExport(db: Db, organizationId: string, id: string): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The exports with these ids, each of the organization beside it. */
export function findExports(
  db: Db,
  wanted: readonly { organizationId: string; id: string }[],
): Promise<ExportRow[]> {
  const organizations = wanted.map(({ organizationId }) => organizationId);
  const ids = wanted.map(({ id }) => id);
  return db
    .selectFrom('exports')
    .select(columns)
    .where(
      sql<boolean>`(organization_id, id) IN (SELECT * FROM unnest(${organizations}::text[], ${ids}::text[]))`,
    )
    .execute();
}

/** The completed export of the same domain that was started last before this one. */
export function findCompletedBefore(db: Db, row: ExportRow): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .select(columns)
    .where('organization_id', '=', row.organization_id)
    .where('domain', '=', row.domain)
    .where('status', '=', 'completed')
    .where(sql<boolean>`(created_at, id) < (${row.created_at}, ${row.id})`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * The completed export of the domain that was started last. Without a label only exports of everything count: all
 * pages of the published branch with the default options. With one, also others that were started with that label:
 * labels made of a commit are shared by exports of parts of it.
 */
export function findLatest(
  db: Db,
  organizationId: string,
  wanted: { domain: string; version: string | undefined },
): Promise<ExportRow | undefined> {
  const isWhole = sql<boolean>`(paths IS NULL AND ref_requested IS NULL AND include_unlisted AND groups = '[]')`;
  let query = db
    .selectFrom('exports')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('domain', '=', wanted.domain)
    .where('status', '=', 'completed');
  if (wanted.version === undefined) query = query.where(isWhole);
  else {
    query = query
      .where('version', '=', wanted.version)
      .where((eb) => eb.or([isWhole, eb('version_requested', '=', wanted.version ?? null)]));
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

export function findWarnings(db: Db, organizationId: string, id: string) {
  return db
    .selectFrom('exports')
    .select(['warnings', 'project_id', 'commit'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function listExports(
  db: Db,
  organizationId: string,
  page: {
    domain: string | undefined;
    projectId: string | undefined;
    status: ExportStatus | undefined;
    after: Cursor | undefined;
    limit: number;
  },
): Promise<ExportRow[]> {
  const { domain, projectId, status } = page;
  let query = db.selectFrom('exports').select(columns).where('organization_id', '=', organizationId);
  if (domain !== undefined) query = query.where('domain', '=', domain);
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (status !== undefined) query = query.where('status', '=', status);
  return newestFirst(query, page).execute();
}

/**
 * Queued and running exports of the organization. Serialises those who start exports of one organization until
 * their transaction ends, so that the count holds.
 */
export async function countActive(tx: Transaction<Database>, organizationId: string): Promise<number> {
  await lockOrganization(tx, organizationId);
  const row = await tx
    .selectFrom('exports')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('organization_id', '=', organizationId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirstOrThrow();
  return row.count;
}

/** A queued export of all pages of a ref (null: the published branch) that has not read its source yet. */
export async function findUnread(
  db: Db,
  organizationId: string,
  wanted: { domain: string; ref: string | null },
): Promise<string | null> {
  const row = await db
    .selectFrom('exports')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('domain', '=', wanted.domain)
    .where('status', '=', 'queued')
    .where('attempt', '=', 0)
    .where('paths', 'is', null)
    .where(sql<boolean>`ref_requested IS NOT DISTINCT FROM ${wanted.ref}`)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Who may write to a running export: the holder of its latest attempt. */
export interface Fence {
  id: string;
  attempt: number;
}

/**
 * Takes an export for the queue entry: the next attempt begins, and every earlier one has lost it. Undefined
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
    commit?: string | null;
    version?: string;
  },
): Promise<boolean> {
  const row = await owned(db, fence, {
    progress: sql<number>`greatest(progress, ${Math.min(at.progress, 99)}::real)`,
    page_count: sql<number>`greatest(page_count, ${at.pageCount}::int)`,
    heartbeat_at: sql<Date>`now()`,
    updated_at: sql<Date>`now()`,
    ...(at.totalPages === null ? {} : { total_pages: at.totalPages }),
    ...(at.commit === undefined ? {} : { commit: at.commit }),
    ...(at.version === undefined ? {} : { version: at.version }),
  });
  if (row !== undefined) await notify(db, fence.id);
  return row !== undefined;
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
  pageCount: number;
  warnings: readonly StoredWarning[];
  /** All there were; `warnings` can hold fewer. */
  warningCount: number;
  artifact: { sha256: string; files: number; bytes: number };
  bundle: { sha256: string; bytes: number };
}

/**
 * Makes the export completed, once, while `isStored` says that its artifact is there. Who removes artifacts holds
 * the same lock, so what is there now stays.
 */
export function completeExport(
  db: Kysely<Database>,
  fence: Fence & { organizationId: string },
  result: Completion,
  isStored: () => Promise<boolean>,
): Promise<'completed' | 'lost' | 'not stored'> {
  return db.transaction().execute(async (tx) => {
    await lockBundle(tx, fence.organizationId, result.bundle.sha256);
    if (!(await whileAwake(tx, isStored))) return 'not stored';
    const owned = await transition(tx, fence, 'completed', {
      status: 'completed',
      progress: 100,
      page_count: result.pageCount,
      total_pages: result.pageCount,
      version: result.version,
      commit: result.commit,
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

/** Ends an export that has not ended, whoever works on it; undefined when it was finished or is gone. */
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

/** Deletes a finished export; undefined when it is not finished or not there. */
export function deleteFinished(db: Db, organizationId: string, id: string): Promise<ExportRow | undefined> {
  return db
    .deleteFrom('exports')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', 'in', ['completed', 'failed'])
    .returning(columns)
    .executeTakeFirst();
}

/** Finished exports older than so many days. */
export function findExpired(db: Db, days: number, limit: number) {
  return db
    .selectFrom('exports')
    .select(['id', 'organization_id'])
    .where('status', 'in', ['completed', 'failed'])
    .where('completed_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .orderBy('completed_at')
    .limit(limit)
    .execute();
}

/** Whether an export of the organization has this bundle. */
export async function usesBundle(
  db: Db,
  organizationId: string,
  digests: { artifact?: string; bundle: string },
): Promise<boolean> {
  let query = db
    .selectFrom('exports')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('bundle_sha256', '=', digests.bundle);
  // One bundle has one artifact, by which there is an index.
  if (digests.artifact !== undefined) query = query.where('artifact_sha256', '=', digests.artifact);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Digests of the bundles of all exports of the organization. */
export async function findBundles(db: Db, organizationId: string): Promise<Set<string | null>> {
  const rows = await db
    .selectFrom('exports')
    .select('bundle_sha256')
    .distinct()
    .where('organization_id', '=', organizationId)
    .where('bundle_sha256', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.bundle_sha256));
}

/**
 * Held until the transaction ends by whoever commits or removes a bundle, so that one of the two sees what the
 * other did.
 */
export async function lockBundle(
  tx: Transaction<Database>,
  organizationId: string,
  sha256: string,
): Promise<void> {
  const name = JSON.stringify(['bundle', organizationId, sha256]);
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

/** Unfinished exports that nobody has touched for a while: their queue entry may be lost. */
export function findSilent(db: Db, seconds: number, limit: number): Promise<ExportRow[]> {
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
export function lockSilent(tx: Transaction<Database>, seen: ExportRow): Promise<ExportRow | undefined> {
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

/** Ends a lost export for good. */
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
async function announce(tx: Transaction<Database>, fence: Fence, event: ExportEvent): Promise<void> {
  await addEvent(tx, fence, event);
  await notify(tx, fence.id);
}

async function addEvent(tx: Transaction<Database>, fence: Fence, event: ExportEvent): Promise<void> {
  await tx
    .insertInto('export_events')
    .values({ export_id: fence.id, attempt: fence.attempt, event })
    .execute();
}

async function notify(db: Db, id: string): Promise<void> {
  await sql`SELECT pg_notify(${EXPORT_CHANGED}, ${id})`.execute(db);
}
