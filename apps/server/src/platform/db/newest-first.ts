import { type SelectQueryBuilder, sql } from 'kysely';

/**
 * One page of rows of a table with `created_at` and `id`, newest first: those after a place in the list, and
 * one more than the limit where there are more. Rows of one moment are ordered by their id, so none is shown
 * twice or left out when others are added or removed meanwhile.
 */
export function newestFirst<Schema, Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  { after, limit }: { after?: { createdAt: Date; id: string } | undefined; limit: number },
): SelectQueryBuilder<Schema, Table, Row> {
  const rest =
    after === undefined
      ? query
      : query.where(sql<boolean>`(created_at, id) < (${after.createdAt}, ${after.id})`);
  return rest
    .orderBy(sql`created_at`, 'desc')
    .orderBy(sql`id`, 'desc')
    .limit(limit + 1);
}
