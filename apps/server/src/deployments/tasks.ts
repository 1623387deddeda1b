import { sql } from 'kysely';
import { plainText } from '../platform/db/database.ts';
import { ForgeError } from '../platform/forge/port.ts';
import { AppError } from '../platform/http/error.ts';
import type { Failure, Kind } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import { type FeedbackAdapters, reportDeployment } from './feedback.ts';
import { findDeployment } from './store.ts';
import { beginTask, DEPLOYMENT_KIND, saveTask, type TaskRow } from './task-store.ts';

export interface TaskAdapters extends FeedbackAdapters {
  log: Logger;
  /** Adds what an export serves to the record of links of its project. */
  recordLinks(of: { organizationId: string; projectId: string; exportId: string }): Promise<unknown>;
}

/** Attempts in all; the delays between them are those of every job, at most 5 minutes, so about 8 hours together. */
const MAX_FAILURES = 100;
const ERROR_LENGTH = 2_000;

/** Tasks that follow a deployment, as jobs: each is done at least once. */
export function createDeploymentTaskKind(adapters: TaskAdapters): Kind {
  const { db, log } = adapters;
  return {
    name: DEPLOYMENT_KIND,
    unfinished: sql`
      SELECT id, organization_id, lane, attempt FROM deployment_tasks WHERE state = 'queued'`,
    maxFailures: MAX_FAILURES,
    async begin(tx, fence) {
      const task = await beginTask(tx, fence);
      return (
        task && {
          run: async (lease) => {
            await (task.task === 'links'
              ? recordLinks(adapters, task)
              : reportDeployment(adapters, task, lease.signal));
            return (await saveTask(db, lease, { state: 'completed', error: null })) ? 'completed' : 'lost';
          },
        }
      );
    },
    failureOf: explain,
    release: (tx, fence) => saveTask(tx, fence, { state: 'queued', error: null }),
    retry: (tx, fence, { message }) => saveTask(tx, fence, { state: 'queued', error: shorten(message) }),
    fail(tx, fence, { code, message }) {
      log.warn({ taskId: fence.id, code, reason: message }, 'a task of a deployment failed');
      return saveTask(tx, fence, { state: 'failed', error: shorten(message) });
    },
  };
}

async function recordLinks({ db, recordLinks: record }: TaskAdapters, task: TaskRow): Promise<void> {
  const { organization_id: organizationId, project_id: projectId, deployment_id: deploymentId } = task;
  const deployment = await findDeployment(db, organizationId, deploymentId);
  const exportId = deployment?.export_id ?? null;
  if (exportId !== null) await record({ organizationId, projectId, exportId });
}

const shorten = (message: string): string => plainText(message.slice(0, ERROR_LENGTH));

function explain(error: unknown): Failure {
  if (error instanceof ForgeError) {
    const { message, retryable, retryAfterMs } = error;
    return { code: 'forge', message, retryable, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  }
  if (error instanceof AppError)
    return { code: error.code, message: error.message, retryable: error.status >= 500 };
  return { code: 'internal', message: 'An internal error of the server.', retryable: true };
}
