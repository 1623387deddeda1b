import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Logger } from '../platform/log.ts';
import { forgetStatus, type PendingStatus, postponeStatus } from './commit-status-store.ts';
import { type FeedbackAdapters, reportDeployment } from './feedback.ts';
import { findDeployment } from './store.ts';

const BATCH = 50;
/** Attempts in all, over about two days. */
const MAX_ATTEMPTS = 12;
/** Seconds until a status that is right is checked again. */
const RECHECK_SECONDS = 600;

/**
 * Corrects statuses of commits that the forge shows as pending although nothing is in progress: the task that should have
 * replaced one has failed or is lost, the deployment was deleted, or it contains another commit by now.
 */
export async function correctStatuses(
  adapters: FeedbackAdapters & { log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { db, log } = adapters;
  const due = await db
    .selectFrom('commit_statuses')
    .selectAll()
    .where('next_at', '<=', sql<Date>`now()`)
    .orderBy('next_at')
    .limit(BATCH)
    .execute();
  for (const status of due) {
    if (signal.aborted) return;
    try {
      if (await isRight(db, status)) await postponeStatus(db, status, RECHECK_SECONDS, 0);
      else await correct(adapters, status, signal);
    } catch (error) {
      if (signal.aborted) return;
      const attempts = status.attempts + 1;
      log.warn(
        { err: error, projectId: status.project_id, commit: status.commit, attempts },
        'the status of a commit was not corrected',
      );
      if (attempts >= MAX_ATTEMPTS) await forgetStatus(db, status);
      else await postponeStatus(db, status, 60 * 2 ** attempts, attempts);
    }
  }
}

/** Whether the deployment of the commit is in progress, or a task that reports it is queued. */
async function isRight(db: Kysely<Database>, { deployment_id: id, commit }: PendingStatus): Promise<boolean> {
  const found = await db
    .selectFrom('deployments')
    .innerJoin('sites', 'sites.id', 'deployments.site_id')
    .select('deployments.id')
    .where('deployments.id', '=', id)
    .where(sql<boolean>`(sites.expires_at IS NULL OR sites.expires_at > now())`)
    .where((eb) => eb.or([eb('pushed_commit', '=', commit), eb('commit', '=', commit)]))
    .where(
      sql<boolean>`(deployments.status IN ('waiting', 'queued') OR EXISTS (
        SELECT FROM deployment_tasks t
        WHERE t.deployment_id = deployments.id AND t.task = 'feedback' AND t.state = 'queued'))`,
    )
    .executeTakeFirst();
  return found !== undefined;
}

async function correct(
  adapters: FeedbackAdapters,
  status: PendingStatus,
  signal: AbortSignal,
): Promise<void> {
  const { db } = adapters;
  const { organization_id: organizationId, project_id: id, commit, context } = status;
  const row = await findDeployment(db, organizationId, status.deployment_id);
  if (row !== undefined && [row.pushed_commit, row.commit].includes(commit)) {
    const of = { organization_id: organizationId, project_id: id, deployment_id: row.id };
    return reportDeployment(adapters, of, signal);
  }
  const forge = await adapters.openFeedback({ organizationId, id });
  const description =
    row === undefined ? 'Not completed: the preview was deleted.' : 'Not built: a newer commit replaced it.';
  await forge?.setCommitStatus(commit, { state: 'failure', context, description, url: null }, signal);
  await forgetStatus(db, status);
}
