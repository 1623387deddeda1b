import type { ExportList, Project } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { BookOpen } from 'lucide-react';
import { useOrganizationId } from '../path-params.ts';
import { ButtonLink, Empty, Listing, PageHeader, Table, Time, useGate } from '../ui/index.ts';
import { useProjectExports, useProjects, useRecentExports } from './data.ts';
import { ExportLine } from './export-line.tsx';
import { deploymentLabel } from './features.ts';
import { SourceLine } from './source-line.tsx';

export function Page() {
  const organizationId = useOrganizationId();
  const list = useProjects();
  const recent = useRecentExports();
  const mayEdit = useGate({ role: 'editor' }) === null;
  const action = mayEdit ? (
    <ButtonLink to="/$organizationId/projects/new" params={{ organizationId }}>
      New project
    </ButtonLink>
  ) : undefined;
  return (
    <>
      <PageHeader
        title="Projects"
        description="A project is a docs source and the domains where it is published."
        action={list.items.length > 0 ? action : undefined}
      />
      <Listing
        list={list}
        fault="The projects did not load"
        empty={
          <Empty icon={<BookOpen />} title="Connect your docs" action={action}>
            A project is a folder with a docs.json and MDX pages: in a Git repository, uploaded from this
            computer, or a starter site. Each export is one archive of the whole site.
            {!mayEdit && ' Ask an editor or admin of the organization to create the first one.'}
          </Empty>
        }
      >
        {(projects) => (
          <Table
            label="Projects"
            rows={projects}
            rowKey={({ id }) => id}
            columns={[
              { head: 'Project', width: '24%', cell: (project) => <NameCell project={project} /> },
              { head: 'Source', width: '26%', cell: ({ source }) => <SourceLine source={source} /> },
              { head: 'Domains', width: '20%', cell: ({ domains }) => <Domains domains={domains} /> },
              {
                head: 'Deployment',
                width: '12%',
                cell: ({ deploymentType }) => deploymentLabel(deploymentType),
              },
              {
                head: 'Last export',
                width: '18%',
                cell: (project) => <LastExport project={project} recent={recent.data} />,
              },
            ]}
          />
        )}
      </Listing>
    </>
  );
}

function NameCell({ project }: { project: Project }) {
  const organizationId = useOrganizationId();
  return (
    <span className="block min-w-0">
      <Link
        to="/$organizationId/projects/$projectId"
        params={{ organizationId, projectId: project.id }}
        className="break-words font-medium underline decoration-transparent underline-offset-3 hover:decoration-current"
      >
        {project.name}
      </Link>
      <span className="block text-muted text-xs leading-5">
        Changed <Time at={project.updatedAt} />
      </span>
    </span>
  );
}

function Domains({ domains }: { domains: readonly string[] }) {
  if (domains.length === 0) return <span className="text-muted">None yet</span>;
  return (
    <span className="block min-w-0">
      <span className="block break-words">{domains[0]}</span>
      {domains.length > 1 && (
        <span className="block text-muted text-xs leading-5" title={domains.slice(1).join('\n')}>
          and {domains.length - 1} more
        </span>
      )}
    </span>
  );
}

/** The newest of the recent exports, else, where there are more than those, asked for by domain. */
function LastExport({ project, recent }: { project: Project; recent: ExportList | undefined }) {
  const found = recent?.data.find(({ projectId }) => projectId === project.id);
  const isOlder = recent !== undefined && found === undefined && recent.nextCursor !== null;
  const older = useProjectExports(project, 1, isOlder);
  const job = found ?? older.jobs[0];
  if (job !== undefined) return <ExportLine job={job} />;
  if (recent === undefined || older.isPending) return <span className="text-muted">…</span>;
  return <span className="text-muted">Never</span>;
}
