import { counted } from '@offprint/contract/counted';
import { type Kysely, sql } from 'kysely';
import type { Database } from './platform/db/database.ts';
import { countLiveWorkers } from './platform/jobs/leases.ts';

/** `waiting`: until a time that the job has chosen, such as when its model can be reached again. */
export type JobState = 'queued' | 'running' | 'waiting';

export interface JobGroup {
  kind: JobKind;
  state: JobState;
  count: number;
  /** Age of the oldest in seconds: since it was queued, or since its run started. */
  oldestSeconds: number;
}

export interface JobStates {
  /** One of every kind and state that there is, also without a job. */
  groups: JobGroup[];
  /** Processes that claim jobs. */
  workers: number;
}

/** The states of each kind that are reported, also without a job, so that a series without one is 0 and not missing. */
const STATES = {
  export: ['queued', 'running'],
  agent: ['queued', 'running', 'waiting'],
  artifact: ['queued', 'running'],
  notification: ['queued'],
  deployment: ['queued'],
  analytics: ['queued'],
  'analytics-file': ['queued'],
  vectors: ['queued'],
  certificate: ['queued', 'running', 'waiting'],
} as const satisfies Record<string, readonly JobState[]>;

export type JobKind = keyof typeof STATES;

export const JOB_KINDS = Object.keys(STATES) as readonly JobKind[];

const EMPTY: readonly JobGroup[] = JOB_KINDS.flatMap((kind) =>
  STATES[kind].map((state) => ({ kind, state, count: 0, oldestSeconds: 0 })),
);

/** What is to be done and who lives to do it, from the rows of the features and not from the queue. */
export async function readJobStates(db: Kysely<Database>): Promise<JobStates> {
  const [{ rows }, workers] = await Promise.all([
    sql<JobGroup>`
      SELECT kind, state, count(*)::int AS count,
        greatest(0, extract(epoch FROM now() - min(since)))::float8 AS "oldestSeconds"
      FROM (
        SELECT 'export' AS kind, status::text AS state,
          CASE status WHEN 'running' THEN coalesce(started_at, updated_at) ELSE updated_at END AS since
        FROM exports WHERE status IN ('queued', 'running')
        UNION ALL
        SELECT 'agent', CASE WHEN phase IN ('queued', 'waiting') THEN phase ELSE 'running' END,
          CASE WHEN phase = 'queued' THEN updated_at ELSE coalesce(turn_started_at, updated_at) END
        FROM agent_jobs WHERE phase IN ('queued', 'preparing', 'running', 'waiting', 'publishing')
        UNION ALL
        SELECT 'artifact', state, updated_at FROM lost_artifacts WHERE state <> 'lost'
        UNION ALL
        SELECT 'notification', state, created_at FROM notifications WHERE state = 'queued'
        UNION ALL
        SELECT 'analytics', state, updated_at FROM analytics_rollups WHERE state = 'queued'
        UNION ALL
        SELECT 'analytics-file', state, updated_at FROM analytics_files WHERE state = 'queued'
        UNION ALL
        -- sites of a project wait for each other
        SELECT 'vectors', state, (SELECT max(updated_at) FROM bundle_vectors AS other WHERE other.project_id = v.project_id)
        FROM bundle_vectors AS v WHERE state = 'queued'
        UNION ALL
        SELECT 'deployment', state, created_at FROM deployment_tasks WHERE state = 'queued'
        UNION ALL
        SELECT 'certificate', CASE WHEN retry_at > now() THEN 'waiting' ELSE state END, updated_at
        FROM certificates WHERE state <> 'idle'
      ) jobs
      GROUP BY kind, state`.execute(db),
    countLiveWorkers(db),
  ]);
  const groups = EMPTY.map(
    (empty) => rows.find(({ kind, state }) => kind === empty.kind && state === empty.state) ?? empty,
  );
  return { groups, workers };
}

/** Why queued jobs do not start; null if they can. */
export function stalledText({ groups, workers }: JobStates): string | null {
  const queued = groups.filter(({ state }) => state === 'queued').reduce((sum, { count }) => sum + count, 0);
  if (queued === 0 || workers > 0) return null;
  return `No worker is running for ${counted(queued, 'queued job')}. Start a worker, or check why the workers stopped.`;
}
