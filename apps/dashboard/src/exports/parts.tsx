import type { ExportJob } from '@offprint/contract';
import { CalendarClock, GitBranch, KeyRound, UserRound, Webhook } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Breakable, ExternalLink, formatNumber, Status, type Tone } from '../ui/index.ts';
import { isFinished } from './follow.ts';
import { durationWords, elapsedOf, subjectOf } from './words.ts';

const STATES: Readonly<Record<ExportJob['status'], { tone: Tone; word: string }>> = {
  queued: { tone: 'neutral', word: 'Queued' },
  running: { tone: 'info', word: 'Running' },
  completed: { tone: 'success', word: 'Completed' },
  failed: { tone: 'danger', word: 'Failed' },
};

/** The state of an export; a cancelled one does not look failed. */
export function ExportStatus({ job }: { job: Pick<ExportJob, 'status' | 'errorCode'> }) {
  const isCancelled = job.status === 'failed' && job.errorCode === 'cancelled';
  const { tone, word } = isCancelled ? { tone: 'neutral' as const, word: 'Cancelled' } : STATES[job.status];
  return (
    <Status tone={tone} live={!isFinished(job)}>
      {word}
    </Status>
  );
}

/** The member, key, webhook or schedule that started an export. */
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
      <span className="min-w-0 text-start">
        <span className="sr-only">{kind} </span>
        <Breakable text={job.createdBy} />
      </span>
    </span>
  );
}

/** Subject of the exported commit, as a link to the forge where its page is known; nothing without a commit. */
export function CommitSubject({ job }: { job: Pick<ExportJob, 'commit' | 'commitInfo'> }) {
  const subject = subjectOf(job);
  if (subject === null) return null;
  const url = job.commitInfo?.url ?? null;
  // The text comes from the repository: its direction must not change that of the text around it.
  const text = <bdi className="[overflow-wrap:anywhere]">{subject}</bdi>;
  return url === null ? text : <ExternalLink href={url}>{text}</ExternalLink>;
}

/** Author and branch of the exported commit; nothing where neither is known. */
export function CommitOrigin({ job }: { job: Pick<ExportJob, 'commitInfo'> }) {
  const { author = '', ref = null } = job.commitInfo ?? {};
  if (author === '' && ref === null) return null;
  return (
    <span className="inline-flex min-w-0 max-w-full flex-wrap items-baseline gap-x-2">
      {author !== '' && <bdi className="[overflow-wrap:anywhere]">{author}</bdi>}
      {ref !== null && (
        <span className="inline-flex min-w-0 items-baseline gap-1" title={`Branch or tag: ${ref}`}>
          <GitBranch aria-hidden="true" className="size-3.5 flex-none translate-y-0.5 text-muted" />
          <span className="sr-only">branch or tag </span>
          <bdi className="min-w-0 [overflow-wrap:anywhere]">{ref}</bdi>
        </span>
      )}
    </span>
  );
}

const TICK_MS = 500;

/** Milliseconds since 1970, twice a second while something runs. */
function useTicks(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}

/** How long an export took, or has been running. */
export function Elapsed({ job }: { job: ExportJob }) {
  const elapsed = elapsedOf(job, useTicks(job.status === 'running'));
  return <>{elapsed === null ? '–' : durationWords(elapsed)}</>;
}

/** Whole seconds since the phase of an unfinished export started. */
export function PhaseElapsed({ job }: { job: Pick<ExportJob, 'status' | 'phaseStartedAt'> }) {
  const now = useTicks(!isFinished(job));
  if (job.phaseStartedAt === null) return null;
  const seconds = Math.floor(Math.max(0, now - Date.parse(job.phaseStartedAt)) / 1000);
  return <>{seconds < 60 ? `${seconds} s` : durationWords(seconds * 1000)}</>;
}

/** `12 of 40`, `40`. */
export function pagesOf(job: Pick<ExportJob, 'status' | 'pageCount' | 'totalPages'>): string {
  const { pageCount, totalPages } = job;
  if (job.status === 'completed' || totalPages === null) return formatNumber(pageCount);
  return `${formatNumber(pageCount)} of ${formatNumber(totalPages)}`;
}

/** `0 of 1 page`, `12 pages`. */
export const pagesText = (job: Parameters<typeof pagesOf>[0]): string =>
  `${pagesOf(job)} ${(job.totalPages ?? job.pageCount) === 1 ? 'page' : 'pages'}`;
