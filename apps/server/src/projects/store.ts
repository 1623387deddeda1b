import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, DeploymentType, ProjectsTable, SourceKind } from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import { isWithinProjects } from '../platform/db/within-projects.ts';
import type { Cursor } from '../platform/http/cursor.ts';
import type { Reach } from '../platform/http/route.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** A project with its domains in order. */
export type ProjectRow = Selectable<ProjectsTable> & { domains: string[] };

/** The columns that say where the docs come from. */
export interface SourceColumns {
  source_kind: SourceKind;
  repository: string | null;
  branch: string | null;
  folder: string;
  credential_sealed: Buffer | null;
}

const domainsOf = sql<string[]>`coalesce(
  (SELECT array_agg(d.domain ORDER BY d.domain) FROM domains d WHERE d.project_id = projects.id), '{}')`.as(
  'domains',
);

const select = (db: Db) => db.selectFrom('projects').selectAll().select(domainsOf);

export async function insertProject(
  db: Db,
  project: {
    id: string;
    organization_id: string;
    name: string;
    deployment_type: DeploymentType;
    base_path: string;
  } & SourceColumns,
): Promise<void> {
  await db.insertInto('projects').values(project).execute();
}

export function findProject(db: Db, organizationId: string, id: string): Promise<ProjectRow | undefined> {
  return select(db).where('organization_id', '=', organizationId).where('id', '=', id).executeTakeFirst();
}

/** The project that publishes on the domain within the organization. */
export function findProjectByDomain(
  db: Db,
  organizationId: string,
  domain: string,
): Promise<ProjectRow | undefined> {
  return select(db)
    .where('organization_id', '=', organizationId)
    .where('id', '=', (eb) =>
      eb
        .selectFrom('domains')
        .select('project_id')
        .where('domains.organization_id', '=', organizationId)
        .where('domain', '=', domain),
    )
    .executeTakeFirst();
}

export function listProjects(
  db: Db,
  { organizationId, projects }: Reach,
  page: { after: Cursor | undefined; limit: number },
): Promise<ProjectRow[]> {
  return select(db)
    .where('organization_id', '=', organizationId)
    .where(isWithinProjects(projects, 'projects.id'))
    .$call((query) => newestFirst(query, page))
    .execute();
}

export async function updateProject(
  db: Db,
  organizationId: string,
  id: string,
  changes: Partial<
    SourceColumns & {
      name: string;
      deployment_type: DeploymentType;
      base_path: string;
      upload_sha256: string | null;
      /** As JSON. */
      features: string;
    }
  >,
): Promise<void> {
  await db
    .updateTable('projects')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/** Locked until the transaction ends by code that changes a part of the row based on its value. */
export async function lockProject(
  tx: Transaction<Database>,
  organizationId: string,
  id: string,
): Promise<void> {
  await tx
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute();
}

/** Deletes a project with its domains and returns its former source; undefined if it did not exist. */
export function deleteProject(
  db: Db,
  organizationId: string,
  id: string,
): Promise<{ upload_sha256: string | null } | undefined> {
  return db
    .deleteFrom('projects')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning('upload_sha256')
    .executeTakeFirst();
}

/** Gives a project another archive and returns the one before; undefined when it takes no uploads or is gone. */
export async function replaceUpload(
  tx: Transaction<Database>,
  organizationId: string,
  id: string,
  sha256: string,
): Promise<{ upload_sha256: string | null } | undefined> {
  const before = await tx
    .selectFrom('projects')
    .select('upload_sha256')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('source_kind', '=', 'upload')
    .forUpdate()
    .executeTakeFirst();
  if (before !== undefined) await updateProject(tx, organizationId, id, { upload_sha256: sha256 });
  return before;
}

/**
 * Locked until the transaction ends by code that references or removes an archive, so that one of the two
 * sees the change of the other.
 */
export async function lockUpload(
  tx: Transaction<Database>,
  organizationId: string,
  sha256: string,
): Promise<void> {
  const name = JSON.stringify(['upload', organizationId, sha256]);
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

/** Makes these the domains of the project; returns the one that another project has, or null. */
export async function replaceDomains(
  tx: Transaction<Database>,
  organizationId: string,
  projectId: string,
  domains: readonly string[],
): Promise<string | null> {
  await tx
    .deleteFrom('domains')
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .$if(domains.length > 0, (query) => query.where('domain', 'not in', [...domains]))
    .execute();
  // In one order everywhere, so that two projects that swap domains wait for each other and do not deadlock.
  for (const domain of [...domains].sort()) {
    const row = await tx
      .insertInto('domains')
      .values({ organization_id: organizationId, domain, project_id: projectId })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'domain'])
          .doUpdateSet({ domain })
          .where('domains.project_id', '=', projectId),
      )
      .returning('project_id')
      .executeTakeFirst();
    if (row === undefined) return domain;
  }
  return null;
}

/** Adds a domain to the project. False if another project of the organization has it. */
export async function addProjectDomain(
  tx: Db,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  domain: string,
): Promise<boolean> {
  await tx
    .insertInto('domains')
    .values({ organization_id: organizationId, domain, project_id: projectId })
    .onConflict((conflict) => conflict.columns(['organization_id', 'domain']).doNothing())
    .execute();
  const owner = await tx
    .selectFrom('domains')
    .select('project_id')
    .where('organization_id', '=', organizationId)
    .where('domain', '=', domain)
    .executeTakeFirst();
  return owner?.project_id === projectId;
}

/** Whether another project of the organization has this archive as its source. */
export async function usesUpload(db: Db, organizationId: string, sha256: string): Promise<boolean> {
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('upload_sha256', '=', sha256)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The first of these that is not the id of a project of the organization; undefined: all are. */
export async function findUnknownProject(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<string | undefined> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`id = ANY (${[...ids]}::text[])`)
    .execute();
  return ids.find((id) => !rows.some((row) => row.id === id));
}
