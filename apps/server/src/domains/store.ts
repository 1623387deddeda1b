import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, SiteDomainsTable } from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import type { Cursor } from '../platform/http/cursor.ts';

export type Db = Kysely<Database> | Transaction<Database>;

/** A domain with what is shown of other tables. */
export type DomainRow = Selectable<SiteDomainsTable> & {
  redirect_host: string | null;
  base_path: string;
};

/** Notifications on it: the hosts that are served have changed. */
export const HOSTS_CHANGED = 'offprint_hosts_changed';

const select = (db: Db) =>
  db
    .selectFrom('site_domains')
    .selectAll('site_domains')
    .select([
      sql<string | null>`(SELECT t.host FROM site_domains t WHERE t.id = site_domains.redirect_to)`.as(
        'redirect_host',
      ),
      sql<string>`(SELECT p.base_path FROM projects p WHERE p.id = site_domains.project_id)`.as('base_path'),
    ]);

/** What names a domain of an organization. */
export interface DomainKey {
  organizationId: string;
  projectId: string;
  id: string;
}

export function findDomain(db: Db, key: DomainKey): Promise<DomainRow | undefined> {
  return select(db)
    .where('organization_id', '=', key.organizationId)
    .where('project_id', '=', key.projectId)
    .where('id', '=', key.id)
    .executeTakeFirst();
}

export function listDomains(
  db: Db,
  { organizationId, projectId }: Omit<DomainKey, 'id'>,
  page: { after: Cursor | undefined; limit: number },
): Promise<DomainRow[]> {
  return select(db)
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .$call((query) => newestFirst(query, page))
    .execute();
}

export async function countDomains(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('site_domains')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return count;
}

/** False if the organization has the host already. */
export async function insertDomain(
  tx: Db,
  row: { id: string; organization_id: string; project_id: string; host: string; redirect_to: string | null },
): Promise<boolean> {
  const made = await tx
    .insertInto('site_domains')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'host']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** The domain of the project with this host. */
export function findHost(
  db: Db,
  projectId: string,
  host: string,
): Promise<{ id: string; redirect_to: string | null } | undefined> {
  return db
    .selectFrom('site_domains')
    .select(['id', 'redirect_to'])
    .where('project_id', '=', projectId)
    .where('host', '=', host)
    .executeTakeFirst();
}

/** Whether other domains are redirected to it. */
export async function isTarget(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('site_domains')
    .select('id')
    .where('redirect_to', '=', id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function setRedirect(tx: Db, key: DomainKey, target: string | null): Promise<void> {
  await tx
    .updateTable('site_domains')
    .set({ redirect_to: target })
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.id)
    .execute();
  await notifyHosts(tx);
}

/** False if it does not exist. */
export async function deleteDomain(tx: Db, key: DomainKey): Promise<boolean> {
  const row = await tx
    .deleteFrom('site_domains')
    .where('organization_id', '=', key.organizationId)
    .where('project_id', '=', key.projectId)
    .where('id', '=', key.id)
    .returning('id')
    .executeTakeFirst();
  await notifyHosts(tx);
  return row !== undefined;
}

/** Domains whose next check is due, without those that were checked in this run. */
export function listDue(
  db: Db,
  except: readonly string[],
  limit: number,
): Promise<{ id: string; organization_id: string; host: string }[]> {
  return db
    .selectFrom('site_domains')
    .select(['id', 'organization_id', 'host'])
    .where('next_check_at', '<=', sql<Date>`now()`)
    .where(sql<boolean>`id <> ALL (${[...except]}::text[])`)
    .orderBy('next_check_at')
    .limit(limit)
    .execute();
}

/** The domain, locked until the transaction ends, and the time of the database. */
export async function lockDomain(
  tx: Transaction<Database>,
  id: string,
): Promise<(Selectable<SiteDomainsTable> & { now: Date }) | undefined> {
  return tx
    .selectFrom('site_domains')
    .selectAll()
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Whether the installation has more than one organization. */
export async function hasSeveralOrganizations(db: Db): Promise<boolean> {
  return (await db.selectFrom('organizations').select('id').limit(2).execute()).length > 1;
}

export async function notifyHosts(db: Db): Promise<void> {
  await sql`SELECT pg_notify(${HOSTS_CHANGED}, '')`.execute(db);
}

/** A host on which the site of a project is served. */
export interface VerifiedHost {
  projectId: string;
  host: string;
  /** Host to which it redirects; null: it serves the site. */
  redirectTo: string | null;
  basePath: string;
}

/**
 * The verified hosts of a project, or of all, without wildcards. A redirect to a domain that is not verified is left out: its host
 * serves the site.
 */
export function verifiedHosts(db: Db, projectId?: string): Promise<VerifiedHost[]> {
  return db
    .selectFrom('site_domains')
    .innerJoin('projects', 'projects.id', 'site_domains.project_id')
    .leftJoin('site_domains as target', (join) =>
      join.onRef('target.id', '=', 'site_domains.redirect_to').on('target.state', '=', 'verified'),
    )
    .select(['site_domains.project_id as projectId', 'site_domains.host as host'])
    .select(['target.host as redirectTo', 'projects.base_path as basePath'])
    .$if(projectId !== undefined, (query) => query.where('site_domains.project_id', '=', projectId ?? ''))
    .where('site_domains.state', '=', 'verified')
    .where('site_domains.host', 'not like', '*.%')
    .orderBy('site_domains.host')
    .execute();
}

/** A domain below which the previews of a project have their hosts. */
export interface VerifiedWildcard {
  projectId: string;
  /** Without `*.`. */
  base: string;
}

/** The verified wildcards of a project, or of all, in the order of their names. */
export async function verifiedWildcards(db: Db, projectId?: string): Promise<VerifiedWildcard[]> {
  const rows = await db
    .selectFrom('site_domains')
    .select(['project_id', 'host'])
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId ?? ''))
    .where('state', '=', 'verified')
    .where('host', 'like', '*.%')
    .orderBy('host')
    .execute();
  return rows.map((row) => ({ projectId: row.project_id, base: row.host.slice(2) }));
}

/** Whether a host is verified by itself. Wildcards serve hosts of previews only, which have their own list. */
export async function isVerifiedHost(db: Db, host: string): Promise<boolean> {
  const row = await db
    .selectFrom('site_domains')
    .select('id')
    .where('host', '=', host)
    .where('state', '=', 'verified')
    .executeTakeFirst();
  return row !== undefined && !host.startsWith('*.');
}

/** The owner of a host that was verified by a file; undefined: none. */
export function findFileOwner(db: Db, host: string): Promise<{ organization_id: string } | undefined> {
  return db
    .selectFrom('site_domains')
    .select('organization_id')
    .where('host', '=', host)
    .where('state', '=', 'verified')
    .where('method', '=', 'file')
    .executeTakeFirst();
}
