import type pg from 'pg';

/** What the rows of the database need of the store. */
export interface NeededObjects {
  /** Artifacts of completed exports, by organization and the digest of the bundle. */
  artifacts: { organizationId: string; bundle: string; bytes: number }[];
  /** Archives of uploaded sources. */
  uploads: { organizationId: string; sha256: string }[];
}

export async function readNeeded(client: pg.Client): Promise<NeededObjects> {
  const artifacts = await client.query<NeededObjects['artifacts'][number]>(
    `SELECT organization_id AS "organizationId", bundle_sha256 AS bundle, max(bundle_bytes) AS bytes FROM exports
     WHERE status = 'completed' AND bundle_sha256 IS NOT NULL
     GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const uploads = await client.query<NeededObjects['uploads'][number]>(
    `SELECT DISTINCT organization_id AS "organizationId", upload_sha256 AS sha256 FROM projects
     WHERE upload_sha256 IS NOT NULL ORDER BY 1, 2`,
  );
  return { artifacts: artifacts.rows, uploads: uploads.rows };
}
