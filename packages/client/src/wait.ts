import { type AgentJob, agentJob, type ExportJob, exportJob, type Route, routes } from '@offprint/contract';
import { ApiError } from './error.ts';
import { readBody, type Send } from './request.ts';

export interface WaitOptions<Job = ExportJob> {
  /** Called with the job as it is found first and after every change, the last one included. */
  onProgress?: (job: Job) => void;
  signal?: AbortSignal;
}

/** Seconds of one long poll. */
const pollSeconds = 30;

/** Waits until an export is completed or failed and returns it; a failed job is returned, not thrown. */
export function waitForExport(send: Send, jobId: string, options: WaitOptions = {}): Promise<ExportJob> {
  const isOver = ({ status }: ExportJob) => status === 'completed' || status === 'failed';
  return poll(send, routes.getExport, { jobId }, exportJob, isOver, options);
}

/** Waits until an agent job is active no more and returns it; a failed or archived one is returned, not thrown. */
export function waitForAgentJob(
  send: Send,
  projectId: string,
  id: string,
  options: WaitOptions<AgentJob> = {},
): Promise<AgentJob> {
  const isOver = ({ status }: AgentJob) => status !== 'active';
  return poll(send, routes.getAgentJob, { projectId, id }, agentJob, isOver, options);
}

/** Holds one request open at a time. */
async function poll<Job>(
  send: Send,
  route: Route,
  params: Record<string, string>,
  schema: { parse(value: unknown): Job },
  isOver: (job: Job) => boolean,
  options: WaitOptions<Job>,
): Promise<Job> {
  const calls = options.signal === undefined ? {} : { signal: options.signal };
  let known: string | null = null;
  for (;;) {
    const response: Response = await send(
      route,
      {
        params,
        ...(known === null
          ? {}
          : { query: { wait: pollSeconds }, wait: pollSeconds, headers: { 'if-none-match': known } }),
      },
      calls,
    );
    if (response.status === 304) continue;
    const job = schema.parse(await readBody(route, response));
    known = response.headers.get('etag');
    if (known === null) {
      throw new ApiError('The server returned no ETag, so the client cannot wait for a change.', {
        status: response.status,
      });
    }
    options.onProgress?.(job);
    if (isOver(job)) return job;
  }
}
