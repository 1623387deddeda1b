import type { Embeddings } from '@offprint/contract';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { type BundleVectorsTable, type Database, plainText } from '../platform/db/database.ts';
import { cancelJob, enqueueJob, type Fence } from '../platform/jobs/jobs.ts';
import type { SettingsRow } from './settings.ts';

export type Db = Kysely<Database> | Transaction<Database>;
export type VectorsRow = Selectable<BundleVectorsTable>;

/** Kind of the jobs that make vectors. */
export const VECTORS_KIND = 'vectors';

const ERROR_LENGTH = 2_000;

export function findSettings(db: Db, projectId: string): Promise<SettingsRow | undefined> {
  return db.selectFrom('vector_settings').selectAll().where('project_id', '=', projectId).executeTakeFirst();
}

/** Sets the endpoint of a project, or with null turns vectors off, and queues what its sites lack. */
export async function saveSettings(
  tx: Transaction<Database>,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  values: Omit<SettingsRow, 'project_id' | 'organization_id' | 'updated_at'> | null,
): Promise<void> {
  if (values === null) await tx.deleteFrom('vector_settings').where('project_id', '=', projectId).execute();
  else
    await tx
      .insertInto('vector_settings')
      .values({ project_id: projectId, organization_id: organizationId, ...values })
      .onConflict((conflict) =>
        conflict.column('project_id').doUpdateSet({ ...values, updated_at: sql<Date>`now()` }),
      )
      .execute();
  // Nothing more is sent to an endpoint that was replaced; the sweep deletes what it has made.
  const space = values?.space ?? '';
  const replaced = await tx
    .updateTable('bundle_vectors')
    .set({ state: 'failed' })
    .where('project_id', '=', projectId)
    .where('state', '=', 'queued')
    .where('space', '<>', space)
    .returning('id')
    .execute();
  for (const { id } of replaced) await cancelJob(tx, id);
  // The reason of a failure may be gone.
  await tx
    .deleteFrom('bundle_vectors')
    .where('project_id', '=', projectId)
    .where('state', '=', 'failed')
    .where('space', '=', space)
    .execute();
  await queueVectors(tx, projectId);
}

/**
 * Queues the vectors of everything that sites serve and that has none: of production, of previews, and of their releases
 * for groups of readers. Of one project, or of all.
 */
export async function queueVectors(tx: Transaction<Database>, projectId: string | null): Promise<void> {
  const { rows } = await sql<{ id: string; organization_id: string; project_id: string }>`
    INSERT INTO bundle_vectors (id, organization_id, project_id, bundle_sha256, space)
    SELECT 'vec_' || replace(gen_random_uuid()::text, '-', ''), organization_id, project_id, bundle_sha256, space
    FROM (
      SELECT sites.organization_id, sites.project_id, exports.bundle_sha256, vector_settings.space
      FROM vector_settings
      JOIN sites ON sites.project_id = vector_settings.project_id
      JOIN exports ON exports.id = sites.export_id
      WHERE (sites.expires_at IS NULL OR sites.expires_at > now())
        AND (${projectId}::text IS NULL OR sites.project_id = ${projectId})
      UNION
      SELECT sites.organization_id, sites.project_id, deployment_variants.bundle_sha256, vector_settings.space
      FROM vector_settings
      JOIN sites ON sites.project_id = vector_settings.project_id
      JOIN deployment_variants ON deployment_variants.deployment_id = sites.deployment_id
      WHERE deployment_variants.status = 'success' AND (sites.expires_at IS NULL OR sites.expires_at > now())
        AND (${projectId}::text IS NULL OR sites.project_id = ${projectId})
    ) AS served
    WHERE bundle_sha256 IS NOT NULL
    ON CONFLICT (project_id, bundle_sha256, space) DO NOTHING
    RETURNING id, organization_id, project_id`.execute(tx);
  // One after the other: each takes what it can from those before.
  for (const { id, organization_id: organizationId, project_id: lane } of rows)
    await enqueueJob(tx, { id, kind: VECTORS_KIND, organizationId, lane });
}

/** Queues the vectors of the project of an export that has ended. */
export async function queueVectorsOfExport(tx: Transaction<Database>, exportId: string): Promise<void> {
  const row = await tx
    .selectFrom('exports')
    .innerJoin('vector_settings', 'vector_settings.project_id', 'exports.project_id')
    .select('vector_settings.project_id')
    .where('exports.id', '=', exportId)
    .executeTakeFirst();
  if (row !== undefined) await queueVectors(tx, row.project_id);
}

/** Starts an attempt; undefined when nothing is left to do. */
export function beginVectors(
  tx: Transaction<Database>,
  { id, attempt }: Fence,
): Promise<VectorsRow | undefined> {
  return tx
    .updateTable('bundle_vectors')
    .set({ attempt })
    .where('id', '=', id)
    .where('attempt', '<', attempt)
    .where('state', '=', 'queued')
    .returningAll()
    .executeTakeFirst();
}

