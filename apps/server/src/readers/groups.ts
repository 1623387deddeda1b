import { createHash } from 'node:crypto';
import type { ReaderAccessKind } from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { DEFAULT_KIND } from './settings.ts';
import { findAccess, type SiteKey } from './store.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** Combinations of groups that are kept for one site; those that were not seen for the longest time are forgotten. */
const MAX_COMBINATIONS = 1_000;
/** As long as a session can last. */
const KEPT_DAYS = 90;

/** The readers of a site. */
export interface SiteAudience {
  kind: ReaderAccessKind;
  /** Groups that readers are in together, the most frequent combination first. */
  combinations: string[][];
}

/** Records that a reader of these groups has signed in. True if no other reader has had the same ones. */
export async function recordGroups(
  db: Db,
  { organizationId, projectId, site }: SiteKey,
  groups: readonly string[],
): Promise<boolean> {
  const sorted = [...new Set(groups)].sort();
  if (sorted.length === 0) return false;
  const row = await db
    .insertInto('reader_groups')
    .values({
      organization_id: organizationId,
      project_id: projectId,
      site,
      digest: createHash('sha256').update(JSON.stringify(sorted)).digest(),
      groups: sorted,
    })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'site', 'digest']).doUpdateSet({
        sign_ins: sql<number>`reader_groups.sign_ins + 1`,
        last_at: sql<Date>`now()`,
      }),
    )
    .returning('sign_ins')
    .executeTakeFirstOrThrow();
  return row.sign_ins === 1;
}

export async function readAudience(db: Db, site: SiteKey): Promise<SiteAudience> {
  const row = await findAccess(db, site);
  const rows = await db
    .selectFrom('reader_groups')
    .select('groups')
    .where('organization_id', '=', site.organizationId)
    .where('project_id', '=', site.projectId)
    .where('site', '=', site.site)
    .orderBy('sign_ins', 'desc')
    .orderBy('last_at', 'desc')
    .limit(MAX_COMBINATIONS)
    .execute();
  return { kind: row?.kind ?? DEFAULT_KIND[site.site], combinations: rows.map(({ groups }) => groups) };
}

/** Deletes combinations that no session can have any more, and the oldest of sites that have too many. */
export async function forgetGroups(db: Db): Promise<void> {
  await sql`
    DELETE FROM reader_groups USING (
      SELECT project_id, site, digest, last_at,
        row_number() OVER (PARTITION BY project_id, site ORDER BY last_at DESC) AS place
      FROM reader_groups
    ) AS ranked
    WHERE reader_groups.project_id = ranked.project_id AND reader_groups.site = ranked.site
      AND reader_groups.digest = ranked.digest
      AND (ranked.place > ${MAX_COMBINATIONS} OR ranked.last_at < now() - make_interval(days => ${KEPT_DAYS}))`.execute(
    db,
  );
}
