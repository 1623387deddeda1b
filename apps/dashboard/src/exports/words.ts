import type { ExportJob } from '@offprint/contract';

/** What an export is at. The renderer tells how many pages there are once it has read the source. */
export function phaseOf(job: Pick<ExportJob, 'status' | 'pageCount' | 'totalPages'>): string {
  if (job.status === 'queued') return 'Waits for a worker';
  if (job.status === 'completed') return 'Completed';
  if (job.status === 'failed') return 'Failed';
  if (job.totalPages === null) return 'Reads the source';
  return job.pageCount < job.totalPages ? 'Renders pages' : 'Writes the files';
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
  cancelled: 'It was stopped before its end. Start it again when you want it.',
  source_invalid:
    'Check the source of the project: its folder must hold a docs.json, and a branch needs a Git source.',
  source_missing:
    'The branch, tag, commit or folder is not there. Check the source of the project, or name another one.',
  source_too_large: 'Point the project at the folder of the docs, or ask the operator for a higher limit.',
  source_refused:
    'The server of the repository does not let us in. Set a valid credential and run the connection test.',
  source_unreachable:
    'The server of the repository did not answer. Try again, and run the connection test of the project.',
  cpu_limit: 'Export fewer pages with paths, or ask the operator for more CPU time.',
  timeout: 'Start it again when the server has less to do. If it happens again, ask the operator.',
  out_of_memory: 'Look for a very large page, or ask the operator for more memory.',
  output_too_large: 'Remove large files from the docs folder, or ask the operator for a higher limit.',
  unknown_page: 'Correct the paths. A path is that of a file below the docs folder without its extension.',
  invalid_json: 'Correct the file at the line that is named, then start it again.',
  config_type: 'Correct docs.json as the message says, then start it again.',
  navigation_missing: 'Give docs.json a navigation with at least one page, then start it again.',
  config_missing: 'Put a docs.json into the folder, or set the folder of the project to where it is.',
  internal: 'Start it again. When it happens again, give the operator the id of the export.',
};

/** One or two sentences on the way out. */
export function exportAdvice(code: string | undefined): string {
  const known = code !== undefined && Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined;
  return known ?? 'Correct what is named above, then start it again.';
}

/** Codes whose cure is in the settings of the project. */
export function isSourceFault(code: string | undefined): boolean {
  return code?.startsWith('source_') === true;
}
