import { type Kysely, sql, type Transaction } from 'kysely';
import { startVariantIn } from '../exports/service.ts';
import type { Database, StoredPageAccess } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { readAudience } from '../readers/service.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** Combinations of groups for which releases of one deployment are rendered; the most frequent ones count. */
export const MAX_VARIANTS = 20;
/** The same for each preview, of which a project can have hundreds. */
export const MAX_PREVIEW_VARIANTS = 5;

/** Readers who get a release of their own: see `DeploymentVariantsTable`. */
export interface Audience {
  groups: string[] | null;
  unless: string[];
}

/**
 * The releases that the readers of a deployment need beside that for all of them. `combinations`: groups that readers
 * are in together, the most frequent first.
 */
export function audiencesOf(
  access: StoredPageAccess,
  combinations: readonly (readonly string[])[],
  most: number,
): Audience[] {
  const named = new Set(access.groups);
  const audiences = new Map<string, Audience>();
  for (const combination of combinations) {
    if (audiences.size >= most) break;
    const groups = [...new Set(combination)].filter((group) => named.has(group)).sort();
    // a subset of what a reader is in must not show what a further group of the reader excludes
    const unless = access.excluding.filter((group) => !groups.includes(group));
    if (groups.length > 0) audiences.set(JSON.stringify(groups), { groups, unless });
  }
  return [...(access.hasPublic ? [{ groups: null, unless: [] }] : []), ...audiences.values()];
}

/**
 * Queues the releases that readers of what the site serves need and that do not exist yet. In the transaction of the
 * switch, after a sign-in with new groups, and again for sites whose access has changed.
 */
