import type { ExportJob } from '@offprint/contract';
import type { ExportRow } from './store.ts';

/** An export as the API shows it. */
export function presentExport(row: ExportRow): ExportJob {
  return {
    jobId: row.id,
    status: row.status,
    progress: presentProgress(row),
    ...presentPhase(row),
    pageCount: row.page_count,
    totalPages: row.total_pages,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    completedAt: row.completed_at?.toISOString() ?? null,
    ...(row.status === 'failed'
      ? { error: row.error ?? 'The export failed.', errorCode: row.error_code ?? 'internal' }
      : {}),
    domain: row.domain,
    version: row.version,
    commit: row.commit,
    commitInfo: row.commit_info,
    warnings: row.warning_count,
    projectId: row.project_id,
    projectName: row.project_name,
    trigger: row.trigger,
    createdBy: row.created_by,
    artifact:
      row.artifact_sha256 === null
        ? null
        : {
            sha256: row.artifact_sha256,
            files: row.artifact_files ?? 0,
            bytes: row.artifact_bytes ?? 0,
            state: row.loss ?? 'stored',
          },
  };
}

/** What an unfinished export does, and since when; a queued row is changed when it is put into the queue only. */
function presentPhase(row: ExportRow): Pick<ExportJob, 'phase' | 'phaseStartedAt'> {
  if (row.status === 'queued') return { phase: 'queued', phaseStartedAt: row.updated_at.toISOString() };
  if (isFinished(row)) return { phase: null, phaseStartedAt: null };
  return {
    phase: row.phase ?? 'fetching',
    phaseStartedAt: (row.phase_started_at ?? row.started_at)?.toISOString() ?? null,
  };
}

/** Percent with one decimal; the column is a 32-bit float. */
function presentProgress(row: ExportRow): number {
  return row.status === 'completed' ? 100 : Math.min(99, Math.round(row.progress * 10) / 10);
}

export function isFinished(row: ExportRow): boolean {
  return row.status === 'completed' || row.status === 'failed';
}

/** Why there is no bundle of the export yet, or ever. */
export function notCompleted(row: ExportRow): string {
  if (row.status === 'failed')
    return `The export failed: ${(row.error ?? 'no reason is known').replace(/(?<![.!?])$/, '.')} Start a new one.`;
  return `The export is ${row.status} (${presentExport(row).progress} %). Ask again when its status is completed.`;
}
