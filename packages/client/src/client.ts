import {
  type AddDomainBody,
  type AgentJob,
  type AgentJobDiff,
  type AgentJobEvent,
  type AgentJobList,
  type AgentJobStatus,
  type AgentModelTest,
  type AgentSettings,
  type AnalyticsBrokenLinks,
  type AnalyticsFeedback,
  type AnalyticsFeedbackByPage,
  type AnalyticsFeedbackEntry,
  type AnalyticsReferrers,
  type AnalyticsSearches,
  type AnalyticsTraffic,
  type AnalyticsViews,
  type AnalyticsVisitors,
  type ApiKeyList,
  type AssistantCallerStats,
  type AssistantConversations,
  type AssistantSettings,
  type AssistantThread,
  type AuditEventList,
  type AuditFilter,
  type Automation,
  type ChangePasswordBody,
  type ChangeReport,
  type ConnectionTest,
  type CreateAgentJobBody,
  type CreateApiKeyBody,
  type CreateBundleBody,
  type CreatedApiKey,
  type CreatedInvitation,
  type CreatedWebhookEndpoint,
  type CreateInvitationBody,
  type CreateOrganizationBody,
  type CreateProjectBody,
  type CreateWebhookEndpointBody,
  type DeployKey,
  type Deployment,
  type DeploymentKind,
  type DeploymentList,
  type EmailNotifications,
  type ExportBundle,
  type ExportChanges,
  type ExportJob,
  type ExportList,
  type ExportPageChanges,
  type ExportPreview,
  type ExportStatus,
  type ExportWarning,
  type FeedbackSource,
  type Health,
  type Hosting,
  type InvitationList,
  type InvitationPreview,
  type LatestBundleQuery,
  type Member,
  type MemberList,
  type Notification,
  type NotificationList,
  type OperatedOrganization,
  type OperatedOrganizationList,
  type OperatedUser,
  type OperatedUserList,
  type Organization,
  type PasswordResetLink,
  type Project,
  type ProjectFeatures,
  type ProjectList,
  type PromoteDeploymentBody,
  type ReaderAccess,
  type ReaderCode,
  type ReaderSite,
  type ReaderTokenKey,
  type RequestPasswordResetBody,
  type ResetPasswordBody,
  type Route,
  routes,
  type SearchResult,
  type SearchSiteBody,
  type SendAgentMessageBody,
  type Session,
  type SignInBody,
  type SignInOptions,
  type SignUpBody,
  type SiteDomain,
  type SiteDomainList,
  type SitePage,
  type SitePageBody,
  type SiteRecordsQuery,
  type SourceUpload,
  type StartExportBody,
  type TestConnectionBody,
  type TriggeredPreview,
  type TriggeredUpdate,
  type TriggerList,
  type TriggerPreviewBody,
  type UpdateAgentSettingsBody,
  type UpdateAssistantSettingsBody,
  type UpdateAutomationBody,
  type UpdateDomainBody,
  type UpdateEmailNotificationsBody,
  type UpdateFeedbackBody,
  type UpdateHostingBody,
  type UpdateMemberBody,
  type UpdateOperatedOrganizationBody,
  type UpdateOperatedUserBody,
  type UpdateOrganizationBody,
  type UpdateProjectBody,
  type UpdateProjectFeaturesBody,
  type UpdateReaderAccessBody,
  type UpdateStatus,
  type UpdateUserBody,
  type UpdateWebhookEndpointBody,
  type Usage,
  type User,
  type UserSessionList,
  type WebhookEndpoint,
  type WebhookEndpointList,
  type WebhookSecret,
} from '@offprint/contract';
import { type AssistantEvent, askAssistant } from './assistant.ts';
import { type FollowOptions, followAgentJob, followExport } from './follow.ts';
import { type CallInput, type CallOptions, type ClientOptions, createSend, readBody } from './request.ts';
import { type WaitOptions, waitForAgentJob, waitForExport } from './wait.ts';

/** The cursor of a list, and how many items it returns (1 to 100, default 20). */
export interface ListQuery {
  cursor?: string | undefined;
  limit?: number | undefined;
}

/** Days of an analytics request: `YYYY-MM-DD`, `dateTo` is exclusive. */
export interface AnalyticsDays {
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
}