export async function queueVariants(tx: Transaction<Database>, siteId: string): Promise<void> {
  const live = await tx
    .selectFrom('sites')
    .innerJoin('deployments', 'deployments.id', 'sites.deployment_id')
    .innerJoin('exports', 'exports.id', 'deployments.export_id')
    .select(['sites.organization_id', 'sites.project_id', 'sites.label'])
    .select(['deployments.id', 'exports.id as export_id', 'exports.page_access'])
    .where('sites.id', '=', siteId)
    .executeTakeFirst();
  const access = live?.page_access ?? null;
  if (live === undefined) return;
  await forgetReplaced(tx, siteId, live.id);
  if (access === null) return;
  if (access.groups.length === 0 && !access.hasPublic) return;
  const { kind, combinations } = await readAudience(tx, {
    organizationId: live.organization_id,
    projectId: live.project_id,
    site: live.label === null ? 'production' : 'preview',
  });
  if (kind === 'public') return;
  const known = await tx
    .selectFrom('deployment_variants')
    .select('groups')
    .where('deployment_id', '=', live.id)
    .execute();
  const keys = new Set(known.map(({ groups }) => JSON.stringify(groups)));
  const most = live.label === null ? MAX_VARIANTS : MAX_PREVIEW_VARIANTS;
  let count = known.filter(({ groups }) => groups !== null).length;
  for (const { groups, unless } of audiencesOf(access, combinations, most)) {
    if (keys.has(JSON.stringify(groups)) || (groups !== null && count >= most)) continue;
    if (groups !== null) count += 1;
    const added = await tx
      .insertInto('deployment_variants')
      .values({
        id: newId('var'),
        organization_id: live.organization_id,
        project_id: live.project_id,
        deployment_id: live.id,
        groups,
        unless,
      })
      .onConflict((conflict) => conflict.columns(['deployment_id', 'groups']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (added === undefined) continue;
    const exportId = await startVariantIn(tx, live.export_id, groups);
    await tx
      .updateTable('deployment_variants')
      .set({ export_id: exportId })
      .where('id', '=', added.id)
      .execute();
  }
}

/** Variants that are not rendered yet of what the site no longer serves: their exports are cancelled by the next sweep. */
async function forgetReplaced(tx: Transaction<Database>, siteId: string, liveId: string): Promise<void> {
  await tx
    .deleteFrom('deployment_variants')
    .using('deployments')
    .whereRef('deployments.id', '=', 'deployment_variants.deployment_id')
    .where('deployments.site_id', '=', siteId)
    .where('deployments.id', '<>', liveId)
    .where('deployment_variants.status', '=', 'queued')
    .execute();
}

/** Ends the variant of an export that has ended. Nothing if the export has not ended, or is of no variant. */
export async function settleVariant(tx: Transaction<Database>, exportId: string): Promise<void> {
  await sql`
    UPDATE deployment_variants SET
      status = CASE WHEN exports.status = 'completed' THEN 'success' ELSE 'failure' END,
      bundle_sha256 = exports.bundle_sha256, bundle_bytes = exports.bundle_bytes,
      page_count = CASE WHEN exports.status = 'completed' THEN exports.page_count END,
      error = exports.error, ended_at = coalesce(exports.completed_at, now())
    FROM exports
    WHERE exports.id = deployment_variants.export_id AND deployment_variants.export_id = ${exportId}
      AND deployment_variants.status = 'queued' AND exports.status IN ('completed', 'failed')`.execute(tx);
}

/** Ends variants whose end was not recorded, and queues what sites lack: their access may have changed. */
export async function settleVariants(db: Kysely<Database>): Promise<void> {
  const ended = await db
    .selectFrom('deployment_variants')
    .innerJoin('exports', 'exports.id', 'deployment_variants.export_id')
    .select('exports.id')
    .where('deployment_variants.status', '=', 'queued')
    .where('exports.status', 'in', ['completed', 'failed'])
    .limit(1_000)
    .execute();
  for (const { id } of ended) await db.transaction().execute((tx) => settleVariant(tx, id));
  await db
    .updateTable('deployment_variants')
    .set({ status: 'failure', error: 'The export was deleted.', ended_at: sql<Date>`now()` })
    .where('status', '=', 'queued')
    .where('export_id', 'is', null)
    .execute();
  const sites = await db
    .selectFrom('sites')
    .innerJoin('exports', 'exports.id', 'sites.export_id')
    .select('sites.id')
    .where(
      sql<boolean>`(page_access -> 'groups' <> '[]'::jsonb OR page_access -> 'hasPublic' = 'true'::jsonb)`,
    )
    .where(sql<boolean>`(sites.expires_at IS NULL OR sites.expires_at > now())`)
    .execute();
  for (const { id } of sites) await db.transaction().execute((tx) => queueVariants(tx, id));
}

/** A variant as site servers get it. */
export interface ServedVariant {
  groups: string[] | null;
  unless: string[];
  /** Names the bundle. */
  deploymentId: string;
  sha256: string;
}

/**
 * The variants of what sites serve, by site. Until one is rendered, its readers get that of the deployment before, so
 * that no page is missing meanwhile; after a rollback, too, nothing newer than what is live.
 */
export async function servedVariants(db: Db): Promise<Map<string, ServedVariant[]>> {
  const { rows } = await sql<{
    site_id: string;
    id: string;
    groups: string[] | null;
    unless: string[];
    bundle_sha256: string;
  }>`
    SELECT sites.id AS site_id, served.id, served.groups, served.unless, served.bundle_sha256
    FROM sites
    JOIN deployments AS live ON live.id = sites.deployment_id
    JOIN deployment_variants AS wanted ON wanted.deployment_id = live.id AND wanted.status <> 'failure'
    JOIN LATERAL (
      SELECT variant.id, variant.groups, variant.unless, variant.bundle_sha256
      FROM deployment_variants AS variant
      JOIN deployments ON deployments.id = variant.deployment_id
      WHERE deployments.site_id = sites.id AND variant.groups IS NOT DISTINCT FROM wanted.groups
        AND variant.status = 'success' AND variant.export_id IS NOT NULL AND variant.bundle_sha256 IS NOT NULL
        AND (variant.id = wanted.id OR (
          wanted.status = 'queued' AND deployments.position < live.position
          AND deployments.base_path = live.base_path))
      ORDER BY deployments.position DESC
      LIMIT 1
    ) AS served ON true
    WHERE sites.expires_at IS NULL OR sites.expires_at > now()
    ORDER BY sites.id, served.groups NULLS FIRST`.execute(db);
  const bySite = new Map<string, ServedVariant[]>();
  for (const { site_id: siteId, id, groups, unless, bundle_sha256: sha256 } of rows) {
    const variants = bySite.get(siteId) ?? [];
    variants.push({ groups, unless, deploymentId: id, sha256 });
    bySite.set(siteId, variants);
  }
  return bySite;
}

/** The variants of a deployment, for people. */
export function listVariants(db: Db, organizationId: string, deploymentId: string) {
  return db
    .selectFrom('deployment_variants')
    .select(['groups', 'status', 'page_count', 'error', 'ended_at'])
    .where('organization_id', '=', organizationId)
    .where('deployment_id', '=', deploymentId)
    .orderBy(sql`groups NULLS FIRST`)
    .execute();
}

/** A variant of any organization that site servers download; undefined: none. */
export async function findServedVariant(
  db: Db,
  id: string,
): Promise<{ organizationId: string; exportId: string; sha256: string } | undefined> {
  const row = await db
    .selectFrom('deployment_variants')
    .select(['organization_id', 'export_id', 'bundle_sha256'])
    .where('id', '=', id)
    .where('status', '=', 'success')
    .executeTakeFirst();
  if (row === undefined || row.export_id === null || row.bundle_sha256 === null) return undefined;
  return { organizationId: row.organization_id, exportId: row.export_id, sha256: row.bundle_sha256 };
}

/** The sites of a project that may need other releases for their readers now. */
export async function queueVariantsOf(
  db: Kysely<Database>,
  { projectId, site }: { projectId: string; site: 'production' | 'preview' },
): Promise<void> {
  const sites = await db
    .selectFrom('sites')
    .select('id')
    .where('project_id', '=', projectId)
    .where('label', site === 'production' ? 'is' : 'is not', null)
    .where('deployment_id', 'is not', null)
    .execute();
  for (const { id } of sites) await db.transaction().execute((tx) => queueVariants(tx, id));
}
