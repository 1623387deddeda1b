import type { ExportJob } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId, usePathParam } from '../path-params.ts';
import {
  Button,
  Card,
  ConfirmDialog,
  count,
  ExactTime,
  Facts,
  formatBytes,
  formatNumber,
  Id,
  LoadedPage,
  Menu,
  MenuItem,
  NONE,
  Notice,
  PageHeader,
  Progress,
  Skeleton,
  Tabs,
  Time,
  toast,
  useGate,
} from '../ui/index.ts';
import { ChangesPanel } from './changes-panel.tsx';
import { DownloadButton, DownloadPanel } from './download-panel.tsx';
import { isFinished } from './follow.ts';
import { HistoryPanel } from './history-panel.tsx';
import { exportKeys, useLiveExport } from './live.ts';
import {
  CommitOrigin,
  CommitSubject,
  Elapsed,
  ExportStatus,
  PhaseElapsed,
  pagesOf,
  pagesText,
  StartedBy,
} from './parts.tsx';
import { usePreview } from './preview.ts';
import { StartDialog } from './start-dialog.tsx';
import { WarningsPanel } from './warnings-panel.tsx';
import { exportAdvice, isSourceFault, phaseOf } from './words.ts';

export function Page() {
  const jobId = usePathParam('jobId');
  const organizationId = useOrganizationId();
  const query = useLiveExport(jobId);
  const back = (
    <Link to="/$organizationId/exports" params={{ organizationId }} className="link">
      Exports
    </Link>
  );
  return (
    <LoadedPage
      query={query}
      title="Export"
      back={back}
      fault="The export did not load"
      skeleton={<Skeleton shape="card" count={2} />}
    >
      {(job) => <Export job={job} back={back} />}
    </LoadedPage>
  );
}

function Export({ job, back }: { job: ExportJob; back: ReactNode }) {
  const [starting, setStarting] = useState(false);
  const isDone = job.status === 'completed';
  const tabs = [
    ...(isDone ? [{ value: 'download', label: 'Download', content: <DownloadPanel job={job} /> }] : []),
    ...(isDone || job.warnings > 0
      ? [
          {
            value: 'warnings',
            label: 'Warnings',
            aside: <Count value={job.warnings} />,
            content: <WarningsPanel job={job} />,
          },
        ]
      : []),
    ...(isDone ? [{ value: 'changes', label: 'Changes', content: <ChangesPanel job={job} /> }] : []),
    { value: 'history', label: 'History', content: <HistoryPanel job={job} /> },
    { value: 'details', label: 'Details', content: <Details job={job} /> },
  ];
  return (
    <>
      <PageHeader
        title={job.domain}
        back={back}
        aside={<ExportStatus job={job} />}
        description={<Description job={job} />}
        action={<Acts job={job} onStart={() => setStarting(true)} />}
      />
      {!isFinished(job) && <Live job={job} />}
      {job.status === 'failed' && <Failure job={job} />}
      <LostFiles job={job} />
      <Tabs label="Export" tabs={tabs} />
      <StartDialog
        open={starting}
        onClose={() => setStarting(false)}
        initial={{ domain: job.domain, version: labelOf(job) }}
      />
    </>
  );
}

/** The label that a person chose; a label made from the commit is made again. */
function labelOf({ version, commit }: ExportJob): string {
  return version === null || commit?.startsWith(version) === true ? '' : version;
}

function Count({ value }: { value: number }) {
  if (value === 0) return null;
  return (
    <span className="rounded-full bg-sunken px-1.5 text-muted text-xs tabular-nums leading-5">
      {formatNumber(value)}
    </span>
  );
}

function Description({ job }: { job: ExportJob }) {
  return (
    <>
      {job.commitInfo !== null && (
        <span className="mb-0.5 block text-text">
          <CommitSubject job={job} />
        </span>
      )}
      {job.version !== null && (
        <>
          Version <span className="font-medium text-text [overflow-wrap:anywhere]">{job.version}</span>
          {' · '}
        </>
      )}
      {job.projectName !== null && (
        <>
          <ProjectLink job={job} />
          {' · '}
        </>
      )}
      {job.commitInfo !== null && (
        <>
          <CommitOrigin job={job} />
          {' · '}
        </>
      )}
      started <Time at={job.createdAt} /> by <StartedBy job={job} />
    </>
  );
}

