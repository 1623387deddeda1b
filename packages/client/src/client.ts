import {
  type AgentJob,
  type AgentJobDiff,
  type AgentJobEvent,
  type AgentJobList,
  type AgentJobStatus,
  type AgentSettings,
  type ApiKeyList,
  type CreateAgentJobBody,
  type CreateApiKeyBody,
  type CreateBundleBody,
  type CreatedApiKey,
  type CreateProjectBody,
  type ExportBundle,
  type ExportEvent,
  type ExportJob,
  type ExportList,
  type ExportStatus,
  type ExportWarning,
  exportEvent,
  type Health,
  type Organization,
  type Project,
  type ProjectFeatures,
  type ProjectList,
  type Route,
  routes,
  type SendAgentMessageBody,
  type SourceUpload,
  type StartExportBody,
  type UpdateAgentSettingsBody,
  type UpdateProjectBody,
} from '@offprint/contract';
import { readEvents } from './events.ts';
import { type FollowOptions, followAgentJob } from './follow.ts';
import { type CallInput, type CallOptions, type ClientOptions, createSend, readBody } from './request.ts';
import { type WaitOptions, waitForAgentJob, waitForExport } from './wait.ts';

/** Where a list goes on, and how many items it returns (1 to 100, default 20). */
export interface ListQuery {
  cursor?: string | undefined;
  limit?: number | undefined;
}

export interface ExportListQuery extends ListQuery {
  domain?: string | undefined;
  status?: ExportStatus | undefined;
}

export interface AgentJobListQuery extends ListQuery {
  status?: AgentJobStatus | undefined;
}

export type Client = ReturnType<typeof createClient>;

/**
 * A typed client of the admin API: one method a call of the contract, with the parts of the path first, then
 * the body or the query. Methods reject with an ApiError when the server refuses and with a ConnectionError
 * when it cannot be reached; both only after the retries (429, 503, broken connections; `Retry-After` is
 * obeyed, and a repeated POST carries the same `Idempotency-Key`).
 */
