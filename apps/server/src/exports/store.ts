import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, ExportStatus, ExportsTable } from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import { isWithinProjects } from '../platform/db/within-projects.ts';
import type { Cursor } from '../platform/http/cursor.ts';
import type { Reach } from '../platform/http/route.ts';

export type Db = Kysely<Database> | Transaction<Database>;

/** An export with the name of its project, and without its warnings, which can be many. */
export type ExportRow = Omit<
  Selectable<ExportsTable>,
  'warnings' | 'failures' | 'queue_entry' | 'heartbeat_at'
> & {
  project_name: string | null;
  /** Null: the artifact is stored, as far as is known. */
  loss: 'restoring' | 'lost' | null;
};

const projectName = sql<string | null>`(
  SELECT name FROM projects
  WHERE projects.id = exports.project_id AND projects.organization_id = exports.organization_id
)`.as('project_name');

const loss = sql<'restoring' | 'lost' | null>`(
  SELECT CASE state WHEN 'lost' THEN 'lost' ELSE 'restoring' END FROM lost_artifacts
  WHERE lost_artifacts.organization_id = exports.organization_id
    AND lost_artifacts.bundle_sha256 = exports.bundle_sha256
)`.as('loss');

export const columns = [
  'id',
  'organization_id',
  'project_id',
  'domain',
  'status',
  'attempt',
  'version_requested',
  'ref_requested',
  'paths',
  'include_unlisted',
  'groups',
  'public_only',
  'is_variant',
  'page_access',
  'services',
  'version',
  'commit',
  'commit_info',
  'phase',
  'phase_started_at',
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
  'completed_at',
  projectName,
  loss,
] as const;

/**
 * All pages with the default options and without services of the platform: what readers of the domain are to see, of
 * whichever ref, on any server.
 */
export const isFullExport = sql<boolean>`(
  paths IS NULL AND include_unlisted AND groups = '[]' AND services = '{}' AND NOT is_variant)`;

/** Everything of the published branch: what deployments that follow a domain are given. */
export const isPublishedExport = sql<boolean>`(${isFullExport} AND ref_requested IS NULL)`;

export function findExport(db: Db, organizationId: string, id: string): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** A completed export of the organization that made this bundle. */
export function findExportOfBundle(
  db: Db,
  organizationId: string,
  sha256: string,
): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('bundle_sha256', '=', sha256)
    .where('status', '=', 'completed')
    .limit(1)
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

export function listExports(
  db: Db,
  { organizationId, projects }: Reach,
  page: {
    domain: string | undefined;
    projectId: string | undefined;
    status: ExportStatus | undefined;
    after: Cursor | undefined;
    limit: number;
  },
): Promise<ExportRow[]> {
  const { domain, projectId, status } = page;
  let query = db
    .selectFrom('exports')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('is_variant', '=', false)
    .where(isWithinProjects(projects));
  if (domain !== undefined) query = query.where('domain', '=', domain);
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (status !== undefined) query = query.where('status', '=', status);
  return newestFirst(query, page).execute();
}