/** Writes how an attempt ended. False when it has lost the row. */
export async function endVectors(
  db: Db,
  { id, attempt }: Fence,
  set:
    | { state: 'queued' | 'failed'; error: string | null; error_code: string | null }
    | { state: 'stored'; file_sha256: string; sections: number; dimensions: number },
): Promise<boolean> {
  const error = 'error' in set ? set.error : null;
  const row = await db
    .updateTable('bundle_vectors')
    .set({
      ...set,
      error: error === null ? null : plainText(error.slice(0, ERROR_LENGTH)),
      error_code: 'error_code' in set ? set.error_code : null,
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'queued')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Vectors that others of the same space may be taken from, newest first. */
export function listEarlier(db: Db, { project_id, space }: VectorsRow, most: number): Promise<VectorsRow[]> {
  return db
    .selectFrom('bundle_vectors')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('space', '=', space)
    .where('state', '=', 'stored')
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(most)
    .execute();
}

/** The stored vectors of a bundle in the space of the project, with its endpoint; undefined without either. */
export async function findStored(
  db: Db,
  projectId: string,
  bundle: string,
): Promise<{ settings: SettingsRow; row: VectorsRow; isAirGapped: boolean } | undefined> {
  const settings = await findSettings(db, projectId);
  if (settings === undefined) return undefined;
  const row = await db
    .selectFrom('bundle_vectors')
    .innerJoin('projects', 'projects.id', 'bundle_vectors.project_id')
    .selectAll('bundle_vectors')
    .select('projects.deployment_type')
    .where('bundle_vectors.project_id', '=', projectId)
    .where('bundle_sha256', '=', bundle)
    .where('space', '=', settings.space)
    .where('state', '=', 'stored')
    .executeTakeFirst();
  return row && { settings, row, isAirGapped: row.deployment_type === 'air-gapped' };
}

/** Records why the last query of a project has no vector, or that it has one. */
export async function noteQuery(
  db: Db,
  { project_id: projectId, space }: SettingsRow,
  error: string | null,
): Promise<void> {
  await db
    .updateTable('vector_settings')
    .set({ query_error: error === null ? null : plainText(error.slice(0, ERROR_LENGTH)) })
    .where('project_id', '=', projectId)
    .where('space', '=', space)
    .execute();
}

/** Queues vectors again whose file is missing or damaged. */
export async function requeueVectors(
  db: Kysely<Database>,
  { id, file_sha256: file }: Pick<VectorsRow, 'id' | 'file_sha256'>,
): Promise<void> {
  if (file === null) return;
  await db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('bundle_vectors')
      .set({
        state: 'queued',
        file_sha256: null,
        sections: null,
        dimensions: null,
        updated_at: sql<Date>`now()`,
      })
      .where('id', '=', id)
      .where('file_sha256', '=', file)
      .returning(['attempt', 'organization_id', 'project_id'])
      .executeTakeFirst();
    if (row === undefined) return;
    const { attempt, organization_id: organizationId, project_id: lane } = row;
    await enqueueJob(tx, { id, kind: VECTORS_KIND, organizationId, lane, attempt });
  });
}

/** The vectors of the production deployment of a project, for people. */
export async function readState(
  db: Db,
  { project_id: projectId, space, query_error: queryError }: SettingsRow,
): Promise<Pick<Embeddings, 'state' | 'reason' | 'sections'>> {
  const live = await db
    .selectFrom('sites')
    .leftJoin('exports', 'exports.id', 'sites.export_id')
    .leftJoin('bundle_vectors', (join) =>
      join
        .onRef('bundle_vectors.project_id', '=', 'sites.project_id')
        .onRef('bundle_vectors.bundle_sha256', '=', 'exports.bundle_sha256')
        .on('bundle_vectors.space', '=', space),
    )
    .select([
      'exports.bundle_sha256',
      'bundle_vectors.state',
      'bundle_vectors.error',
      'bundle_vectors.sections',
    ])
    .where('sites.project_id', '=', projectId)
    .where('sites.label', 'is', null)
    .executeTakeFirst();
  if (live === undefined || live.bundle_sha256 === null)
    return { state: 'pending', reason: 'The project has no live deployment.', sections: null };
  const { state, error, sections } = live;
  if (state === 'stored' && queryError !== null)
    return { state: 'failed', reason: `The last query has no vector: ${queryError}`, sections };
  if (state === 'stored') return { state: 'ready', reason: null, sections };
  return { state: state === 'failed' ? 'failed' : 'pending', reason: error, sections: null };
}

/** Vectors whose bundle is gone, or that the project no longer uses. */
export async function listUnused(db: Db, most: number): Promise<VectorsRow[]> {
  const { rows } = await sql<VectorsRow>`
    SELECT v.* FROM bundle_vectors AS v
    WHERE NOT EXISTS (
        SELECT FROM exports
        WHERE exports.organization_id = v.organization_id AND exports.bundle_sha256 = v.bundle_sha256)
      OR NOT EXISTS (
        SELECT FROM vector_settings
        WHERE vector_settings.project_id = v.project_id AND vector_settings.space = v.space)
    ORDER BY v.id LIMIT ${most}`.execute(db);
  return rows;
}

/** Deletes a row; whether no other one names its file. */
export async function deleteVectors(
  tx: Transaction<Database>,
  { id, organization_id: organizationId, bundle_sha256: bundle, file_sha256: file }: VectorsRow,
): Promise<boolean> {
  await tx.deleteFrom('bundle_vectors').where('id', '=', id).execute();
  await cancelJob(tx, id);
  const other = await tx
    .selectFrom('bundle_vectors')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('bundle_sha256', '=', bundle)
    .where('file_sha256', 'is not distinct from', file)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}
