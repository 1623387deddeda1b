import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from './database.ts';

/**
 * How many rows of the table the organization has made in the last hour, and the seconds until the oldest of them is
 * out of it. Hold a lock on the organization where the count must not grow before the next row.
 */
export async function countOfLastHour(
  db: Kysely<Database> | Transaction<Database>,
  table: 'api_keys' | 'invitations',
  organizationId: string,
): Promise<{ count: number; retryAfter: number }> {
  const { rows } = await sql<{ count: number; wait: number | null }>`
    SELECT count(*)::int AS count,
      greatest(1, ceil(extract(epoch FROM min(created_at) + interval '1 hour' - now())))::int AS wait
    FROM ${sql.table(table)}
    WHERE organization_id = ${organizationId} AND created_at > now() - interval '1 hour'
  `.execute(db);
  return { count: rows[0]?.count ?? 0, retryAfter: rows[0]?.wait ?? 1 };
}
