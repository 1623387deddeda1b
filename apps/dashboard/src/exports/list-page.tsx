import type { ExportJob, ExportStatus as State } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { PackageOpen } from 'lucide-react';
import { useApi } from '../api.ts';
import { useAllProjects } from '../projects/all.ts';
import { useOrganization } from '../session.tsx';
import {
  Ago,
  Button,
  ButtonLink,
  count,
  Empty,
  FilterSelect,
  Filters,
  Id,
  Listing,
  NONE,
  PageHeader,
  PlanGate,
  Progress,
  StatusFilter,
  Table,
  useCursorList,
  useGate,
  useSearchParam,
} from '../ui/index.ts';
import { isFinished } from './follow.ts';
import { exportKeys, listInterval } from './live.ts';
import {
  CommitOrigin,
  CommitSubject,
  Elapsed,
  ExportStatus,
  PhaseElapsed,
  pagesOf,
  StartedBy,
} from './parts.tsx';
import { StartDialog } from './start-dialog.tsx';
import { phaseOf } from './words.ts';

const STATES: readonly State[] = ['queued', 'running', 'completed', 'failed'];

export function Page() {
  const api = useApi();
  const { id: organizationId } = useOrganization();
  const [domain, setDomain] = useSearchParam('domain');
  const [state, setState] = useSearchParam('status');
  const [starting, setStarting] = useSearchParam('start');
  const reason = useGate({ plan: 'enterprise', role: 'editor' });
  const status = STATES.find((each) => each === state);
  const projects = useAllProjects();
  const isFiltered = domain !== '' || status !== undefined;
  const list = useCursorList(
    [...exportKeys.lists(organizationId), 'list', domain, status ?? ''],
    (query, signal) =>
      api.listExports(
        { ...query, ...(domain === '' ? {} : { domain }), ...(status === undefined ? {} : { status }) },
        { signal },
      ),
    { refetchInterval: listInterval },
  );
  const known = (projects.data ?? []).flatMap((project) => project.domains);
  const domains = domain === '' || known.includes(domain) ? known : [domain, ...known];
  const start = (
    <Button reason={reason} onClick={() => setStarting('yes')}>
      Start export
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Exports"
        description="Static sites, each packed in one archive that works on any host and loads nothing from other hosts."
        action={start}
      />
      <PlanGate plan="enterprise" feature="Static export" />
      {(isFiltered || list.items.length > 0) && (
        <Filters label="Exports">
          <FilterSelect
            label="Domain"
            all="All domains"
            value={domain}
            onChange={setDomain}
            options={domains.map((each) => ({ value: each, label: each }))}
            className="sm:w-72"
          />
          <StatusFilter value={status} onChange={setState} states={STATES} />
        </Filters>
      )}
      <Listing
        list={list}
        fault="The exports did not load"
        empty={
          isFiltered ? (
            <Empty
              icon={<PackageOpen />}
              title="No exports match"
              action={
                <ButtonLink look="quiet" to="/$organizationId/exports" params={{ organizationId }}>
                  Show all exports
                </ButtonLink>
              }
            >
              No export has this domain and status.
            </Empty>
          ) : (
            <Empty icon={<PackageOpen />} title="No exports yet" action={start}>
              An export renders every page of a domain and packs the files into one archive. Unpack it on any
              static host, or give a deployment the link. Pushes and schedules can start exports too: see the
              Automation tab of a project.
            </Empty>
          )
        }
      >
        {(jobs) => <ExportTable jobs={jobs} organizationId={organizationId} />}
      </Listing>
      <StartDialog
        open={starting !== '' && reason === null}
        onClose={() => setStarting('')}
        initial={domain === '' ? {} : { domain }}
      />
    </>
  );
}

function ExportTable({ jobs, organizationId }: { jobs: readonly ExportJob[]; organizationId: string }) {
  return (
    <Table
      label="Exports"
      rows={jobs}
      rowKey={({ jobId }) => jobId}
      columns={[
        { head: 'Export', width: '32%', cell: (job) => <Name job={job} organizationId={organizationId} /> },
        {
          head: 'Status',
          width: '130px',
          cell: (job) => (
            <span className="inline-flex flex-col gap-1.5">
              <ExportStatus job={job} />
              {!isFinished(job) && (
                <>
                  <Progress
                    label={`Progress of ${job.domain}`}
                    value={job.status === 'queued' ? undefined : job.progress}
                  />
                  <span className="text-muted text-xs tabular-nums">
                    {phaseOf(job)}, <PhaseElapsed job={job} />
                  </span>
                </>
              )}
            </span>
          ),
        },
        {
          head: 'Pages',
          align: 'end',
          cell: (job) => <span className="whitespace-nowrap">{pagesOf(job)}</span>,
        },
        {
          head: 'Time',
          align: 'end',
          extra: true,
          cell: (job) => (
            <span className="whitespace-nowrap">
              <Elapsed job={job} />
            </span>
          ),
        },
        { head: 'Started by', width: '20%', cell: (job) => <StartedBy job={job} /> },
        {
          head: 'Digest',
          extra: true,
          cell: (job) =>
            job.artifact === null ? NONE : <Id value={job.artifact.sha256} name="digest" short="start" />,
        },
        {
          head: 'Started',
          align: 'end',
          cell: (job) => <Ago at={job.createdAt} />,
        },
      ]}
    />
  );
}

function Name({ job, organizationId }: { job: ExportJob; organizationId: string }) {
  return (
    <span className="block min-w-0">
      <Link
        to="/$organizationId/exports/$jobId"
        params={{ organizationId, jobId: job.jobId }}
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
        {job.projectName !== null && <>{job.projectName} · </>}
        {job.version ?? 'No version yet'}
        {job.warnings > 0 && (
          <span className="text-warning">
            {' · '}
            {count(job.warnings, 'warning')}
          </span>
        )}
      </span>
      <span className="block text-muted text-xs">
        <CommitOrigin job={job} />
      </span>
    </span>
  );
}
