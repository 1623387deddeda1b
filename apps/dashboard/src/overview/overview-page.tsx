import type { ExportJob, Project } from '@offprint/contract';
import { includesPlan, includesRole } from '@offprint/contract';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bot, CircleCheck, Minus, PackageOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import { agentKeys } from '../agent/live.ts';
import { AgentStatus, PullRequestLink } from '../agent/parts.tsx';
import { useApi } from '../api.ts';
import { isFinished } from '../exports/follow.ts';
import { exportKeys, listInterval } from '../exports/live.ts';
import {
  CommitOrigin,
  CommitSubject,
  ExportStatus,
  PhaseElapsed,
  pagesOf,
  pagesText,
} from '../exports/parts.tsx';
import { phaseOf } from '../exports/words.ts';
import { useAllProjects } from '../projects/all.ts';
import { useOrganization } from '../session.tsx';
import {
  Ago,
  ButtonLink,
  Card,
  Empty,
  Fault,
  NONE,
  PageHeader,
  Progress,
  Section,
  Skeleton,
  Table,
} from '../ui/index.ts';
import { Checklist } from './checklist-view.tsx';

/** Number of projects whose agent jobs are listed here; the page of agent jobs lists those of every project. */
const PROJECTS = 5;
const SHOWN = 5;

export function Page() {
  const organization = useOrganization();
  const api = useApi();
  const projects = useAllProjects();
  const exports = useQuery({
    queryKey: [...exportKeys.lists(organization.id), 'newest'],
    queryFn: ({ signal }) => api.listExports({ limit: 20 }, { signal }),
    refetchInterval: ({ state }) => listInterval(state.data?.data),
  });
  const fault =
    projects.data === undefined ? projects.error : exports.data === undefined ? exports.error : null;
  const retry = () => {
    void projects.refetch();
    void exports.refetch();
  };
  return (
    <>
      <PageHeader title={organization.name} />
      {fault !== null ? (
        <Fault error={fault} title="The overview did not load" retry={retry} />
      ) : projects.data === undefined || exports.data === undefined ? (
        <Skeleton shape="card" count={3} />
      ) : (
        <Overview projects={projects.data} jobs={exports.data.data} />
      )}
    </>
  );
}

function Overview({ projects, jobs }: { projects: readonly Project[]; jobs: readonly ExportJob[] }) {
  const { id: organizationId } = useOrganization();
  const active = jobs.filter((job) => !isFinished(job));
  return (
    <>
      <Checklist
        projects={projects.length}
        completedExports={jobs.filter((job) => job.status === 'completed').length}
      />
      {active.length > 0 && (
        <Section title="Running now">
          <div className="space-y-3">
            {active.map((job) => (
              <ActiveExport key={job.jobId} job={job} />
            ))}
          </div>
        </Section>
      )}
      {projects.length > 0 && (
        <>
          <Section
            title="Exports"
            action={
              <Link to="/$organizationId/exports" params={{ organizationId }} className="link text-sm">
                All exports
              </Link>
            }
          >
            <LastExports jobs={jobs.slice(0, SHOWN)} />
          </Section>
          <AgentJobs projects={projects} />
        </>
      )}
      <PlanSection />
    </>
  );
}

function ActiveExport({ job }: { job: ExportJob }) {
  const { id: organizationId } = useOrganization();
  return (
    <Card>
      <div className="mb-2.5 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 text-sm">
        <Link
          to="/$organizationId/exports/$jobId"
          params={{ organizationId, jobId: job.jobId }}
          className="min-w-0 break-words font-medium hover:underline"
        >
          {job.domain}
        </Link>
        <span className="text-muted tabular-nums">
          {phaseOf(job)}, <PhaseElapsed job={job} />
          {job.status === 'running' && ` · ${pagesText(job)} · ${Math.floor(job.progress)} %`}
        </span>
      </div>
      <Progress
        label={`Progress of ${job.domain}`}
        value={job.status === 'queued' ? undefined : job.progress}
      />
    </Card>
  );
}

