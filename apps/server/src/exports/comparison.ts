import type { ExportChanges } from '@offprint/contract';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { compareFiles } from './changes.ts';
import { type LookUpExport, requireExport } from './look-up.ts';
import { columns, type Db, type ExportRow } from './store.ts';
import { type ArtifactReader, requireArtifact } from './stored-artifact.ts';

/** What the export has that an earlier one (`since`, default the one before it) had not, and the other way round. */
export async function compareExports(
  { db, lookUp, artifacts }: { db: Kysely<Database>; lookUp: LookUpExport; artifacts: ArtifactReader },
  organizationId: string,
  id: string,
  since: string | undefined,
): Promise<ExportChanges> {
  const row = await requireExport(lookUp, organizationId, id);
  const after = await requireArtifact(artifacts, row);
  const other =
    since === undefined
      ? await findCompletedBefore(db, row)
      : await requireExport(lookUp, organizationId, since);
  const before = other === undefined ? [] : (await requireArtifact(artifacts, other)).manifest.files;
  return { jobId: id, since: other?.id ?? null, ...compareFiles(before, after.manifest.files) };
}

/** The completed export of the same domain that was started last before this one. */
function findCompletedBefore(db: Db, row: ExportRow): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .select(columns)
    .where('organization_id', '=', row.organization_id)
    .where('domain', '=', row.domain)
    .where('status', '=', 'completed')
    .where(sql<boolean>`(created_at, id) < (${row.created_at}, ${row.id})`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
