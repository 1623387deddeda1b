import type { ExportJob } from '@offprint/contract';
import { CalendarClock, KeyRound, UserRound, Webhook } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatNumber, Status, type Tone } from '../ui/index.ts';
import { isFinished } from './follow.ts';
import { durationWords, elapsedOf } from './words.ts';

const STATES: Readonly<Record<ExportJob['status'], { tone: Tone; word: string }>> = {
  queued: { tone: 'neutral', word: 'Queued' },
  running: { tone: 'info', word: 'Running' },
  completed: { tone: 'success', word: 'Completed' },
  failed: { tone: 'danger', word: 'Failed' },
};

/** The state of an export; one that somebody stopped is told apart from one that broke. */
export function ExportStatus({ job }: { job: Pick<ExportJob, 'status' | 'errorCode'> }) {
  const isCancelled = job.status === 'failed' && job.errorCode === 'cancelled';
  const { tone, word } = isCancelled ? { tone: 'neutral' as const, word: 'Cancelled' } : STATES[job.status];
  return (
    <Status tone={tone} live={!isFinished(job)}>
      {word}
    </Status>
  );
}

/** Who or what started an export. */
export function StartedBy({ job }: { job: Pick<ExportJob, 'trigger' | 'createdBy'> }) {
  const isPerson = job.createdBy.includes('@');
  const [Icon, kind] =
    job.trigger === 'webhook'
      ? [Webhook, 'webhook']
      : job.trigger === 'schedule'
        ? [CalendarClock, 'schedule']
        : isPerson
          ? [UserRound, 'member']
          : [KeyRound, 'key'];
  return (
    <span
      className="inline-flex min-w-0 max-w-full items-baseline gap-1.5"
      title={`${kind}: ${job.createdBy}`}
    >
      <Icon aria-hidden="true" className="size-3.5 flex-none translate-y-0.5 text-muted" />
      <span className="min-w-0 break-words">
        <span className="sr-only">{kind} </span>
        {job.createdBy}
      </span>
    </span>
  );
}

const TICK_MS = 500;

/** How long an export took, or takes. */
export function Elapsed({ job }: { job: ExportJob }) {
  const [now, setNow] = useState(Date.now);
  const isRunning = job.status === 'running';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const elapsed = elapsedOf(job, now);
  return <>{elapsed === null ? '–' : durationWords(elapsed)}</>;
}

/** `12 of 40`, `40`. */
export function pagesOf(job: Pick<ExportJob, 'status' | 'pageCount' | 'totalPages'>): string {
  const { pageCount, totalPages } = job;
  if (job.status === 'completed' || totalPages === null) return formatNumber(pageCount);
  return `${formatNumber(pageCount)} of ${formatNumber(totalPages)}`;
}