/** Rows of an analytics request. */
export interface AnalyticsPage extends AnalyticsDays {
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface FeedbackFilter {
  source?: FeedbackSource | undefined;
  /** States, comma-separated. */
  status?: string | undefined;
}

export interface ExportListQuery extends ListQuery {
  domain?: string | undefined;
  projectId?: string | undefined;
  status?: ExportStatus | undefined;
}

export interface AgentJobListQuery extends ListQuery {
  status?: AgentJobStatus | undefined;
}

export interface AssistantConversationsQuery {
  dateFrom?: string | undefined;
  /** Date after the last one. */
  dateTo?: string | undefined;
  resolutionStatus?: 'answered' | 'unanswered' | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export type Client = ReturnType<typeof createClient>;

/**
 * A typed client of the admin API: one method for each operation of the contract, with the path parameters
 * first, then the body or the query. Methods reject with an ApiError if the server rejects the request and
 * with a ConnectionError if it cannot be reached; both only after the retries (429, 503, interrupted
 * connections; `Retry-After` is obeyed, and a repeated POST has the same `Idempotency-Key`).
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
    /**
     * The bundle of the newest export of a domain, or of the newest with a label. Null when that is the one with
     * the digest `ifNoneMatch`.
     */
    getLatestBundle: async (
      query: LatestBundleQuery,
      { ifNoneMatch, ...o }: CallOptions & { ifNoneMatch?: string | undefined } = {},
    ) => {
      const headers: Record<string, string> =
        ifNoneMatch === undefined ? {} : { 'if-none-match': `"${ifNoneMatch}"` };
      const bundle = await call<ExportBundle | undefined>(
        routes.getLatestBundle,
        { query: { ...query }, headers },
        o,
      );
      return bundle ?? null;
    },
    cancelExport: (jobId: string, o?: CallOptions) =>
      call<ExportJob>(routes.cancelExport, { params: { jobId } }, o),
    deleteExport: (jobId: string, o?: CallOptions) =>
      call<void>(routes.deleteExport, { params: { jobId } }, o),
    listExportWarnings: (jobId: string, o?: CallOptions) =>
      call<ExportWarning[]>(routes.listExportWarnings, { params: { jobId } }, o),
    /** Pages added, removed and changed since another export; default: the one before it. */
    getExportChanges: (jobId: string, query: { since?: string } = {}, o?: CallOptions) =>
      call<ExportChanges>(routes.getExportChanges, { params: { jobId }, query: { ...query } }, o),
    /** The text of one page compared with another export; default: the one before it. */
    getChangeReport: (jobId: string, query: { since?: string } = {}, o?: CallOptions) =>
      call<ChangeReport>(routes.getChangeReport, { params: { jobId }, query: { ...query } }, o),
    getExportPageChanges: (jobId: string, query: { path: string; since?: string }, o?: CallOptions) =>
      call<ExportPageChanges>(routes.getExportPageChanges, { params: { jobId }, query: { ...query } }, o),
    createPreview: (jobId: string, o?: CallOptions) =>
      call<ExportPreview>(routes.createPreview, { params: { jobId } }, o),
    /** Queues an update of the site of a project. */
    triggerUpdate: (projectId: string, o?: CallOptions) =>
      call<TriggeredUpdate>(routes.triggerUpdate, { params: { projectId } }, o),
    getUpdateStatus: (statusId: string, o?: CallOptions) =>
      call<UpdateStatus>(routes.getUpdateStatus, { params: { statusId } }, o),
    /** Queues an update of the preview of a branch. */
    triggerPreview: (projectId: string, body: TriggerPreviewBody, o?: CallOptions) =>
      call<TriggeredPreview>(routes.triggerPreview, { params: { projectId }, body }, o),
    listDeployments: (
      projectId: string,
      query: ListQuery & { kind?: DeploymentKind | undefined } = {},
      o?: CallOptions,
    ) => call<DeploymentList>(routes.listDeployments, { params: { projectId }, query: { ...query } }, o),
    getDeployment: (projectId: string, deploymentId: string, o?: CallOptions) =>
      call<Deployment>(routes.getDeployment, { params: { projectId, deploymentId } }, o),
    /** Makes an earlier production deployment live again. */
    promoteDeployment: (
      projectId: string,
      deploymentId: string,
      body: PromoteDeploymentBody = {},
      o?: CallOptions,
    ) => call<Deployment>(routes.promoteDeployment, { params: { projectId, deploymentId }, body }, o),
    /** Starts the export of a commit of a fork. */
    approveDeployment: (projectId: string, deploymentId: string, o?: CallOptions) =>
      call<Deployment>(routes.approveDeployment, { params: { projectId, deploymentId } }, o),
    deleteDeployment: (projectId: string, deploymentId: string, o?: CallOptions) =>
      call<void>(routes.deleteDeployment, { params: { projectId, deploymentId } }, o),
    /** Pages of a site that fit a query, the best first. */
    searchSite: (domain: string, body: SearchSiteBody, o?: CallOptions) =>
      call<SearchResult[]>(routes.searchSite, { params: { domain }, body }, o),
    getSitePage: (domain: string, body: SitePageBody, o?: CallOptions) =>
      call<SitePage>(routes.getSitePage, { params: { domain }, body }, o),
    /** The response as it is received: JSON lines. */
    listSiteRecords: (domain: string, query: SiteRecordsQuery = {}, o?: CallOptions) =>
      send(routes.listSiteRecords, { params: { domain }, query: { ...query }, wait: 600 }, o),
    getHosting: (projectId: string, o?: CallOptions) =>
      call<Hosting>(routes.getHosting, { params: { projectId } }, o),
    updateHosting: (projectId: string, body: UpdateHostingBody, o?: CallOptions) =>
      call<Hosting>(routes.updateHosting, { params: { projectId }, body }, o),
    /** The events of an export, from its state now to `done`; a stream that breaks is opened again. */
    streamExportEvents: (jobId: string, o?: { signal?: AbortSignal }) => followExport(send, jobId, o),

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
    /** The events of a job from the start, or after `after`, to `done`; reconnects after an interruption. */
    streamAgentJobEvents: (projectId: string, id: string, o?: FollowOptions): AsyncGenerator<AgentJobEvent> =>
      followAgentJob(send, projectId, id, o),
    getAgentJobDiff: (projectId: string, id: string, o?: CallOptions) =>
      call<AgentJobDiff>(routes.getAgentJobDiff, { params: { projectId, id } }, o),
    getAgentSettings: (projectId: string, o?: CallOptions) =>
      call<AgentSettings>(routes.getAgentSettings, { params: { projectId } }, o),
    /** Replaces the settings; secrets that are left out are kept while they go to the same place. */
    updateAgentSettings: (projectId: string, body: UpdateAgentSettingsBody, o?: CallOptions) =>
      call<AgentSettings>(routes.updateAgentSettings, { params: { projectId }, body }, o),
    /** Sends a small request to the model of the project. */
    testAgentModel: (projectId: string, o?: CallOptions) =>
      call<AgentModelTest>(routes.testAgentModel, { params: { projectId }, wait: 100 }, o),

