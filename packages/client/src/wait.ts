import { type ExportJob, exportJob, routes } from '@offprint/contract';
import { ApiError } from './error.ts';
import { readBody, type Send } from './request.ts';

export interface WaitOptions {
  /** Called with the job as it is found first and after every change, the last one included. */
  onProgress?: (job: ExportJob) => void;
  signal?: AbortSignal;
}

/** Seconds of one long poll. */
const pollSeconds = 30;

/**
 * Waits until an export is completed or failed and returns it; a failed job is returned, not thrown.
 * Holds one request open at a time.
 */
export async function waitForExport(
  send: Send,
  jobId: string,
  options: WaitOptions = {},
): Promise<ExportJob> {
  const calls = options.signal === undefined ? {} : { signal: options.signal };
  let known: string | null = null;
  for (;;) {
    const response = await send(
      routes.getExport,
      {
        params: { jobId },
        ...(known === null
          ? {}
          : { query: { wait: pollSeconds }, wait: pollSeconds, headers: { 'if-none-match': known } }),
      },
      calls,
    );
    if (response.status === 304) continue;
    const job = exportJob.parse(await readBody(routes.getExport, response));
    known = response.headers.get('etag');
    if (known === null) {
      throw new ApiError('The server gave no ETag to wait with.', { status: response.status });
    }
    options.onProgress?.(job);
    if (job.status === 'completed' || job.status === 'failed') return job;
  }
}
