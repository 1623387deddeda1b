import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';

/** A host of the production of a project. */
export interface ServedHost {
  projectId: string;
  host: string;
  /** Another host to which it redirects; null: it serves the site. */
  redirectTo: string | null;
}

/**
 * The hosts that serve production; of one project, if one is named. A domain that several organizations name belongs to
 * the one that named it first.
 */
export async function servedHosts(db: Kysely<Database>, projectId?: string): Promise<ServedHost[]> {
  const { rows } = await sql<{ projectId: string; host: string }>`
    SELECT project_id AS "projectId", domain AS host FROM (
      SELECT DISTINCT ON (domain) domain, project_id FROM domains
      ${projectId === undefined ? sql`` : sql`WHERE domain IN (SELECT domain FROM domains WHERE project_id = ${projectId})`}
      ORDER BY domain, created_at, organization_id
    ) AS first
    ${projectId === undefined ? sql`` : sql`WHERE project_id = ${projectId}`}
    ORDER BY domain`.execute(db);
  return rows.map((row) => ({ ...row, redirectTo: null }));
}