    /** Asks the assistant of a site; the events of the response as they arrive. */
    createAssistantMessage: (
      domain: string,
      body: Parameters<typeof askAssistant>[2],
      o?: CallOptions,
    ): AsyncGenerator<AssistantEvent> => askAssistant(send, domain, body, o),
    getAssistantSettings: (projectId: string, o?: CallOptions) =>
      call<AssistantSettings>(routes.getAssistantSettings, { params: { projectId } }, o),
    updateAssistantSettings: (
      projectId: string,
      body: Partial<UpdateAssistantSettingsBody>,
      o?: CallOptions,
    ) => call<AssistantSettings>(routes.updateAssistantSettings, { params: { projectId }, body }, o),
    listAssistantConversations: (
      projectId: string,
      query: AssistantConversationsQuery = {},
      o?: CallOptions,
    ) =>
      call<AssistantConversations>(
        routes.listAssistantConversations,
        { params: { projectId }, query: { ...query } },
        o,
      ),
    getAssistantThread: (projectId: string, threadId: string, o?: CallOptions) =>
      call<AssistantThread>(routes.getAssistantThread, { params: { projectId, threadId } }, o),
    getAssistantCallerStats: (
      projectId: string,
      query: { dateFrom?: string; dateTo?: string } = {},
      o?: CallOptions,
    ) =>
      call<AssistantCallerStats>(
        routes.getAssistantCallerStats,
        { params: { projectId }, query: { ...query } },
        o,
      ),

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
    /**
     * Uploads a tar.gz of the docs folder. Bytes and Blobs are sent again after an error, streams are not.
     */
    putProjectSource: (projectId: string, bytes: NonNullable<CallInput['bytes']>, o?: CallOptions) =>
      call<SourceUpload>(routes.putProjectSource, { params: { projectId }, bytes, wait: 600 }, o),
    getProjectFeatures: (projectId: string, o?: CallOptions) =>
      call<ProjectFeatures>(routes.getProjectFeatures, { params: { projectId } }, o),
    createDeployKey: (projectId: string, o?: CallOptions) =>
      call<DeployKey>(routes.createDeployKey, { params: { projectId } }, o),
    updateProjectFeatures: (projectId: string, body: UpdateProjectFeaturesBody, o?: CallOptions) =>
      call<ProjectFeatures>(routes.updateProjectFeatures, { params: { projectId }, body }, o),
    testConnection: (body: TestConnectionBody, o?: CallOptions) =>
      call<ConnectionTest>(routes.testConnection, { body, wait: 60 }, o),

