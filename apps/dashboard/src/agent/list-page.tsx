import type { AgentJob, AgentJobStatus } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useApi } from '../api.ts';
import { useAllProjects } from '../projects/all.ts';
import { useOrganization } from '../session.tsx';
import { readStored, writeStored } from '../theme.ts';
import {
  Ago,
  Button,
  Empty,
  Fault,
  FilterSelect,
  Filters,
  Listing,
  NONE,
  PageHeader,
  PlanGate,
  Skeleton,
  StatusFilter,
  Table,
  useCursorList,
  useSearchParam,
} from '../ui/index.ts';
import { agentKeys } from './live.ts';
import { NewJobDialog } from './new-job-dialog.tsx';
import { AgentStatus, PullRequestLink, UsageWords } from './parts.tsx';
import { Readiness, useAgentSettings, useCreateGate } from './readiness.tsx';

const STATES: readonly AgentJobStatus[] = ['active', 'completed', 'failed', 'archived'];
const LIVE_MS = 3_000;
const IDLE_MS = 20_000;
/** The project seen last, by organization. */
const LAST = 'offprint.agent-project.';

export function Page() {
  const { id: organizationId } = useOrganization();
  const [chosen, choose] = useSearchParam('project');
  const [state, setState] = useSearchParam('status');
  const [creating, setCreating] = useSearchParam('new');
  const projects = useAllProjects();
  const all = projects.data ?? [];
  const remembered = readStored(LAST + organizationId);
  const project =
    all.find(({ id }) => id === chosen) ??
    all.find(({ id }) => chosen === '' && id === remembered) ??
    all.find(({ source }) => source.kind === 'git') ??
    all[0];
  const projectId = project?.id;
  useEffect(() => {
    if (projectId !== undefined) writeStored(LAST + organizationId, projectId);
  }, [organizationId, projectId]);
  const settings = useAgentSettings(projectId);
  const reason = useCreateGate(project, settings.data);
  const status = STATES.find((each) => each === state);
  const create = (
    <Button reason={reason} onClick={() => setCreating('yes')}>
      New job
    </Button>
  );
  const nothing = (
    <Empty icon={<Bot />} title="No agent jobs yet" action={create}>
      Give the agent a prompt. It edits the docs of a project, checks the result as an export would, and opens
      a pull request that people review and merge. It requires:
      <Readiness project={project} settings={settings.data} error={settings.error} />
    </Empty>
  );
  return (
    <>
      <PageHeader
        title="Agent jobs"
        description="A prompt becomes a pull request on your docs repository."
        action={create}
      />
      <PlanGate plan="pro" feature="The agent" />
      {projects.error !== null && projects.data === undefined ? (
        <Fault
          error={projects.error}
          title="The projects did not load"
          retry={() => void projects.refetch()}
        />
      ) : projects.data === undefined ? (
        <Skeleton />
      ) : project === undefined ? (
        nothing
      ) : (
        <>
          <Filters label="Agent jobs">
            <FilterSelect
              label="Project"
              value={project.id}
              onChange={choose}
              options={all.map(({ id, name, source }) => ({
                value: id,
                label: source.kind === 'git' ? name : `${name} (source: ${source.kind})`,
              }))}
              className="sm:w-72"
            />
            <StatusFilter value={status} onChange={setState} states={STATES} />
          </Filters>
          <Jobs
            projectId={project.id}
            status={status}
            empty={
              status === undefined ? (
                nothing
              ) : (
                <Empty
                  icon={<Bot />}
                  title={`No ${status} jobs`}
                  action={
                    <Button look="quiet" onClick={() => setState('')}>
                      Show all jobs
                    </Button>
                  }
                >
                  {project.name} has no {status} jobs.
                </Empty>
              )
            }
          />
          <NewJobDialog
            open={creating !== '' && reason === null}
            onClose={() => setCreating('')}
            project={project}
            settings={settings.data}
          />
        </>
      )}
    </>
  );
}

interface JobsProps {
  projectId: string;
  status: AgentJobStatus | undefined;
  empty: ReactNode;
}

function Jobs({ projectId, status, empty }: JobsProps) {
  const api = useApi();
  const { id: organizationId } = useOrganization();
  const list = useCursorList<AgentJob>(
    [...agentKeys.lists(organizationId, projectId), status ?? ''],
    (query, signal) =>
      api.listAgentJobs(projectId, { ...query, ...(status === undefined ? {} : { status }) }, { signal }),
    { refetchInterval: (jobs) => (jobs.some((job) => job.status === 'active') ? LIVE_MS : IDLE_MS) },
  );
  return (
    <Listing list={list} fault="The jobs did not load" empty={empty}>
      {(jobs) => (
        <Table
          label="Agent jobs"
          rows={jobs}
          rowKey={({ id }) => id}
          columns={[
            { head: 'Job', width: '38%', cell: (job) => <Name job={job} projectId={projectId} /> },
            { head: 'Status', width: '120px', cell: (job) => <AgentStatus job={job} /> },
            {
              head: 'Pull request',
              cell: (job) =>
                job.pullRequests.length === 0 && job.prLink === null ? NONE : <PullRequestLink job={job} />,
            },
            { head: 'Tokens', cell: (job) => <UsageWords usage={job.usage} /> },
            {
              head: 'Created',
              align: 'end',
              cell: (job) => <Ago at={job.createdAt} />,
            },
          ]}
        />
      )}
    </Listing>
  );
}

function Name({ job, projectId }: { job: AgentJob; projectId: string }) {
  const { id: organizationId } = useOrganization();
  return (
    <span className="block min-w-0">
      <Link
        to="/$organizationId/agent/$projectId/$jobId"
        params={{ organizationId, projectId, jobId: job.id }}
        className="break-words font-medium hover:underline"
      >
        {job.title}
      </Link>
      <span className="block text-muted text-xs">
        {job.model}
        {job.source.ref !== null && (
          <>
            {' · '}
            <code>{job.source.ref}</code>
          </>
        )}
      </span>
    </span>
  );
}