function LastExports({ jobs }: { jobs: readonly ExportJob[] }) {
  const organization = useOrganization();
  const params = { organizationId: organization.id };
  if (jobs.length === 0) {
    return (
      <Empty
        icon={<PackageOpen />}
        title="No exports yet"
        action={
          <ButtonLink look="quiet" to="/$organizationId/exports" params={params}>
            Go to exports
          </ButtonLink>
        }
      >
        An export is the site of a domain as static files, packed in one archive that works on any host.
      </Empty>
    );
  }
  return (
    <Table
      label="Recent exports"
      rows={jobs}
      rowKey={({ jobId }) => jobId}
      columns={[
        {
          head: 'Export',
          width: '46%',
          cell: (job) => (
            <span className="block min-w-0">
              <Link
                to="/$organizationId/exports/$jobId"
                params={{ ...params, jobId: job.jobId }}
                className="break-words font-medium hover:underline"
              >
                {job.domain}
              </Link>
              {job.commitInfo !== null && (
                <span className="block text-sm">
                  <CommitSubject job={job} />
                </span>
              )}
              <span className="block text-muted text-xs">
                {[job.projectName, job.version].filter((text) => text !== null).join(' · ')}
              </span>
              <span className="block text-muted text-xs">
                <CommitOrigin job={job} />
              </span>
            </span>
          ),
        },
        { head: 'Status', cell: (job) => <ExportStatus job={job} /> },
        { head: 'Pages', align: 'end', cell: (job) => pagesOf(job) },
        { head: 'Started', align: 'end', cell: (job) => <Ago at={job.createdAt} /> },
      ]}
    />
  );
}

function AgentJobs({ projects }: { projects: readonly Project[] }) {
  const api = useApi();
  const { id: organizationId } = useOrganization();
  const git = projects.filter(({ source }) => source.kind === 'git').slice(0, PROJECTS);
  const results = useQueries({
    queries: git.map((project) => ({
      queryKey: [...agentKeys.lists(organizationId, project.id), 'newest'],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await api.listAgentJobs(project.id, { limit: SHOWN }, { signal })).data.map((job) => ({
          job,
          project,
        })),
      refetchInterval: 10_000,
    })),
  });
  const rows = results
    .flatMap(({ data }) => data ?? [])
    .sort((a, b) => (a.job.createdAt < b.job.createdAt ? 1 : -1))
    .slice(0, SHOWN);
  const isPending = results.some((result) => result.isPending);
  return (
    <Section
      title="Agent jobs"
      action={
        <Link to="/$organizationId/agent" params={{ organizationId }} className="link text-sm">
          All agent jobs
        </Link>
      }
    >
      {rows.length === 0 && isPending ? (
        <Skeleton count={2} />
      ) : rows.length === 0 ? (
        <Empty
          icon={<Bot />}
          title="No agent jobs yet"
          action={
            <ButtonLink look="quiet" to="/$organizationId/agent" params={{ organizationId }}>
              Go to agent jobs
            </ButtonLink>
          }
        >
          A prompt becomes a pull request on your docs repository.
        </Empty>
      ) : (
        <Table
          label="Recent agent jobs"
          rows={rows}
          rowKey={({ job }) => job.id}
          columns={[
            {
              head: 'Job',
              width: '46%',
              cell: ({ job, project }) => (
                <span className="block min-w-0">
                  <Link
                    to="/$organizationId/agent/$projectId/$jobId"
                    params={{ organizationId, projectId: project.id, jobId: job.id }}
                    className="break-words font-medium hover:underline"
                  >
                    {job.title}
                  </Link>
                  <span className="block break-words text-muted text-xs">{project.name}</span>
                </span>
              ),
            },
            { head: 'Status', cell: ({ job }) => <AgentStatus job={job} /> },
            {
              head: 'Pull request',
              align: 'end',
              cell: ({ job }) => (job.pullRequests.length === 0 ? NONE : <PullRequestLink job={job} />),
            },
            { head: 'Created', align: 'end', cell: ({ job }) => <Ago at={job.createdAt} /> },
          ]}
        />
      )}
    </Section>
  );
}

/** What the plan of the organization includes, and what it does not. */
function PlanSection() {
  const organization = useOrganization();
  const isAdmin = includesRole(organization.role, 'admin');
  return (
    <Section
      title={`The ${organization.plan} plan`}
      description={isAdmin ? 'An operator of this installation can change the plan.' : undefined}
    >
      <ul className="grid gap-2.5 text-sm sm:grid-cols-3">
        <Included is>Projects, members and keys</Included>
        <Included is={includesPlan(organization.plan, 'pro')}>
          Agent jobs{includesPlan(organization.plan, 'pro') ? '' : ' (pro plan)'}
        </Included>
        <Included is={includesPlan(organization.plan, 'enterprise')}>
          Static export{includesPlan(organization.plan, 'enterprise') ? '' : ' (enterprise plan)'}
        </Included>
      </ul>
    </Section>
  );
}

function Included({ is, children }: { is: boolean; children: ReactNode }) {
  const Icon = is ? CircleCheck : Minus;
  return (
    <li className={`flex items-center gap-2.5 rounded-card border px-4 py-3 ${is ? '' : 'text-muted'}`}>
      <Icon aria-hidden="true" className={`size-4.5 flex-none ${is ? 'text-success' : 'text-muted'}`} />
      <span>
        {children}
        <span className="sr-only">{is ? ' (included)' : ' (not included)'}</span>
      </span>
    </li>
  );
}