    getOrganization: (o?: CallOptions) => call<Organization>(routes.getOrganization, {}, o),
    updateOrganization: (body: UpdateOrganizationBody, o?: CallOptions) =>
      call<Organization>(routes.updateOrganization, { body }, o),
    createOrganization: (body: CreateOrganizationBody, o?: CallOptions) =>
      call<Organization>(routes.createOrganization, { body }, o),
    listMembers: (query: ListQuery = {}, o?: CallOptions) =>
      call<MemberList>(routes.listMembers, { query: { ...query } }, o),
    updateMember: (userId: string, body: UpdateMemberBody, o?: CallOptions) =>
      call<Member>(routes.updateMember, { params: { userId }, body }, o),
    removeMember: (userId: string, o?: CallOptions) =>
      call<void>(routes.removeMember, { params: { userId } }, o),
    leaveOrganization: (organizationId: string, o?: CallOptions) =>
      call<void>(routes.leaveOrganization, { params: { organizationId } }, o),
    listInvitations: (query: ListQuery = {}, o?: CallOptions) =>
      call<InvitationList>(routes.listInvitations, { query: { ...query } }, o),
    /** The response contains the link; it is never shown again. */
    createInvitation: (body: CreateInvitationBody, o?: CallOptions) =>
      call<CreatedInvitation>(routes.createInvitation, { body }, o),
    revokeInvitation: (invitationId: string, o?: CallOptions) =>
      call<void>(routes.revokeInvitation, { params: { invitationId } }, o),
    previewInvitation: (token: string, o?: CallOptions) =>
      call<InvitationPreview>(routes.previewInvitation, { body: { token } }, o),
    acceptInvitation: (token: string, o?: CallOptions) =>
      call<Organization>(routes.acceptInvitation, { body: { token } }, o),

    listAuditEvents: (query: AuditFilter & ListQuery = {}, o?: CallOptions) =>
      call<AuditEventList>(routes.listAuditEvents, { query: { ...query } }, o),
    /** The response as it is received: CSV or JSON lines. */
    exportAuditEvents: (query: AuditFilter & { format?: 'csv' | 'jsonl' } = {}, o?: CallOptions) =>
      send(routes.exportAuditEvents, { query: { ...query }, wait: 600 }, o),
    getUsage: (query: { months?: number } = {}, o?: CallOptions) =>
      call<Usage>(routes.getUsage, { query: { ...query } }, o),

    getAnalyticsViews: (projectId: string, query: AnalyticsPage = {}, o?: CallOptions) =>
      call<AnalyticsViews>(routes.getAnalyticsViews, { params: { projectId }, query: { ...query } }, o),
    getAnalyticsVisitors: (projectId: string, query: AnalyticsPage = {}, o?: CallOptions) =>
      call<AnalyticsVisitors>(routes.getAnalyticsVisitors, { params: { projectId }, query: { ...query } }, o),
    getAnalyticsSearches: (
      projectId: string,
      query: AnalyticsDays & ListQuery & { withoutResults?: boolean } = {},
      o?: CallOptions,
    ) =>
      call<AnalyticsSearches>(routes.getAnalyticsSearches, { params: { projectId }, query: { ...query } }, o),
    getAnalyticsFeedback: (
      projectId: string,
      query: AnalyticsDays & ListQuery & FeedbackFilter = {},
      o?: CallOptions,
    ) =>
      call<AnalyticsFeedback>(routes.getAnalyticsFeedback, { params: { projectId }, query: { ...query } }, o),
    getAnalyticsFeedbackByPage: (
      projectId: string,
      query: AnalyticsPage & FeedbackFilter = {},
      o?: CallOptions,
    ) =>
      call<AnalyticsFeedbackByPage>(
        routes.getAnalyticsFeedbackByPage,
        { params: { projectId }, query: { ...query } },
        o,
      ),
    updateAnalyticsFeedback: (
      projectId: string,
      feedbackId: string,
      body: UpdateFeedbackBody,
      o?: CallOptions,
    ) =>
      call<AnalyticsFeedbackEntry>(
        routes.updateAnalyticsFeedback,
        { params: { projectId, feedbackId }, body },
        o,
      ),
    getAnalyticsTraffic: (projectId: string, query: AnalyticsDays = {}, o?: CallOptions) =>
      call<AnalyticsTraffic>(routes.getAnalyticsTraffic, { params: { projectId }, query: { ...query } }, o),
    getAnalyticsReferrers: (projectId: string, query: AnalyticsPage = {}, o?: CallOptions) =>
      call<AnalyticsReferrers>(
        routes.getAnalyticsReferrers,
        { params: { projectId }, query: { ...query } },
        o,
      ),
    getAnalyticsBrokenLinks: (projectId: string, query: AnalyticsPage = {}, o?: CallOptions) =>
      call<AnalyticsBrokenLinks>(
        routes.getAnalyticsBrokenLinks,
        { params: { projectId }, query: { ...query } },
        o,
      ),
    /** The response as it is received: JSON lines. */
    exportAnalyticsEvents: (projectId: string, query: AnalyticsDays = {}, o?: CallOptions) =>
      send(routes.exportAnalyticsEvents, { params: { projectId }, query: { ...query }, wait: 600 }, o),

