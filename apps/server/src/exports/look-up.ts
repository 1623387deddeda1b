import { isWellFormedId } from '@offprint/contract';
import type { Kysely } from 'kysely';
import { batchLookups } from '../platform/db/batch.ts';
import type { Database } from '../platform/db/database.ts';
import { notFound } from '../platform/http/error.ts';
import { type ExportRow, findExports } from './store.ts';

/** Finds an export of the organization; undefined if it does not exist. */
export type LookUpExport = (organizationId: string, id: string) => Promise<ExportRow | undefined>;

/** Status polls come by the hundred; those that come together are one query. */
export function createLookUp(db: Kysely<Database>): LookUpExport {
  const nameOf = (organizationId: string, id: string) => JSON.stringify({ organizationId, id });
  const lookUp = batchLookups(async (names) => {
    const wanted = names.map((name) => JSON.parse(name) as { organizationId: string; id: string });
    const rows = await findExports(db, wanted);
    return new Map(rows.map((row) => [nameOf(row.organization_id, row.id), row]));
  });
  return async (organizationId, id) =>
    // What cannot be an id is not asked for together with what can.
    isWellFormedId('export', id) ? lookUp(nameOf(organizationId, id)) : undefined;
}

/** The export; throws the 404 if it does not exist. */
export async function requireExport(
  lookUp: LookUpExport,
  organizationId: string,
  id: string,
): Promise<ExportRow> {
  const row = await lookUp(organizationId, id);
  if (row === undefined) throw notFound('export');
  return row;
}
