import type { AgentJob } from '@offprint/contract';
import { GitPullRequest } from 'lucide-react';
import { ExternalLink, Status, type Tone } from '../ui/index.ts';
import { costWords, shortCount } from '../usage/chart.ts';

const STATES: Readonly<Record<AgentJob['status'], { tone: Tone; word: string }>> = {
  active: { tone: 'info', word: 'Active' },
  completed: { tone: 'success', word: 'Completed' },
  failed: { tone: 'danger', word: 'Failed' },
  archived: { tone: 'neutral', word: 'Archived' },
};

const CANCELLED = { tone: 'neutral', word: 'Cancelled' } as const;
const ASKS = { tone: 'warning', word: 'Needs input' } as const;

/** Whether a member or a key ended the last turn: the job can continue, so it does not look failed. */
export function isCancelled(job: Pick<AgentJob, 'status' | 'failure'>): boolean {
  return job.status === 'failed' && job.failure?.code === 'cancelled';
}

/** The state of a job. One that asks something back waits for a person. */
export function AgentStatus({ job }: { job: Pick<AgentJob, 'status' | 'needsInput' | 'failure'> }) {
  const asks = job.status === 'completed' && job.needsInput !== null;
  const { tone, word } = isCancelled(job) ? CANCELLED : asks ? ASKS : STATES[job.status];
  return (
    <Status tone={tone} live={job.status === 'active'}>
      {word}
    </Status>
  );
}

/** The newest pull request of a job; nothing for a job without one. */
export function PullRequestLink({ job }: { job: Pick<AgentJob, 'prLink' | 'pullRequests'> }) {
  const newest = job.pullRequests.at(-1);
  const href = job.prLink ?? newest?.url ?? null;
  if (href === null) return null;
  const number = newest?.url === href ? newest.number : null;
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <GitPullRequest aria-hidden="true" className="size-3.5 flex-none text-muted" />
      <ExternalLink href={href}>{number === null ? 'Pull request' : `#${number}`}</ExternalLink>
    </span>
  );
}

/** Tokens in and out, and what they cost where prices are known. */
export function UsageWords({ usage }: { usage: AgentJob['usage'] }) {
  const words = `${shortCount(usage.inputTokens)} in, ${shortCount(usage.outputTokens)} out`;
  return (
    <span className="whitespace-nowrap tabular-nums">
      {words}
      {usage.costUsd !== null && <span className="text-muted"> · {costWords(usage.costUsd)}</span>}
    </span>
  );
}
