import {
  type ApiKeyList,
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
  type SourceUpload,
  type StartExportBody,
  type UpdateProjectBody,
} from '@offprint/contract';
import { readEvents } from './events.ts';
import { type CallInput, type CallOptions, type ClientOptions, createSend, readBody } from './request.ts';
import { type WaitOptions, waitForExport } from './wait.ts';

/** Where a list goes on, and how many items it returns (1 to 100, default 20). */
export interface ListQuery {
  cursor?: string | undefined;
  limit?: number | undefined;
}

export interface ExportListQuery extends ListQuery {
  domain?: string | undefined;
  status?: ExportStatus | undefined;
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
