import type { ReaderSite } from '@offprint/contract';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, ReaderAccessTable } from '../platform/db/database.ts';

type Db = Kysely<Database> | Transaction<Database>;

export type AccessRow = Selectable<ReaderAccessTable>;

export type AccessChanges = Partial<
  Omit<
    Insertable<ReaderAccessTable>,
    'project_id' | 'site' | 'organization_id' | 'key_version' | 'updated_at'
  >
>;

export interface SiteKey {
  organizationId: string;
  projectId: string;
  site: ReaderSite;
}

/** The stored access of the sites of a project. Callers have checked that the project is theirs. */
export function listAccess(db: Db, organizationId: string, projectId: string): Promise<AccessRow[]> {
  return db
    .selectFrom('reader_access')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .execute();
}

/** The stored access of projects of all organizations, for the list of all sites. */
export function listAllAccess(db: Db, projectIds: readonly string[]): Promise<AccessRow[]> {
  if (projectIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('reader_access')
    .selectAll()
    .where('project_id', '=', sql<string>`ANY(${[...new Set(projectIds)]}::text[])`)
    .execute();
}

export function findAccess(
  db: Db,
  { organizationId, projectId, site }: SiteKey,
): Promise<AccessRow | undefined> {
  return db
    .selectFrom('reader_access')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('site', '=', site)
    .executeTakeFirst();
}

/** Sets what is named and leaves the rest; `signsOut` ends all sessions of the site. */
export async function saveAccess(
  db: Db,
  { organizationId, projectId, site }: SiteKey,
  defaults: { kind: AccessRow['kind']; session_hours: number },
  changes: AccessChanges,
  signsOut: boolean,
): Promise<void> {
  await db
    .insertInto('reader_access')
    .values({
      organization_id: organizationId,
      project_id: projectId,
      site,
      ...defaults,
      ...changes,
      // a site without a row has sessions of the first version
      key_version: signsOut ? 2 : 1,
    })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'site']).doUpdateSet({
        ...changes,
        ...(signsOut ? { key_version: sql<number>`reader_access.key_version + 1` } : {}),
        updated_at: sql<Date>`now()`,
      }),
    )
    .execute();
}

/** Whether this is the first use of a token or a code, for all processes. `expiresAt`: when it can be forgotten. */
export async function useOnce(db: Db, digest: Buffer, expiresAt: Date): Promise<boolean> {
  const row = await db
    .insertInto('reader_used_tokens')
    .values({ digest, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('digest')
    .executeTakeFirst();
  return row !== undefined;
}

export async function forgetUsedTokens(db: Db): Promise<void> {
  await db.deleteFrom('reader_used_tokens').where('expires_at', '<', sql<Date>`now()`).execute();
}

/** A host and what it serves to readers. */
export interface SignInSite extends SiteKey {
  host: string;
  basePath: string;
}
