import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Api } from '../session.ts';
import { Button, CopyButton, Fault, formatBytes, Time } from '../ui/parts.tsx';

type Job = Awaited<ReturnType<Api['getExport']>>;

const DOTS: Record<Job['status'], string> = {
  queued: 'bg-muted',
  running: 'bg-warn',
  completed: 'bg-good',
  failed: 'bg-bad',
};

export function ExportCard({ api, job }: { api: Api; job: Job }) {
  const queries = useQueryClient();
  const [showWarnings, setShowWarnings] = useState(false);
  const active = job.status === 'queued' || job.status === 'running';
  const bundle = useMutation({ mutationFn: () => api.createBundle(job.jobId) });
  const cancel = useMutation({
    mutationFn: () => api.cancelExport(job.jobId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  });
  return (
    <li className="rounded-xl border border-line bg-raised p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="flex items-center gap-2 text-sm">
          <span aria-hidden="true" className={`size-2.5 rounded-full ${DOTS[job.status]}`} />
          {job.status}
        </span>
        <h2 className="font-semibold">{job.domain}</h2>
        {job.version !== null && <code className="text-muted text-sm">{job.version}</code>}
        <span className="ms-auto text-muted text-sm">
          <Time at={job.createdAt} />
        </span>
      </div>
      {active && (
        <div className="mt-3">
          <progress
            max={100}
            value={job.progress}
            aria-label={`Progress of ${job.domain}`}
            className="h-1.5 w-full overflow-hidden rounded-full accent-accent"
          />
        </div>
      )}
      <p className="mt-2 text-muted text-sm tabular-nums">
        {job.pageCount}
        {active && job.totalPages !== null && ` of ${job.totalPages}`} pages
        {job.artifact && ` · ${job.artifact.files} files · ${formatBytes(job.artifact.bytes)}`}
      </p>
      {job.error !== undefined && <p className="mt-2 text-bad text-sm">{job.error}</p>}
      <div className="mt-3 flex flex-wrap items-center gap-2">
        {job.status === 'completed' && (
          <Button quiet busy={bundle.isPending} onClick={() => bundle.mutate()}>
            Get link
          </Button>
        )}
        {active && (
          <Button quiet busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel export
          </Button>
        )}
        {job.warnings > 0 && (
          <Button quiet aria-expanded={showWarnings} onClick={() => setShowWarnings(!showWarnings)}>
            {job.warnings} {job.warnings === 1 ? 'warning' : 'warnings'}
          </Button>
        )}
      </div>
      {bundle.error && <Fault error={bundle.error} />}
      {bundle.data && (
        <div className="mt-3 flex flex-wrap items-center gap-3 text-sm">
          <a className="text-accent underline" href={bundle.data.bundleUrl} download>
            Download {formatBytes(bundle.data.sizeBytes)}
          </a>
          <CopyButton text={bundle.data.bundleUrl} label="Copy link" />
          <span className="text-muted">
            Expires <Time at={bundle.data.expiresAt} />
          </span>
        </div>
      )}
      {showWarnings && <Warnings api={api} jobId={job.jobId} />}
    </li>
  );
}

function Warnings({ api, jobId }: { api: Api; jobId: string }) {
  const warnings = useQuery({ queryKey: ['warnings', jobId], queryFn: () => api.listExportWarnings(jobId) });
  if (warnings.error) return <Fault error={warnings.error} />;
  return (
    <ul className="mt-3 max-h-96 space-y-2 overflow-auto border-line border-t pt-3 text-sm">
      {warnings.data?.map((warning) => (
        <li key={`${warning.file}:${warning.line}:${warning.code}:${warning.message}`}>
          <code className="break-all text-muted">
            {warning.file}
            {warning.line !== null && `:${warning.line}`}
          </code>
          <br />
          {warning.message}
        </li>
      ))}
    </ul>
  );
}
