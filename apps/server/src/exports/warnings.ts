import type { ExportWarning } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { notFound } from '../platform/http/error.ts';
import { readProject } from '../projects/service.ts';
import { type SourceLink, sourceLinks } from './source-link.ts';
import type { Db } from './store.ts';

/** The warnings of an export, each with the page of its line at the forge, where that is known. */
export async function readWarnings(
  db: Kysely<Database>,
  organizationId: string,
  id: string,
): Promise<ExportWarning[]> {
  const row = await findWarnings(db, organizationId, id);
  if (row === undefined) throw notFound('export');
  const link = await findSourceLink(db, organizationId, row);
  return row.warnings.map((warning) => ({ ...warning, sourceUrl: link(warning.file, warning.line) }));
}

function findWarnings(db: Db, organizationId: string, id: string) {
  return db
    .selectFrom('exports')
    .select(['warnings', 'project_id', 'commit'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

async function findSourceLink(
  db: Kysely<Database>,
  organizationId: string,
  { project_id: projectId, commit }: { project_id: string | null; commit: string | null },
): Promise<SourceLink> {
  if (projectId === null || commit === null) return noLink;
  const project = await readProject(db, organizationId, projectId).catch(() => null);
  if (project?.source_kind !== 'git' || project.repository === null) return noLink;
  return sourceLinks({ repository: project.repository, folder: project.folder, commit });
}

const noLink: SourceLink = () => null;
