import type { Deployment, DeploymentStatus, Hosting, UpdateStatus } from '@offprint/contract';
import { DELETED } from './settle.ts';
import type { DeploymentRow } from './store.ts';
import type { listVariants } from './variants.ts';

/** Where the sites of a project are. */
export interface Places {
  /** First host that serves production; null: none. */
  host: string | null;
  previewDomain: string | null;
}

export function presentDeployment(row: DeploymentRow, places: Places): Deployment {
  const status = statusOf(row);
  const info = row.commit_info ?? row.export_commit_info;
  const isStored = row.status === 'success' && row.export_id !== null;
  return {
    id: row.id,
    projectId: row.project_id,
    kind: kindOf(row),
    status,
    progress: status === 'success' ? 100 : Math.min(99, Math.round((row.export_progress ?? 0) * 10) / 10),
    branch: row.branch,
    isLive: row.is_live,
    canPromote: isStored && row.label === null && !row.is_live,
    url: urlOf(row, places),
    commit: row.commit ?? row.export_commit,
    commitInfo: info,
    jobId: row.export_id,
    sha256: row.bundle_sha256,
    sizeBytes: row.bundle_bytes,
    pageCount: row.page_count,
    fork: row.fork,
    pushedCommit: row.pushed_commit,
    approvedBy: row.approved_by,
    feedback: feedbackOf(row),
    source: row.source,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    endedAt: (row.ended_at ?? (isEnded(status) ? row.export_completed_at : null))?.toISOString() ?? null,
    liveSince: row.is_live ? (row.switched_at?.toISOString() ?? null) : null,
    liveBy: row.is_live ? row.switched_by : null,
    expiresAt: row.expires_at?.toISOString() ?? null,
    ...failureOf(row, status),
  };
}

export const presentVariant = (
  row: Awaited<ReturnType<typeof listVariants>>[number],
): Hosting['variants'][number] => ({
  groups: row.groups,
  status: row.status,
  pageCount: row.page_count,
  error: row.error,
  endedAt: row.ended_at?.toISOString() ?? null,
});

/** `changed` null: not known. */
export function presentUpdate(
  row: DeploymentRow,
  places: Places,
  changed: { added: string[]; modified: string[]; removed: string[] } | null,
): UpdateStatus {
  const shown = presentDeployment(row, places);
  return {
    _id: row.id,
    projectId: row.project_id,
    createdAt: shown.createdAt,
    endedAt: shown.endedAt,
    status: shown.status,
    summary: summaryOf(shown),
    logs: logsOf(row, shown),
    subdomain: hostOf(row, places),
    author: shown.commitInfo === null ? null : { name: shown.commitInfo.author },
    commit:
      shown.commit === null
        ? null
        : {
            sha: shown.commit,
            ref: shown.commitInfo?.ref ?? shown.branch,
            message: shown.commitInfo?.subject ?? null,
            filesChanged: changed,
          },
    source: shown.source,
    kind: shown.kind,
    isLive: shown.isLive,
    url: shown.url,
    error: shown.error,
    errorCode: shown.errorCode,
  };
}

/** What is known of the status of the commit and of the comment at the forge. */
function feedbackOf({ feedback_state: state, feedback_error: error }: DeploymentRow): Deployment['feedback'] {
  if (state === null) return null;
  const shown = { queued: 'pending', completed: 'sent', failed: 'failed' } as const;
  return { state: shown[state], error };
}

const kindOf = ({ label }: DeploymentRow) => (label === null ? 'production' : 'preview');

const isEnded = (status: DeploymentStatus): boolean => status === 'success' || status === 'failure';

/** The export can be ahead of the deployment for a moment. */
function statusOf(row: DeploymentRow): DeploymentStatus {
  if (row.status !== 'queued') return row.status;
  if (row.export_status === null || row.export_status === 'failed') return 'failure';
  return row.export_status === 'queued' && row.export_attempt === 0 ? 'queued' : 'in_progress';
}

function failureOf(row: DeploymentRow, status: DeploymentStatus): Pick<Deployment, 'error' | 'errorCode'> {
  if (status !== 'failure') return { error: null, errorCode: null };
  const [error, code] =
    row.status === 'failure' ? [row.error, row.error_code] : [row.export_error, row.export_error_code];
  return { error: error ?? DELETED.error, errorCode: code ?? DELETED.error_code };
}

function hostOf(row: DeploymentRow, { host, previewDomain }: Places): string | null {
  if (row.label === null) return host;
  return previewDomain === null ? null : `${row.label}.${previewDomain}`;
}

function urlOf(row: DeploymentRow, places: Places): string | null {
  const host = hostOf(row, places);
  return host === null ? null : `https://${host}${row.base_path}`;
}

function summaryOf({ status, isLive, kind, error }: Deployment): string {
  const what = kind === 'production' ? 'update' : 'preview';
  switch (status) {
    case 'waiting':
      return `The ${what} is of a fork and waits for the approval of a member.`;
    case 'queued':
      return `The ${what} waits for a worker.`;
    case 'in_progress':
      return `The ${what} is being exported.`;
    case 'failure':
      return `The ${what} failed: ${error ?? ''}`;
    case 'success':
      return isLive ? `The ${what} is live.` : 'Another deployment is live.';
  }
}

function logsOf(row: DeploymentRow, shown: Deployment): string[] {
  const at = (time: Date | string) => (typeof time === 'string' ? time : time.toISOString());
  const lines = [`${shown.createdAt} Requested by ${shown.createdBy}.`];
  if (row.export_started_at !== null) lines.push(`${at(row.export_started_at)} The export started.`);
  if (shown.endedAt !== null) {
    lines.push(
      `${shown.endedAt} ${shown.status === 'failure' ? `The export failed: ${shown.error}` : 'The export completed.'}`,
    );
  }
  if (shown.liveSince !== null) lines.push(`${shown.liveSince} Made live by ${shown.liveBy ?? 'nobody'}.`);
  return lines;
}