    listDomains: (projectId: string, query: ListQuery = {}, o?: CallOptions) =>
      call<SiteDomainList>(routes.listDomains, { params: { projectId }, query: { ...query } }, o),
    addDomain: (projectId: string, body: AddDomainBody, o?: CallOptions) =>
      call<SiteDomain>(routes.addDomain, { params: { projectId }, body }, o),
    getDomain: (projectId: string, domainId: string, o?: CallOptions) =>
      call<SiteDomain>(routes.getDomain, { params: { projectId, domainId } }, o),
    updateDomain: (projectId: string, domainId: string, body: UpdateDomainBody, o?: CallOptions) =>
      call<SiteDomain>(routes.updateDomain, { params: { projectId, domainId }, body }, o),
    checkDomain: (projectId: string, domainId: string, o?: CallOptions) =>
      call<SiteDomain>(routes.checkDomain, { params: { projectId, domainId } }, o),
    releaseDomain: (projectId: string, domainId: string, o?: CallOptions) =>
      call<void>(routes.releaseDomain, { params: { projectId, domainId } }, o),

    getAutomation: (projectId: string, o?: CallOptions) =>
      call<Automation>(routes.getAutomation, { params: { projectId } }, o),
    updateAutomation: (projectId: string, body: UpdateAutomationBody, o?: CallOptions) =>
      call<Automation>(routes.updateAutomation, { params: { projectId }, body }, o),
    /** The response contains the secret; it is never shown again. */
    createWebhookSecret: (projectId: string, o?: CallOptions) =>
      call<WebhookSecret>(routes.createWebhookSecret, { params: { projectId } }, o),
    getReaderAccess: (projectId: string, o?: CallOptions) =>
      call<ReaderAccess>(routes.getReaderAccess, { params: { projectId } }, o),
    updateReaderAccess: (projectId: string, body: UpdateReaderAccessBody, o?: CallOptions) =>
      call<ReaderAccess>(routes.updateReaderAccess, { params: { projectId }, body }, o),
    /** The response contains the private key; it is never shown again. */
    createReaderTokenKey: (projectId: string, site: ReaderSite, o?: CallOptions) =>
      call<ReaderTokenKey>(routes.createReaderTokenKey, { params: { projectId }, body: { site } }, o),
    signReadersOut: (projectId: string, site: ReaderSite, o?: CallOptions) =>
      call<void>(routes.signReadersOut, { params: { projectId }, body: { site } }, o),
    createReaderCode: (request: string, o?: CallOptions) =>
      call<ReaderCode>(routes.createReaderCode, { body: { request } }, o),
    listTriggers: (projectId: string, query: ListQuery = {}, o?: CallOptions) =>
      call<TriggerList>(routes.listTriggers, { params: { projectId }, query: { ...query } }, o),

