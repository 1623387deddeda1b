import type pg from 'pg';

/** What the rows of the database need of the store. */
export interface NeededObjects {
  /** Artifacts of completed exports, by organization and the digest of the bundle. */
  artifacts: { organizationId: string; bundle: string; bytes: number }[];
  /** Archives of uploaded sources. */
  uploads: { organizationId: string; sha256: string }[];
  /** Files of vectors beside artifacts; what is missing is made again. */
  vectors: { organizationId: string; bundle: string; sha256: string }[];
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
  return { artifacts: artifacts.rows, uploads: uploads.rows, vectors: await readNeededVectors(client) };
}

async function readNeededVectors(client: pg.Client): Promise<NeededObjects['vectors']> {
  // A database that is backed up or moved may be older than the table.
  const table = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('bundle_vectors') IS NOT NULL AS exists`,
  );
  if (table.rows[0]?.exists !== true) return [];
  const vectors = await client.query<NeededObjects['vectors'][number]>(
    `SELECT DISTINCT organization_id AS "organizationId", bundle_sha256 AS bundle, file_sha256 AS sha256
     FROM bundle_vectors WHERE state = 'stored' ORDER BY 1, 2, 3`,
  );
  return vectors.rows;
}