function ProjectLink({ job: { projectId, projectName } }: { job: ExportJob }) {
  const organizationId = useOrganizationId();
  if (projectId === null) return <>Deleted</>;
  return (
    <Link
      to="/$organizationId/projects/$projectId"
      params={{ organizationId, projectId }}
      className="link [overflow-wrap:anywhere]"
    >
      {projectName ?? projectId}
    </Link>
  );
}

function Acts({ job, onStart }: { job: ExportJob; onStart: () => void }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'cancel' | 'delete' | null>(null);
  const canEdit = useGate({ role: 'editor' });
  const canStart = useGate({ plan: 'enterprise', role: 'editor' });
  const forget = () => void queries.invalidateQueries({ queryKey: exportKeys.lists(organizationId) });
  const cancel = useMutation({
    mutationFn: () => api.cancelExport(job.jobId),
    onSuccess: (cancelled) => {
      queries.setQueryData(exportKeys.one(organizationId, job.jobId), cancelled);
      forget();
      setAsking(null);
      toast(cancelled.errorCode === 'cancelled' ? 'Export cancelled' : 'The export had already finished');
    },
  });
  const remove = useMutation({
    mutationFn: () => api.deleteExport(job.jobId),
    onSuccess: async () => {
      toast('Export deleted');
      await navigate({ to: '/$organizationId/exports', params: { organizationId } });
      queries.removeQueries({ queryKey: exportKeys.one(organizationId, job.jobId) });
      forget();
    },
  });
  if (!isFinished(job)) {
    return (
      <>
        <Button look="quiet" reason={canEdit} onClick={() => setAsking('cancel')}>
          Cancel export
        </Button>
        <ConfirmDialog
          open={asking === 'cancel'}
          onClose={() => setAsking(null)}
          title="Cancel this export?"
          action="Cancel export"
          keep="Keep running"
          busy={cancel.isPending}
          error={cancel.error}
          onConfirm={() => cancel.mutate()}
        >
          <p>
            The pages rendered so far are discarded. Sites published before do not change. You can start the
            export again at any time.
          </p>
        </ConfirmDialog>
      </>
    );
  }
  return (
    <>
      {job.status === 'completed' && <PreviewButton jobId={job.jobId} />}
      {job.status === 'completed' ? (
        <DownloadButton job={job} />
      ) : (
        <Button reason={canStart} onClick={onStart}>
          Start again
        </Button>
      )}
      {canEdit === null && (
        <Menu label="More actions for this export">
          {job.status === 'completed' && canStart === null && (
            <MenuItem onSelect={onStart}>Start again</MenuItem>
          )}
          <MenuItem danger onSelect={() => setAsking('delete')}>
            Delete export
          </MenuItem>
        </Menu>
      )}
      <ConfirmDialog
        open={asking === 'delete'}
        onClose={() => setAsking(null)}
        title="Delete this export?"
        action="Delete export"
        keep="Keep it"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
      >
        <p>
          {job.status === 'completed'
            ? 'The files and the bundle are deleted, and every link to the bundle stops working. A deployment that downloads the bundle again when it starts needs a link to another export. Sites that serve a copy keep running.'
            : 'The export and its warnings are deleted.'}
        </p>
      </ConfirmDialog>
    </>
  );
}

function PreviewButton({ jobId }: { jobId: string }) {
  const preview = usePreview();
  return (
    <Button look="quiet" busy={preview.isPending} onClick={() => preview.open(jobId)}>
      Preview
    </Button>
  );
}

function Live({ job }: { job: ExportJob }) {
  return (
    <Card className="mb-8">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <p className="font-medium">
          <span role="status">{phaseOf(job)}</span>
          <span className="ms-2 font-normal text-muted text-sm tabular-nums">
            <PhaseElapsed job={job} />
          </span>
        </p>
        <p className="text-muted text-sm tabular-nums">
          {job.totalPages !== null && <>{pagesText(job)} · </>}
          {Math.floor(job.progress)} %
          {job.startedAt !== null && (
            <>
              {' · '}
              <Elapsed job={job} /> in total
            </>
          )}
        </p>
      </div>
      <Progress label="Progress of the export" value={job.status === 'queued' ? undefined : job.progress} />
    </Card>
  );
}