export function createClient(options: ClientOptions) {
  const send = createSend(options);
  const call = async <Body>(route: Route, input: CallInput, callOptions?: CallOptions): Promise<Body> =>
    readBody<Body>(route, await send(route, input, callOptions));

  return {
    /** Queues an export of the site on a domain. */
    startExport: (body: StartExportBody, o?: CallOptions) => call<ExportJob>(routes.startExport, { body }, o),
    listExports: (query: ExportListQuery = {}, o?: CallOptions) =>
      call<ExportList>(routes.listExports, { query: { ...query } }, o),
    getExport: (jobId: string, o?: CallOptions) =>
      call<ExportJob>(routes.getExport, { params: { jobId } }, o),
    /** Waits until an export is completed or failed and returns it; a failed one is returned, not thrown. */
    waitForExport: (jobId: string, o?: WaitOptions) => waitForExport(send, jobId, o),
    /** A link to the bundle of a completed export. `downloadBundle` of `@offprint/client/download` takes it. */
    createBundle: (jobId: string, body: CreateBundleBody = {}, o?: CallOptions) =>
      call<ExportBundle>(routes.createBundle, { params: { jobId }, body }, o),
    cancelExport: (jobId: string, o?: CallOptions) =>
      call<ExportJob>(routes.cancelExport, { params: { jobId } }, o),
    deleteExport: (jobId: string, o?: CallOptions) =>
      call<void>(routes.deleteExport, { params: { jobId } }, o),
    listExportWarnings: (jobId: string, o?: CallOptions) =>
      call<ExportWarning[]>(routes.listExportWarnings, { params: { jobId } }, o),
    /** The events of an export, from its state now to `done`. */
    streamExportEvents: async function* (jobId: string, o?: CallOptions): AsyncGenerator<ExportEvent> {
      const response = await send(routes.streamExportEvents, { params: { jobId }, wait: 86_400 }, o);
      if (response.body === null) return;
      for await (const { event, data } of readEvents(response.body)) {
        const parsed = exportEvent.safeParse({ event, data: JSON.parse(data) });
        if (parsed.success) yield parsed.data;
      }
    },

    /** Gives the agent of a project a prompt. */
    createAgentJob: (projectId: string, body: CreateAgentJobBody, o?: CallOptions) =>
      call<AgentJob>(routes.createAgentJob, { params: { projectId }, body }, o),
    listAgentJobs: (projectId: string, query: AgentJobListQuery = {}, o?: CallOptions) =>
      call<AgentJobList>(routes.listAgentJobs, { params: { projectId }, query: { ...query } }, o),
    getAgentJob: (projectId: string, id: string, o?: CallOptions) =>
      call<AgentJob>(routes.getAgentJob, { params: { projectId, id } }, o),
    /** Waits until a job is active no more and returns it; a failed or archived one is returned, not thrown. */
    waitForAgentJob: (projectId: string, id: string, o?: WaitOptions<AgentJob>) =>
      waitForAgentJob(send, projectId, id, o),
    /** Gives a job another prompt; a finished one becomes active again. */
    sendAgentMessage: (projectId: string, id: string, body: SendAgentMessageBody, o?: CallOptions) =>
      call<AgentJob>(routes.sendAgentMessage, { params: { projectId, id }, body }, o),
    archiveAgentJob: (projectId: string, id: string, o?: CallOptions) =>
      call<AgentJob>(routes.archiveAgentJob, { params: { projectId, id } }, o),
    cancelAgentJob: (projectId: string, id: string, o?: CallOptions) =>
      call<AgentJob>(routes.cancelAgentJob, { params: { projectId, id } }, o),
    /** The events of a job from the beginning, or after `after`, to `done`; goes on by itself after a break. */
    streamAgentJobEvents: (projectId: string, id: string, o?: FollowOptions): AsyncGenerator<AgentJobEvent> =>
      followAgentJob(send, projectId, id, o),
    getAgentJobDiff: (projectId: string, id: string, o?: CallOptions) =>
      call<AgentJobDiff>(routes.getAgentJobDiff, { params: { projectId, id } }, o),
    getAgentSettings: (projectId: string, o?: CallOptions) =>
      call<AgentSettings>(routes.getAgentSettings, { params: { projectId } }, o),
    /** Replaces the settings; secrets that are left out are kept while they go to the same place. */
    updateAgentSettings: (projectId: string, body: UpdateAgentSettingsBody, o?: CallOptions) =>
      call<AgentSettings>(routes.updateAgentSettings, { params: { projectId }, body }, o),

    createProject: (body: CreateProjectBody, o?: CallOptions) =>
      call<Project>(routes.createProject, { body }, o),
    listProjects: (query: ListQuery = {}, o?: CallOptions) =>
      call<ProjectList>(routes.listProjects, { query: { ...query } }, o),
    getProject: (projectId: string, o?: CallOptions) =>
      call<Project>(routes.getProject, { params: { projectId } }, o),
    updateProject: (projectId: string, body: UpdateProjectBody, o?: CallOptions) =>
      call<Project>(routes.updateProject, { params: { projectId }, body }, o),
    deleteProject: (projectId: string, o?: CallOptions) =>
      call<void>(routes.deleteProject, { params: { projectId } }, o),
    /** Uploads a tar.gz of the docs folder. Bytes and Blobs are sent again after a fault, streams are not. */
    putProjectSource: (projectId: string, bytes: NonNullable<CallInput['bytes']>, o?: CallOptions) =>
      call<SourceUpload>(routes.putProjectSource, { params: { projectId }, bytes, wait: 600 }, o),
    getProjectFeatures: (projectId: string, o?: CallOptions) =>
      call<ProjectFeatures>(routes.getProjectFeatures, { params: { projectId } }, o),

    getOrganization: (o?: CallOptions) => call<Organization>(routes.getOrganization, {}, o),
    listApiKeys: (query: ListQuery = {}, o?: CallOptions) =>
      call<ApiKeyList>(routes.listApiKeys, { query: { ...query } }, o),
    /** The answer holds the key; it is never shown again. */
    createApiKey: (body: CreateApiKeyBody, o?: CallOptions) =>
      call<CreatedApiKey>(routes.createApiKey, { body }, o),
    revokeApiKey: (keyId: string, o?: CallOptions) =>
      call<void>(routes.revokeApiKey, { params: { keyId } }, o),

    getHealth: (o?: CallOptions) => call<Health>(routes.getHealth, {}, o),
  };
}