    getSignInOptions: (o?: CallOptions) => call<SignInOptions>(routes.getSignInOptions, {}, o),
    signUp: (body: SignUpBody, o?: CallOptions) => call<Session>(routes.signUp, { body }, o),
    signIn: (body: SignInBody, o?: CallOptions) => call<Session>(routes.signIn, { body }, o),
    signOut: (o?: CallOptions) => call<void>(routes.signOut, {}, o),
    requestPasswordReset: (body: RequestPasswordResetBody, o?: CallOptions) =>
      call<void>(routes.requestPasswordReset, { body }, o),
    resetPassword: (body: ResetPasswordBody, o?: CallOptions) =>
      call<void>(routes.resetPassword, { body }, o),
    getSession: (o?: CallOptions) => call<Session>(routes.getSession, {}, o),
    updateUser: (body: UpdateUserBody, o?: CallOptions) => call<User>(routes.updateUser, { body }, o),
    changePassword: (body: ChangePasswordBody, o?: CallOptions) =>
      call<void>(routes.changePassword, { body }, o),
    listUserSessions: (o?: CallOptions) => call<UserSessionList>(routes.listUserSessions, {}, o),
    endUserSession: (sessionId: string, o?: CallOptions) =>
      call<void>(routes.endUserSession, { params: { sessionId } }, o),

    listOperatedOrganizations: (query: ListQuery & { search?: string } = {}, o?: CallOptions) =>
      call<OperatedOrganizationList>(routes.listOperatedOrganizations, { query: { ...query } }, o),
    updateOperatedOrganization: (
      organizationId: string,
      body: UpdateOperatedOrganizationBody,
      o?: CallOptions,
    ) =>
      call<OperatedOrganization>(routes.updateOperatedOrganization, { params: { organizationId }, body }, o),
    listOperatedUsers: (query: ListQuery & { search?: string } = {}, o?: CallOptions) =>
      call<OperatedUserList>(routes.listOperatedUsers, { query: { ...query } }, o),
    updateOperatedUser: (userId: string, body: UpdateOperatedUserBody, o?: CallOptions) =>
      call<OperatedUser>(routes.updateOperatedUser, { params: { userId }, body }, o),
    /** The response contains the link; it is never shown again. */
    createPasswordResetLink: (userId: string, o?: CallOptions) =>
      call<PasswordResetLink>(routes.createPasswordResetLink, { params: { userId } }, o),

    listApiKeys: (query: ListQuery = {}, o?: CallOptions) =>
      call<ApiKeyList>(routes.listApiKeys, { query: { ...query } }, o),
    /** The response contains the key; it is never shown again. */
    createApiKey: (body: CreateApiKeyBody, o?: CallOptions) =>
      call<CreatedApiKey>(routes.createApiKey, { body }, o),
    revokeApiKey: (keyId: string, o?: CallOptions) =>
      call<void>(routes.revokeApiKey, { params: { keyId } }, o),

    listWebhookEndpoints: (projectId: string, o?: CallOptions) =>
      call<WebhookEndpointList>(routes.listWebhookEndpoints, { params: { projectId } }, o),
    /** The response contains the secret; it is never shown again. */
    createWebhookEndpoint: (projectId: string, body: CreateWebhookEndpointBody, o?: CallOptions) =>
      call<CreatedWebhookEndpoint>(routes.createWebhookEndpoint, { params: { projectId }, body }, o),
    updateWebhookEndpoint: (
      projectId: string,
      endpointId: string,
      body: UpdateWebhookEndpointBody,
      o?: CallOptions,
    ) => call<WebhookEndpoint>(routes.updateWebhookEndpoint, { params: { projectId, endpointId }, body }, o),
    deleteWebhookEndpoint: (projectId: string, endpointId: string, o?: CallOptions) =>
      call<void>(routes.deleteWebhookEndpoint, { params: { projectId, endpointId } }, o),
    testWebhookEndpoint: (projectId: string, endpointId: string, o?: CallOptions) =>
      call<Notification>(routes.testWebhookEndpoint, { params: { projectId, endpointId } }, o),
    listNotifications: (projectId: string, query: ListQuery = {}, o?: CallOptions) =>
      call<NotificationList>(routes.listNotifications, { params: { projectId }, query: { ...query } }, o),
    redeliverNotification: (projectId: string, notificationId: string, o?: CallOptions) =>
      call<Notification>(routes.redeliverNotification, { params: { projectId, notificationId } }, o),
    getEmailNotifications: (projectId: string, o?: CallOptions) =>
      call<EmailNotifications>(routes.getEmailNotifications, { params: { projectId } }, o),
    updateEmailNotifications: (projectId: string, body: UpdateEmailNotificationsBody, o?: CallOptions) =>
      call<EmailNotifications>(routes.updateEmailNotifications, { params: { projectId }, body }, o),

    getHealth: (o?: CallOptions) => call<Health>(routes.getHealth, {}, o),
  };
}
