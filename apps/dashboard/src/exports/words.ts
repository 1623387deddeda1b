import type { ExportJob } from '@offprint/contract';

/** What an export is doing. The number of pages is known once the renderer has read the source. */
export function phaseOf(job: Pick<ExportJob, 'status' | 'phase' | 'totalPages'>): string {
  if (job.status === 'completed') return 'Completed';
  if (job.status === 'failed') return 'Failed';
  if (job.phase === 'rendering' && job.totalPages === null) return 'Reading the docs';
  return PHASES[job.phase ?? (job.status === 'queued' ? 'queued' : 'fetching')];
}

const PHASES: Readonly<Record<NonNullable<ExportJob['phase']>, string>> = {
  queued: 'Waiting for a worker',
  fetching: 'Fetching the source',
  rendering: 'Rendering pages',
  writing: 'Writing the search index and assets',
  storing: 'Storing the files',
  packing: 'Packing the bundle',
};

/** The subject of the commit, or what to show in its place; null for an export without a commit. */
export function subjectOf(job: Pick<ExportJob, 'commit' | 'commitInfo'>): string | null {
  if (job.commitInfo === null) return job.commit?.slice(0, 12) ?? null;
  return job.commitInfo.subject === '' ? 'Commit without a message' : job.commitInfo.subject;
}

/** Milliseconds from the start to the end, or to `now`; null before the start. */
export function elapsedOf(job: Pick<ExportJob, 'startedAt' | 'completedAt'>, now: number): number | null {
  if (job.startedAt === null) return null;
  const end = job.completedAt === null ? now : Date.parse(job.completedAt);
  return Math.max(0, end - Date.parse(job.startedAt));
}

/** `0.8 s`, `42 s`, `3 min 5 s`, `2 h 10 min`. */
export function durationWords(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What to do about a failed export by the code of its failure. */
const ADVICE: Readonly<Record<string, string>> = {
  cancelled: 'It was cancelled before it was complete. You can start it again at any time.',
  source_invalid:
    'Check the source of the project: its folder must hold a docs.json, and a branch needs a Git source.',
  source_missing:
    'The branch, tag, commit or folder was not found. Check the source of the project, or choose another one.',
  source_too_large: 'Point the project at the folder of the docs, or ask the operator for a higher limit.',
  source_refused:
    'The Git server denied access. Set a valid credential and run the connection test of the project.',
  source_unreachable:
    'The Git server did not respond. Try again, and run the connection test of the project.',
  page_cpu_limit: 'Make this page smaller, or exclude it with .mintignore.',
  cpu_limit: 'Export fewer pages with paths, or ask the operator for more CPU time.',
  timeout: 'Start it again when the server has less to do. If it happens again, ask the operator.',
  out_of_memory: 'Split very large pages, or ask the operator for more memory.',
  output_too_large: 'Remove large files from the docs folder, or ask the operator for a higher limit.',
  unknown_page:
    'Correct the paths. A path is the path of a file below the docs folder without its extension.',
  invalid_json: 'Correct the file at the line shown, then start it again.',
  config_type: 'Correct docs.json as the message says, then start it again.',
  navigation_missing: 'Add a navigation with at least one page to docs.json, then start it again.',
  config_missing:
    'Add a docs.json to the folder, or set the folder of the project to the one that contains it.',
  internal: 'Start it again. If it fails again, give the operator the id of the export.',
};

/** One or two sentences on how to fix the failure. */
export function exportAdvice(code: string | undefined): string {
  const known = code !== undefined && Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined;
  return known ?? 'Correct the problem named above, then start it again.';
}

/** Codes that are fixed in the settings of the project. */
export function isSourceFault(code: string | undefined): boolean {
  return code?.startsWith('source_') === true;
}

/** Path of a page below the URL of a preview. */
export function addressOf(page: string): string {
  return page === 'index' ? '' : page.split('/').map(encodeURIComponent).join('/');
}
