import type { ExportJob } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId, usePathParam } from '../session.tsx';
import {
  Button,
  Card,
  ConfirmDialog,
  count,
  ExactTime,
  ExternalLink,
  Facts,
  formatBytes,
  formatNumber,
  Id,
  LoadedPage,
  Menu,
  MenuItem,
  NONE,
  Notice,
  openTab,
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
import { Elapsed, ExportStatus, pagesOf, StartedBy } from './parts.tsx';
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
    ...(isDone ? [{ value: 'changes', label: 'What changed', content: <ChangesPanel job={job} /> }] : []),
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
      <Tabs label="Export" tabs={tabs} />
      <StartDialog
        open={starting}
        onClose={() => setStarting(false)}
        initial={{ domain: job.domain, version: labelOf(job) }}
      />
    </>
  );
}

/** The label that a person gave; one that was made of the commit is made anew. */
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
      {job.version !== null && (
        <>
          Version <span className="font-medium text-text [overflow-wrap:anywhere]">{job.version}</span>
          {' · '}
        </>
      )}
      started <Time at={job.createdAt} /> by <StartedBy job={job} />
    </>
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
      toast(cancelled.errorCode === 'cancelled' ? 'Export cancelled' : 'It had finished already');
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
          keep="Let it run"
          busy={cancel.isPending}
          error={cancel.error}
          onConfirm={() => cancel.mutate()}
        >
          <p>
            What was rendered so far is thrown away. Nothing that was published before changes, and you can
            start the export again at any time.
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
        <Menu label="More acts on this export">
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
            ? 'Its files and its bundle go, and every link to the bundle stops working. A deployment that downloads the bundle again when it starts needs a link to another export. Sites that serve a copy go on.'
            : 'It goes from the list, with its warnings.'}
        </p>
      </ConfirmDialog>
    </>
  );
}

function PreviewButton({ jobId }: { jobId: string }) {
  const api = useApi();
  const preview = useMutation({
    mutationFn: () => api.createPreview(jobId),
    onSuccess: ({ url }) => openTab(url),
  });
  return (
    <>
      <Button look="quiet" busy={preview.isPending} onClick={() => preview.mutate()}>
        Preview
      </Button>
      <div role="status" className="order-last basis-full text-end text-sm empty:hidden">
        {preview.data !== undefined && (
          <span className="text-muted">
            No new tab? <ExternalLink href={preview.data.url}>Open the preview</ExternalLink>, until{' '}
            <ExactTime at={preview.data.expiresAt} />
          </span>
        )}
        {preview.error !== null && <span className="text-danger">{preview.error.message}</span>}
      </div>
    </>
  );
}

function Live({ job }: { job: ExportJob }) {
  return (
    <Card className="mb-8">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <p role="status" className="font-medium">
          {phaseOf(job)}
        </p>
        <p className="text-muted text-sm tabular-nums">
          {job.totalPages !== null && <>{pagesOf(job)} pages · </>}
          {Math.floor(job.progress)} % · <Elapsed job={job} />
        </p>
      </div>
      <Progress label="Progress of the export" value={job.status === 'queued' ? undefined : job.progress} />
    </Card>
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
  const organizationId = useOrganizationId();
  const { artifact } = job;
  return (
    <Facts
      facts={[
        ['Id', <Id key="id" value={job.jobId} name="export id" />],
        [
          'Project',
          job.projectId === null ? (
            'It was deleted'
          ) : (
            <Link
              key="project"
              to="/$organizationId/projects/$projectId"
              params={{ organizationId, projectId: job.projectId }}
              className="link break-all"
            >
              {job.projectId}
            </Link>
          ),
        ],
        ['Version', job.version ?? NONE],
        ['Commit', job.commit === null ? NONE : <Id key="commit" value={job.commit} name="commit" />],
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
        ['Began', job.startedAt === null ? NONE : <ExactTime key="began" at={job.startedAt} />],
        ['Ended', job.completedAt === null ? NONE : <ExactTime key="ended" at={job.completedAt} />],
        ['Took', <Elapsed key="took" job={job} />],
      ]}
    />
  );
}
