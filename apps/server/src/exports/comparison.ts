import type { ChangeReport, ExportChanges, ExportPageChanges } from '@offprint/contract';
import { type Kysely, sql } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { isWithinProjects } from '../platform/db/within-projects.ts';
import { notFound } from '../platform/http/error.ts';
import type { Reach } from '../platform/http/route.ts';
import { readStoredLinks } from './artifact.ts';
import { makeReport, type ReportSide } from './change-report.ts';
import { compareFiles } from './changes.ts';
import { readLinkRecord } from './link-record.ts';
import { knownSite } from './link-site.ts';
import { type LookUpExport, requireExport } from './look-up.ts';
import { describePageChanges } from './page-changes.ts';
import type { RunQueries } from './run-queries.ts';
import { columns, type Db, type ExportRow } from './store.ts';
import type { OpenExport, StoredArtifact } from './stored-artifact.ts';

export interface ComparisonAdapters {
  db: Kysely<Database>;
  lookUp: LookUpExport;
  openExport: OpenExport;
}

/** An export and the one to compare it with: `since`, or by default the one before it. */
interface Wanted {
  reach: Reach;
  id: string;
  since: string | undefined;
}

/** What differs between the export and the other one. */
export async function compareExports(adapters: ComparisonAdapters, wanted: Wanted): Promise<ExportChanges> {
  const { since, before, after } = await openBoth(adapters, wanted);
  return {
    jobId: wanted.id,
    since,
    ...compareFiles(before?.artifact.manifest.files ?? [], after.manifest.files),
  };
}

/** What differs in one page. */
export async function compareExportPage(
  adapters: ComparisonAdapters,
  wanted: Wanted & { path: string },
): Promise<ExportPageChanges> {
  const { since, before, after } = await openBoth(adapters, wanted);
  return {
    jobId: wanted.id,
    since,
    ...(await describePageChanges(before?.artifact ?? null, after, wanted.path)),
  };
}

export interface ReportAdapters extends ComparisonAdapters {
  blobs: BlobStore;
  runQueries: RunQueries;
}

/** What changes for readers: pages, links that production has served, and test queries. */
export async function reportExports(adapters: ReportAdapters, wanted: Wanted): Promise<ChangeReport> {
  const { db, runQueries } = adapters;
  const { row, since, before, after } = await openBoth(adapters, wanted);
  const sideOf = async (artifact: StoredArtifact, of: ExportRow): Promise<ReportSide> => {
    const { organization_id: organizationId, bundle_sha256: bundle } = of;
    const links = bundle === null ? null : await readStoredLinks(adapters.blobs, organizationId, bundle);
    return { files: artifact.manifest.files, site: await knownSite(artifact.manifest, links) };
  };
  const now = await sideOf(after, row);
  const earlier = before === null ? { ...now, files: [] } : await sideOf(before.artifact, before.row);
  const record =
    row.project_id === null ? null : await readLinkRecord(db, row.organization_id, row.project_id);
  const queries = now.site.facts.queries.map(({ query }) => query);
  const results = await runQueries([after, ...(before === null ? [] : [before.artifact])], queries);
  const report = await makeReport(earlier, now, record, {
    before: results[1] ?? [],
    after: results[0] ?? [],
  });
  return { jobId: wanted.id, since, ...report };
}

async function openBoth({ db, lookUp, openExport }: ComparisonAdapters, { reach, id, since }: Wanted) {
  const { organizationId, projects } = reach;
  const row = await requireExport(lookUp, organizationId, id);
  const after = await openExport(row);
  const other =
    since === undefined
      ? await findCompletedBefore(db, projects, row)
      : await requireExport(lookUp, organizationId, since);
  // A domain can move between projects, so the other one may belong to a project that the caller must not see.
  if (other !== undefined && !isReached(projects, other)) throw notFound('export');
  const before = other === undefined ? null : { row: other, artifact: await openExport(other) };
  return { since: other?.id ?? null, row, before, after };
}

const isReached = (projects: Reach['projects'], { project_id: id }: ExportRow): boolean =>
  projects === null || (id !== null && projects.includes(id));

/** The completed export of the same domain that was started last before this one. */
function findCompletedBefore(
  db: Db,
  projects: Reach['projects'],
  row: ExportRow,
): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .select(columns)
    .where('organization_id', '=', row.organization_id)
    .where('domain', '=', row.domain)
    .where('is_variant', '=', row.is_variant)
    .where('status', '=', 'completed')
    .where(isWithinProjects(projects))
    .where(sql<boolean>`(created_at, id) < (${row.created_at}, ${row.id})`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
