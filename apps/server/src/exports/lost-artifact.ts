import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { newId } from '../platform/ids.ts';
import { enqueueJob, type Fence } from '../platform/jobs/jobs.ts';
import { LostArtifactError } from './artifact.ts';
import { lockBundle } from './bundle-use.ts';
import { type Db, type ExportRow, findExport } from './store.ts';

/** Kind of the jobs that render lost artifacts again. */
export const ARTIFACT_KIND = 'artifact';

/** The state of a lost artifact, for those who ask for it. */
export interface Loss {
  id: string;
  state: 'queued' | 'running' | 'lost';
  error: string | null;
}

/** Seconds after which a client that waits for a lost artifact may ask again. */
const RETRY_SECONDS = 30;

/**
 * The error to be reported for one that was met while an artifact was read: for a lost artifact the 410, after it
 * was recorded; any other error as it is.
 */
export async function explainLoss(db: Kysely<Database>, row: ExportRow, error: unknown): Promise<unknown> {
  if (!(error instanceof LostArtifactError)) return error;
  const loss = await recordLoss(db, row, error.message);
  return loss === null ? notFound('export') : lossError(row, loss, error);
}

/** Records that the artifact of an export is lost, and queues its restoration; null if the export was deleted. */
export function recordLoss(
  db: Kysely<Database>,
  row: Pick<ExportRow, 'id' | 'organization_id' | 'bundle_sha256'>,
  reason: string,
): Promise<Loss | null> {
  const { id, organization_id: organizationId, bundle_sha256: bundle } = row;
  return db.transaction().execute(async (tx) => {
    if (bundle === null) return null;
    await lockBundle(tx, organizationId, bundle);
    if ((await findExport(tx, organizationId, id)) === undefined) return null;
    const known = await findLossOf(tx, organizationId, bundle);
    if (known !== undefined) return known;
    const loss = await tx
      .insertInto('lost_artifacts')
      .values({
        id: newId('lost'),
        organization_id: organizationId,
        bundle_sha256: bundle,
        export_id: id,
        reason,
      })
      .returning(['id', 'state', 'error'])
      .executeTakeFirstOrThrow();
    await enqueueJob(tx, { id: loss.id, kind: ARTIFACT_KIND, organizationId });
    return loss;
  });
}

/** Queues the restoration of a lost artifact once more. False if it is not recorded as lost. */
export async function retryLoss(
  tx: Transaction<Database>,
  organizationId: string,
  bundle: string,
): Promise<boolean> {
  await lockBundle(tx, organizationId, bundle);
  const row = await tx
    .updateTable('lost_artifacts')
    .set({ state: 'queued', error: null, error_code: null, updated_at: sql<Date>`now()` })
    .where('organization_id', '=', organizationId)
    .where('bundle_sha256', '=', bundle)
    .returning(['id', 'attempt'])
    .executeTakeFirst();
  if (row === undefined) return false;
  await enqueueJob(tx, { ...row, kind: ARTIFACT_KIND, organizationId });
  return true;
}

function findLossOf(db: Db, organizationId: string, bundle: string): Promise<Loss | undefined> {
  return db
    .selectFrom('lost_artifacts')
    .select(['id', 'state', 'error'])
    .where('organization_id', '=', organizationId)
    .where('bundle_sha256', '=', bundle)
    .executeTakeFirst();
}

function lossError({ commit }: ExportRow, { state, error }: Loss, cause: unknown): AppError {
  if (state === 'lost') {
    return new AppError(
      'artifact_lost',
      `The stored files of this export are lost and could not be rendered again. ${error ?? 'The reason is unknown.'} Start a new export.`,
      { cause },
    );
  }
  const from = commit === null ? 'the source' : `commit ${commit.slice(0, 12)}`;
  return new AppError(
    'artifact_lost',
    `The stored files of this export are lost. They are being rendered again from ${from}: try again in a minute, or start a new export.`,
    { headers: { 'Retry-After': String(RETRY_SECONDS) }, cause },
  );
}

/** A lost artifact as its job sees it. */
export interface LossRow extends Fence {
  organizationId: string;
  bundle: string;
  exportId: string;
}

/** Starts an attempt; undefined if nothing is left to do or a later attempt has started. */
export async function beginRestoration(
  tx: Transaction<Database>,
  fence: Fence,
): Promise<LossRow | undefined> {
  const row = await tx
    .updateTable('lost_artifacts')
    .set({ state: 'running', attempt: fence.attempt, updated_at: sql<Date>`now()` })
    .where('id', '=', fence.id)
    .where('attempt', '<', fence.attempt)
    .where('state', '<>', 'lost')
    .returning(['organization_id', 'bundle_sha256', 'export_id'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    ...fence,
    organizationId: row.organization_id,
    bundle: row.bundle_sha256,
    exportId: row.export_id,
  };
}

/** Writes under the fence: the attempt has ended, and the artifact waits for the next one or stays lost. */
export async function endRestoration(
  tx: Transaction<Database>,
  fence: Fence,
  set: { state: 'queued' } | { state: 'lost'; error: string; error_code: string },
): Promise<boolean> {
  const row = await tx
    .updateTable('lost_artifacts')
    .set({ ...set, updated_at: sql<Date>`now()` })
    .where('id', '=', fence.id)
    .where('attempt', '=', fence.attempt)
    .where('state', '=', 'running')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The artifact is stored again. False if the attempt has lost it. */
export async function forgetLoss(tx: Transaction<Database>, fence: Fence): Promise<boolean> {
  const row = await tx
    .deleteFrom('lost_artifacts')
    .where('id', '=', fence.id)
    .where('attempt', '=', fence.attempt)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export interface LossCounts {
  restoring: number;
  lost: number;
}

/** Lost artifacts of the installation: those that are rendered again, and those for which that failed. */
export async function countLosses(db: Db): Promise<LossCounts> {
  return db
    .selectFrom('lost_artifacts')
    .select([
      sql<number>`count(*) FILTER (WHERE state <> 'lost')::int`.as('restoring'),
      sql<number>`count(*) FILTER (WHERE state = 'lost')::int`.as('lost'),
    ])
    .executeTakeFirstOrThrow();
}
