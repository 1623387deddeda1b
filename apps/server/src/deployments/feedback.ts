import { createHmac } from 'node:crypto';
import type { ChangeReport, Deployment } from '@offprint/contract';
import type { Kysely } from 'kysely';
import { checksText, code, reportMarkdown } from '../exports/service.ts';
import type { Database } from '../platform/db/database.ts';
import type { CommitStatus, ForgeFeedback } from '../platform/forge/feedback.ts';
import { AppError } from '../platform/http/error.ts';
import { forgetStatus, noteStatus } from './commit-status-store.ts';
import { presentDeployment } from './present.ts';
import { previewDomainOf } from './preview-domain.ts';
import { type DeploymentRow, findDeployment, findLive } from './store.ts';
import type { TaskRow } from './task-store.ts';

export interface FeedbackAdapters {
  db: Kysely<Database>;
  previewDomain: string | null;
  /** Address of the dashboard, for links; null if it is unknown. */
  publicUrl: string | null;
  /** Makes the markers of comments, which nobody else can know before they are written. */
  markerKey: Buffer;
  /** Null: the project has set no forge. */
  openFeedback(of: { organizationId: string; id: string }): Promise<ForgeFeedback | null>;
  /** What changes from the export `since` to another one. */
  report(of: {
    organizationId: string;
    projectId: string;
    exportId: string;
    since: string;
  }): Promise<ChangeReport>;
}

/** What commit and pull request show of a deployment. */
interface Shown {
  deployment: Deployment;
  /** Name of the project. */
  project: string;
  /** Against production; null if that is not possible. */
  report: ChangeReport | null;
  detailsUrl: string | null;
}

/**
 * Sets the status of the commits of a deployment and edits the comment on its pull request, as the deployment is now: a
 * repeated or late task changes nothing or shows what is newer.
 */
export async function reportDeployment(
  adapters: FeedbackAdapters,
  {
    organization_id: organizationId,
    project_id: projectId,
    deployment_id: id,
  }: Pick<TaskRow, 'organization_id' | 'project_id' | 'deployment_id'>,
  signal: AbortSignal,
): Promise<void> {
  const { db } = adapters;
  const row = await findDeployment(db, organizationId, id);
  const forge = row && (await adapters.openFeedback({ organizationId, id: projectId }));
  // A preview that is over has no status any more.
  if (row === undefined || forge === undefined || forge === null) return;
  const shown = await describe(adapters, row);
  const { deployment } = shown;
  // Of an update, the commit shows the end.
  if (row.label === null && !isEnded(deployment)) return;
  const status = statusOf(shown);
  const commits = new Set([row.pushed_commit, deployment.commit].filter((commit) => commit !== null));
  for (const commit of commits) {
    const of = { project_id: projectId, commit, context: status.context };
    // Before: a process that ends in between leaves a status that the sweep checks.
    if (status.state === 'pending')
      await noteStatus(db, { ...of, organization_id: organizationId, deployment_id: id });
    await forge.setCommitStatus(commit, status, signal);
    if (status.state !== 'pending') await forgetStatus(db, of);
  }
  const pullRequest = row.label === null ? null : await findPullRequest(db, row);
  if (pullRequest === null) return;
  const marker = createHmac('sha256', adapters.markerKey).update(`${projectId}/${pullRequest}`).digest('hex');
  await forge.putComment(pullRequest, { marker: `offprint:${marker}`, body: commentOf(shown) }, signal);
}

async function describe(adapters: FeedbackAdapters, row: DeploymentRow): Promise<Shown> {
  const { db, publicUrl } = adapters;
  const previewDomain = await previewDomainOf(db, row.project_id, adapters.previewDomain);
  const deployment = presentDeployment(row, { host: null, previewDomain });
  const { name } = await db
    .selectFrom('projects')
    .select('name')
    .where('id', '=', row.project_id)
    .executeTakeFirstOrThrow();
  const isCompared = deployment.kind === 'preview' && deployment.status === 'success';
  const { jobId } = deployment;
  return {
    deployment,
    project: name,
    report: isCompared && jobId !== null ? await compare(adapters, row, jobId) : null,
    detailsUrl:
      publicUrl === null
        ? null
        : `${publicUrl.replace(/\/$/, '')}/${row.organization_id}/${jobId === null ? `projects/${row.project_id}` : `exports/${jobId}`}`,
  };
}

/** The report against what production serves; null if that is not known, or one of the two was deleted. */
async function compare(
  { db, report }: FeedbackAdapters,
  { organization_id: organizationId, project_id: projectId }: DeploymentRow,
  exportId: string,
): Promise<ChangeReport | null> {
  const since = (await findLive(db, organizationId, projectId))?.export_id ?? null;
  if (since === null) return null;
  try {
    return await report({ organizationId, projectId, exportId, since });
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}

/** The pull request of a preview, if this is its newest deployment. */
async function findPullRequest(db: Kysely<Database>, row: DeploymentRow): Promise<number | null> {
  const site = await db
    .selectFrom('sites')
    .select('pull_request')
    .where('id', '=', row.site_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deployments')
            .select('id')
            .where('site_id', '=', row.site_id)
            .where('position', '>', row.position),
        ),
      ),
    )
    .executeTakeFirst();
  return site?.pull_request ?? null;
}

const isEnded = ({ status }: Deployment): boolean => status === 'success' || status === 'failure';

function statusOf({ deployment, project, report, detailsUrl }: Shown): CommitStatus {
  const { kind, status, error, url } = deployment;
  const context = `offprint/${kind} (${project})`;
  if (status === 'failure')
    return { state: 'failure', context, description: error ?? 'The export failed.', url: detailsUrl };
  if (status === 'waiting') {
    const description = 'The preview of this fork waits for approval by a member.';
    return { state: 'pending', context, description, url: detailsUrl };
  }
  if (status !== 'success')
    return { state: 'pending', context, description: 'The preview is being exported.', url: detailsUrl };
  if (report === null) {
    const description = kind === 'preview' ? 'The preview is ready.' : 'The update is completed.';
    return { state: 'success', context, description, url: url ?? detailsUrl };
  }
  const state = report.failed ? 'failure' : 'success';
  return { state, context, description: checksText(report), url };
}

/** Markdown. Texts of the docs and names are shown as code. */
function commentOf({ deployment, project, report, detailsUrl }: Shown): string {
  const { status, error, url } = deployment;
  const commit = deployment.commit ?? (deployment.fork === null ? null : deployment.pushedCommit);
  const title = `Preview of ${code(project)}`;
  const of = commit === null ? [] : [`Commit ${code(commit)}.`];
  if (status === 'failure')
    return [`### ${title}: failed`, code(error ?? 'The export failed.'), ...of].join('\n\n');
  if (status === 'waiting') {
    const approve = detailsUrl === null ? [] : [`[Open the project](${detailsUrl})`];
    const why = 'The pull request is of a fork. Nothing is built until a member approves this commit.';
    return [`### ${title}: waits for approval`, why, ...approve, ...of].join('\n\n');
  }
  if (status !== 'success') return [`### ${title}: in progress`, ...of].join('\n\n');
  if (report !== null)
    return [reportMarkdown(report, { title, previewUrl: url, detailsUrl }), ...of].join('\n');
  return [
    `### ${title}: ready`,
    ...(url === null ? [] : [`[Preview](${url})`]),
    'It was not compared: production has no deployment that can be read.',
    ...of,
  ].join('\n\n');
}
