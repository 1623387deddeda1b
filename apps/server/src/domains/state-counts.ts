import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';

/** Claimed domains of the installation by state, as the API names the states. */
export interface DomainCounts {
  pending: number;
  verified: number;
  /** Verified, and the last check did not find the proof. */
  failing: number;
  expired: number;
}

export async function countDomainStates(db: Kysely<Database>): Promise<DomainCounts> {
  const { rows } = await sql<DomainCounts>`
    SELECT
      count(*) FILTER (WHERE state = 'pending')::int AS pending,
      count(*) FILTER (WHERE state = 'verified' AND failing_since IS NULL)::int AS verified,
      count(*) FILTER (WHERE state = 'verified' AND failing_since IS NOT NULL)::int AS failing,
      count(*) FILTER (WHERE state = 'expired')::int AS expired
    FROM site_domains`.execute(db);
  return rows[0] ?? { pending: 0, verified: 0, failing: 0, expired: 0 };
}
