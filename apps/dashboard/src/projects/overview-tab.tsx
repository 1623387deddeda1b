import type { ExportJob, Project } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { Package } from 'lucide-react';
import { useOrganizationId } from '../path-params.ts';
import { Empty, ExactTime, Facts, Fault, Id, PlanGate, Section, Skeleton, Table } from '../ui/index.ts';
import { useProjectExports } from './data.ts';
import { ExportLine } from './export-line.tsx';
import { deploymentLabel } from './features.ts';
import { SourceLine } from './source-line.tsx';

export function OverviewTab({ project }: { project: Project }) {
  return (
    <>
      <PlanGate plan="enterprise" feature="Static export" />
      <Section title="Project">
        <Facts
          facts={[
            ['Project id', <Id key="id" value={project.id} name="project id" />],
            ['Source', <SourceLine key="source" source={project.source} />],
            ['Domains', project.domains.length === 0 ? 'None yet' : project.domains.join(', ')],
            ['Deployment', deploymentLabel(project.deploymentType)],
            ['Created', <ExactTime key="created" at={project.createdAt} />],
          ]}
        />
      </Section>
      <LastExports project={project} />
    </>
  );
}

function LastExports({ project }: { project: Project }) {
  const organizationId = useOrganizationId();
  const { jobs, isPending, error, refetch } = useProjectExports(project, 5);
  return (
    <Section
      title="Recent exports"
      action={
        jobs.length > 0 ? (
          <Link to="/$organizationId/exports" params={{ organizationId }} className="link text-sm">
            All exports
          </Link>
        ) : undefined
      }
    >
      {error !== null ? (
        <Fault error={error} title="The exports did not load" retry={refetch} />
      ) : isPending ? (
        <Skeleton count={3} />
      ) : jobs.length === 0 ? (
        <Empty icon={<Package />} title="No exports yet">
          {project.domains.length === 0
            ? 'Each export is for a domain. Add a domain on the Domains tab, then start the first export.'
            : 'An export renders the whole site and packs it into one archive that works on any host.'}
        </Empty>
      ) : (
        <ExportTable jobs={jobs} />
      )}
    </Section>
  );
}

function ExportTable({ jobs }: { jobs: readonly ExportJob[] }) {
  return (
    <Table
      label="Recent exports"
      rows={jobs}
      rowKey={({ jobId }) => jobId}
      columns={[
        { head: 'Export', width: '34%', cell: (job) => <ExportLine job={job} /> },
        { head: 'Domain', width: '30%', cell: ({ domain }) => domain },
        {
          head: 'Version',
          width: '24%',
          cell: ({ version }) => (version === null ? '…' : <code className="text-[13px]">{version}</code>),
        },
        { head: 'Pages', width: '12%', align: 'end', cell: ({ pageCount }) => pageCount },
      ]}
    />
  );
}
