import type { ExportJob } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { useOrganizationId } from '../path-params.ts';
import { Status, Time, type Tone } from '../ui/index.ts';

const STATES: Readonly<Record<ExportJob['status'], { tone: Tone; word: string }>> = {
  queued: { tone: 'neutral', word: 'Queued' },
  running: { tone: 'info', word: 'Running' },
  completed: { tone: 'success', word: 'Completed' },
  failed: { tone: 'danger', word: 'Failed' },
};

/** The state of an export with its time; a link to its page. */
export function ExportLine({ job }: { job: ExportJob }) {
  const organizationId = useOrganizationId();
  const { tone, word } = STATES[job.status];
  const isLive = job.status === 'queued' || job.status === 'running';
  return (
    <Link
      to="/$organizationId/exports/$jobId"
      params={{ organizationId, jobId: job.jobId }}
      className="group inline-flex flex-wrap items-baseline gap-x-2"
    >
      <Status tone={tone} live={isLive}>
        <span className="underline decoration-transparent underline-offset-3 group-hover:decoration-current">
          {job.status === 'running' ? `${word}, ${Math.floor(job.progress)} %` : word}
        </span>
      </Status>
      <span className="text-muted text-xs">
        <Time at={job.completedAt ?? job.createdAt} />
      </span>
    </Link>
  );
}
