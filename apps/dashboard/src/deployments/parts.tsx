import type { Deployment } from '@offprint/contract';
import { CommitSubject, StartedBy } from '../exports/parts.tsx';
import { Progress, Status, type Tone } from '../ui/index.ts';
import { isEnded } from './data.ts';

const STATES: Readonly<Record<Deployment['status'], { tone: Tone; word: string }>> = {
  waiting: { tone: 'warning', word: 'Waits for approval' },
  queued: { tone: 'neutral', word: 'Queued' },
  in_progress: { tone: 'info', word: 'In progress' },
  success: { tone: 'neutral', word: 'Ready' },
  failure: { tone: 'danger', word: 'Failed' },
};

export function DeploymentStatus({ deployment }: { deployment: Deployment }) {
  const { tone, word } = deployment.isLive
    ? { tone: 'success' as const, word: 'Live' }
    : STATES[deployment.status];
  return (
    <span className="inline-flex flex-col gap-1.5">
      <Status tone={tone} live={!isEnded(deployment)}>
        {word}
      </Status>
      {deployment.status === 'in_progress' && (
        <Progress label={`Progress of ${titleOf(deployment)}`} value={deployment.progress} />
      )}
    </span>
  );
}

/** The commit that it contains, or of a fork, will contain. */
const commitOf = ({ commit, fork, pushedCommit }: CommitFields): string | null =>
  commit ?? (fork === null ? null : pushedCommit);

type CommitFields = Pick<Deployment, 'commit' | 'fork' | 'pushedCommit'>;

/** Words for a deployment in sentences: its commit, or when it was requested. */
export function titleOf(deployment: CommitFields & Pick<Deployment, 'createdAt'>): string {
  return (
    commitOf(deployment)?.slice(0, 12) ??
    `the deployment of ${new Date(deployment.createdAt).toLocaleString('en')}`
  );
}

/** The commit of a deployment: subject and short id. */
export function Commit({ deployment }: { deployment: Deployment }) {
  const commit = commitOf(deployment);
  if (commit === null)
    return <span className="text-muted">{isEnded(deployment) ? 'No commit' : 'Not read yet'}</span>;
  if (deployment.commit === null)
    return <code className="whitespace-nowrap text-xs">{commit.slice(0, 12)}</code>;
  return (
    <span className="block min-w-0">
      <span className="block font-medium">
        <CommitSubject job={deployment} />
      </span>
      <code className="whitespace-nowrap text-muted text-xs">{commit.slice(0, 12)}</code>
    </span>
  );
}

export function RequestedBy({ deployment: { source, createdBy } }: { deployment: Deployment }) {
  const trigger =
    source === 'schedule' ? 'schedule' : source === 'api' || source === 'dashboard' ? 'call' : 'webhook';
  return <StartedBy job={{ trigger, createdBy }} />;
}
