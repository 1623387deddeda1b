import type { Deployment } from '@offprint/contract';
import { CommitSubject, StartedBy } from '../exports/parts.tsx';
import { Progress, Status, type Tone } from '../ui/index.ts';
import { isEnded } from './data.ts';

const STATES: Readonly<Record<Deployment['status'], { tone: Tone; word: string }>> = {
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

/** Words for a deployment in sentences: its commit, or when it was requested. */
export function titleOf({ commit, createdAt }: Pick<Deployment, 'commit' | 'createdAt'>): string {
  return commit === null
    ? `the deployment of ${new Date(createdAt).toLocaleString('en')}`
    : commit.slice(0, 12);
}

/** The commit of a deployment: subject and short id. */
export function Commit({ deployment }: { deployment: Deployment }) {
  const { commit } = deployment;
  if (commit === null)
    return <span className="text-muted">{isEnded(deployment) ? 'No commit' : 'Not read yet'}</span>;
  return (
    <span className="block min-w-0">
      <span className="block font-medium">
        <CommitSubject job={deployment} />
      </span>
      <code className="text-muted text-xs">{commit.slice(0, 12)}</code>
    </span>
  );
}

export function RequestedBy({ deployment: { source, createdBy } }: { deployment: Deployment }) {
  const trigger =
    source === 'schedule' ? 'schedule' : source === 'api' || source === 'dashboard' ? 'call' : 'webhook';
  return <StartedBy job={{ trigger, createdBy }} />;
}
