import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';

/** Certificates of verified domains, by what an operator has to know of them. */
export interface CertificateCounts {
  /** In use, and renewed in time. */
  valid: number;
  /** In use, and not renewed although half of the time for it has passed. */
  expiring: number;
  expired: number;
  /** None was obtained, and the last order failed. */
  missing: number;
}

export async function countCertificates(db: Kysely<Database>): Promise<CertificateCounts> {
  const { rows } = await sql<CertificateCounts>`
    SELECT
      count(*) FILTER (WHERE s = 'valid')::int AS valid,
      count(*) FILTER (WHERE s = 'expiring')::int AS expiring,
      count(*) FILTER (WHERE s = 'expired')::int AS expired,
      count(*) FILTER (WHERE s = 'missing')::int AS missing
    FROM (
      SELECT CASE
        WHEN c.chain IS NULL THEN CASE WHEN c.failures > 0 THEN 'missing' END
        WHEN c.expires_at <= now() THEN 'expired'
        WHEN now() > c.renew_at + (c.expires_at - c.renew_at) / 2 THEN 'expiring'
        ELSE 'valid' END AS s
      FROM certificates c JOIN site_domains d ON d.id = c.domain_id
      WHERE d.state = 'verified') AS states`.execute(db);
  return rows[0] ?? { valid: 0, expiring: 0, expired: 0, missing: 0 };
}