/** Says that stored files of the export are missing or damaged. */
function LostFiles({ job: { artifact, commit } }: { job: ExportJob }) {
  if (artifact === null || artifact.state === 'stored') return null;
  if (artifact.state === 'restoring') {
    return (
      <Notice title="The files of this export are being rendered again">
        Stored files were missing or damaged. They are rendered from{' '}
        {commit === null ? 'the source' : <code>commit {commit.slice(0, 12)}</code>} and stored if they are
        the same. Until then, downloads, previews and comparisons of this export are not available. This page
        updates itself.
      </Notice>
    );
  }
  return (
    <div role="alert" className="mb-8 rounded-card border border-danger/40 bg-danger-soft p-4 text-sm sm:p-5">
      <p className="font-medium text-base">The files of this export are lost</p>
      <p className="mt-1">
        Stored files are missing or damaged, and rendering the source again did not produce the same files.
        Sites that serve a copy keep running. Start a new export, or ask the operator to restore the files
        from a backup.
      </p>
    </div>
  );
}

function Failure({ job }: { job: ExportJob }) {
  const organizationId = useOrganizationId();
  const isCancelled = job.errorCode === 'cancelled';
  if (isCancelled) return <Notice title="This export was cancelled">{exportAdvice(job.errorCode)}</Notice>;
  return (
    <div role="alert" className="mb-8 rounded-card border border-danger/40 bg-danger-soft p-4 text-sm sm:p-5">
      <p className="font-medium text-base">The export failed</p>
      <p className="mt-1 break-words">{job.error ?? 'The server gave no reason.'}</p>
      <p className="mt-3">
        {exportAdvice(job.errorCode)}
        {isSourceFault(job.errorCode) && job.projectId !== null && (
          <>
            {' '}
            <Link
              to="/$organizationId/projects/$projectId"
              params={{ organizationId, projectId: job.projectId }}
              search={{ tab: 'source' }}
              className="link"
            >
              Open the source
            </Link>
          </>
        )}
      </p>
      <p className="mt-3 text-muted">
        Code <code>{job.errorCode ?? 'unknown'}</code>
      </p>
    </div>
  );
}

function Details({ job }: { job: ExportJob }) {
  const { artifact, commitInfo: info } = job;
  return (
    <Facts
      facts={[
        ['Id', <Id key="id" value={job.jobId} name="export id" />],
        ['Project', <ProjectLink key="project" job={job} />],
        ['Version', job.version ?? NONE],
        ['Commit', job.commit === null ? NONE : <Id key="commit" value={job.commit} name="commit" />],
        ...(info === null
          ? []
          : ([
              ['Commit message', <CommitSubject key="subject" job={job} />],
              ['Commit author', info.author === '' ? NONE : <bdi key="author">{info.author}</bdi>],
              [
                'Commit date',
                info.authoredAt === null ? NONE : <ExactTime key="date" at={info.authoredAt} />,
              ],
              ['Branch or tag', info.ref === null ? NONE : <bdi key="ref">{info.ref}</bdi>],
            ] as const)),
        ['Pages', pagesOf(job)],
        [
          'Files',
          artifact === null ? NONE : `${count(artifact.files, 'file')}, ${formatBytes(artifact.bytes)}`,
        ],
        [
          'Digest of the files',
          artifact === null ? NONE : <Id key="digest" value={artifact.sha256} name="digest" />,
        ],
        ['Started by', <StartedBy key="by" job={job} />],
        ['Queued', <ExactTime key="queued" at={job.createdAt} />],
        ['Started', job.startedAt === null ? NONE : <ExactTime key="started" at={job.startedAt} />],
        ['Finished', job.completedAt === null ? NONE : <ExactTime key="finished" at={job.completedAt} />],
        ['Duration', <Elapsed key="duration" job={job} />],
      ]}
    />
  );
}
