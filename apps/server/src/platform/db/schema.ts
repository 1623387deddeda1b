import type { AuditChange } from '@offprint/contract';
import type { ColumnType, Generated } from 'kysely';
import type {
  GeneratedJson,
  Json,
  NullableJson,
  NullableTimestamp,
  Optional,
  RequiredTimestamp,
  Timestamp,
} from './columns.ts';
import type { AnalyticsTables } from './schema-analytics.ts';
import type { AssistantTables } from './schema-assistant.ts';
import type {
  CommitStatusesTable,
  DeploymentsTable,
  DeploymentTasksTable,
  HostingTable,
  SitesTable,
  StoredCommit,
} from './schema-deployments.ts';
import type {
  AcmeAccountsTable,
  AcmeChallengesTable,
  CertificatesTable,
  SiteDomainsTable,
} from './schema-domains.ts';
import type {
  EmailSubscriptionsTable,
  NotificationsTable,
  WebhookEndpointsTable,
} from './schema-notifications.ts';
import type { ReaderAccessTable, ReaderGroupsTable, ReaderUsedTokensTable } from './schema-readers.ts';
import type { DeploymentVariantsTable, StoredPageAccess } from './schema-variants.ts';
import type { VectorTables } from './schema-vectors.ts';

export type * from './schema-analytics.ts';
export type * from './schema-assistant.ts';
export type * from './schema-deployments.ts';
export type * from './schema-domains.ts';
export type * from './schema-notifications.ts';
export type * from './schema-readers.ts';
export type * from './schema-variants.ts';
export type * from './schema-vectors.ts';

export interface OrganizationsTable {
  id: string;
  name: string;
  plan: ColumnType<
    'free' | 'pro' | 'enterprise',
    'free' | 'pro' | 'enterprise' | undefined,
    'free' | 'pro' | 'enterprise'
  >;
  created_at: Timestamp;
}

export interface ApiKeysTable {
  id: string;
  organization_id: string;
  name: string;
  key_hmac: Buffer;
  last4: string;
  /** Beside scopes, names that earlier versions understand. */
  scopes: string[];
  /** Ids of the projects to which the key is limited; null: all. */
  projects: Optional<string[]>;
  allowed_cidrs: Generated<string[]>;
  expires_at: NullableTimestamp;
  created_by: string;
  /** The key that created it. */
  created_by_key: Optional<string>;
  created_at: Timestamp;
  last_used_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
}

export type DeploymentType = 'cloud' | 'client-hosted' | 'air-gapped';
export type SourceKind = 'git' | 'upload' | 'folder';

export interface ProjectsTable {
  id: string;
  organization_id: string;
  name: string;
  deployment_type: ColumnType<DeploymentType, DeploymentType | undefined, DeploymentType>;
  /** Path below which the site is served on its domains: `/docs`, or empty for the root. */
  base_path: Generated<string>;
  source_kind: SourceKind;
  repository: Optional<string>;
  branch: Optional<string>;
  folder: Generated<string>;
  credential_sealed: Optional<Buffer>;
  upload_sha256: Optional<string>;
  features: GeneratedJson<Record<string, boolean>>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface DomainsTable {
  organization_id: string;
  domain: string;
  project_id: string;
  created_at: Timestamp;
}

export type ExportStatus = 'queued' | 'running' | 'completed' | 'failed';

/** One warning of a render, as kept in `exports.warnings`. */
export interface StoredWarning {
  file: string;
  line: number | null;
  code: string;
  message: string;
}

/** What started an export. */
export type ExportTrigger = 'call' | 'webhook' | 'schedule';

/** What an export does while it runs. */
export type RunningPhase = 'fetching' | 'rendering' | 'writing' | 'storing' | 'packing';

export interface ExportsTable {
  id: string;
  organization_id: string;
  project_id: Optional<string>;
  domain: string;
  status: ColumnType<ExportStatus, ExportStatus | undefined, ExportStatus>;
  attempt: Generated<number>;
  /** As `queue_entry` and `heartbeat_at`, of the earlier version only. */
  failures: Generated<number>;
  queue_entry: Optional<string>;
  version_requested: Optional<string>;
  ref_requested: Optional<string>;
  paths: NullableJson<string[]>;
  include_unlisted: Generated<boolean>;
  groups: GeneratedJson<string[]>;
  public_only: Generated<boolean>;
  is_variant: Generated<boolean>;
  page_access: NullableJson<StoredPageAccess>;
  /** Services of the platform that pages use: of deployments only. */
  services: GeneratedJson<Partial<Record<'analytics' | 'assistant' | 'mcp', boolean>>>;
  version: Optional<string>;
  commit: Optional<string>;
  commit_info: NullableJson<StoredCommit>;
  phase: Optional<RunningPhase>;
  phase_started_at: NullableTimestamp;
  progress: Generated<number>;
  page_count: Generated<number>;
  total_pages: Optional<number>;
  warnings: GeneratedJson<StoredWarning[]>;
  warning_count: Generated<number>;
  error: Optional<string>;
  error_code: Optional<string>;
  artifact_sha256: Optional<string>;
  artifact_files: Optional<number>;
  artifact_bytes: Optional<number>;
  bundle_sha256: Optional<string>;
  bundle_bytes: Optional<number>;
  created_by: Generated<string>;
  trigger: ColumnType<ExportTrigger, ExportTrigger | undefined, never>;
  created_at: Timestamp;
  updated_at: Timestamp;
  started_at: NullableTimestamp;
  heartbeat_at: NullableTimestamp;
  completed_at: NullableTimestamp;
}

export type ExportEvent = 'queued' | 'claimed' | 'released' | 'retried' | 'completed' | 'failed';

export interface ExportEventsTable {
  id: ColumnType<number, never, never>;
  export_id: string;
  attempt: number;
  event: ExportEvent;
  at: Timestamp;
}

export interface IdempotencyKeysTable {
  organization_id: string;
  route: string;
  key: string;
  fingerprint: Buffer;
  response_status: number;
  response_body: Json<unknown>;
  response_headers: GeneratedJson<Record<string, string>>;
  created_at: Timestamp;
}

export interface JobsTable {
  id: string;
  kind: string;
  organization_id: string;
  lane: Optional<string>;
  attempt: Generated<number>;
  failures: Generated<number>;
  deaths: Generated<number>;
  queued_at: Timestamp;
  run_at: Timestamp;
  worker: Optional<number>;
  beat_at: NullableTimestamp;
  trace_parent: Optional<string>;
}

export interface JobTurnsTable {
  kind: string;
  organization_id: string;
  at: Timestamp;
}

export interface LostArtifactsTable {
  id: string;
  organization_id: string;
  bundle_sha256: string;
  export_id: string;
  state: ColumnType<
    'queued' | 'running' | 'lost',
    'queued' | 'running' | 'lost' | undefined,
    'queued' | 'running' | 'lost'
  >;
  attempt: Generated<number>;
  reason: string;
  error: Optional<string>;
  error_code: Optional<string>;
  found_at: Timestamp;
  updated_at: Timestamp;
}

export interface LinkRecordsTable {
  project_id: string;
  organization_id: string;
  served_at: RequiredTimestamp;
  links: Buffer;
}

/** Kinds of jobs, or workers, that claim nothing. */
export interface ClaimStopsTable {
  kind: Optional<string>;
  worker: Optional<number>;
  at: Timestamp;
}

/** Of the earlier version only, whose processes run until an upgrade is finished. */
export interface QueueClaimsTable {
  entry: string;
  queue: string;
  delivery: number;
  worker: number;
  beat_at: Timestamp;
}

export interface AgentSettingsTable {
  project_id: string;
  organization_id: string;
  model: NullableJson<unknown>;
  model_key_sealed: Optional<Buffer>;
  forge: NullableJson<unknown>;
  forge_secret_sealed: Optional<Buffer>;
  instructions: Generated<string>;
  write_allow: GeneratedJson<string[]>;
  branch_prefix: Generated<string>;
  updated_at: Timestamp;
}

export type AgentPhase =
  | 'queued'
  | 'preparing'
  | 'running'
  | 'waiting'
  | 'publishing'
  | 'idle'
  | 'failed'
  | 'archived';

export interface AgentJobsTable {
  id: string;
  organization_id: string;
  project_id: string;
  phase: ColumnType<AgentPhase, AgentPhase | undefined, AgentPhase>;
  attempt: Generated<number>;
  /** As `queue_entry`, of the earlier version only. */
  failures: Generated<number>;
  queue_entry: Optional<string>;
  created_by: string;
  branch_requested: Optional<string>;
  base_branch_requested: Optional<string>;
  draft: Generated<boolean>;
  model_requested: Optional<string>;
  subject: Generated<string>;
  repository: string;
  model: string;
  base_branch: Optional<string>;
  base_commit: Optional<string>;
  branch: Optional<string>;
  branch_round: Generated<number>;
  instructions: Optional<string>;
  instructions_source: Optional<string>;
  baseline: NullableJson<unknown>;
  baseline_key: Optional<string>;
  turn: Generated<number>;
  last_seq: Generated<number>;
  memory: GeneratedJson<unknown>;
  counters: GeneratedJson<unknown>;
  usage: GeneratedJson<unknown>;
  checks: NullableJson<unknown>;
  verdict: NullableJson<unknown>;
  outcome: NullableJson<unknown>;
  title: Optional<string>;
  commit_sha: Optional<string>;
  commit_at: NullableTimestamp;
  pushed_sha: Optional<string>;
  pull_requests: GeneratedJson<unknown>;
  pr_link: Optional<string>;
  failure_code: Optional<string>;
  failure_message: Optional<string>;
  waiting_until: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
  turn_started_at: NullableTimestamp;
  completed_at: NullableTimestamp;
  archived_at: NullableTimestamp;
  emptied_at: NullableTimestamp;
}

export interface AgentMessagesTable {
  id: ColumnType<number, never, never>;
  job_id: string;
  project_id: string;
  prompt: string;
  created_by: string;
  created_at: Timestamp;
  delivered_seq: Optional<number>;
}

export type AgentEventKind =
  | 'state'
  | 'prompt'
  | 'assistant'
  | 'results'
  | 'notice'
  | 'compaction'
  | 'published';

export interface AgentEventsTable {
  job_id: string;
  seq: number;
  turn: number;
  attempt: number;
  kind: AgentEventKind;
  body: Json<unknown>;
  at: Timestamp;
}

export interface AgentFilesTable {
  job_id: string;
  path: string;
  content: Optional<Buffer>;
  before: Optional<Buffer>;
}

export interface AgentModelCallsTable {
  id: ColumnType<number, never, never>;
  job_id: string;
  turn: number;
  attempt: number;
  started_at: Timestamp;
  ended_at: NullableTimestamp;
  outcome: Optional<string>;
  usage: NullableJson<unknown>;
}

export interface AgentDraftsTable {
  job_id: string;
  turn: number;
  after_seq: number;
  text: string;
  at: Timestamp;
}

export interface UsersTable {
  id: string;
  email: string;
  name: string;
  password_hash: Optional<string>;
  email_verified_at: NullableTimestamp;
  is_operator: Generated<boolean>;
  disabled_at: NullableTimestamp;
  last_sign_in_at: NullableTimestamp;
  created_at: Timestamp;
}

export interface UserIdentitiesTable {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: Timestamp;
}

export interface SessionsTable {
  id: string;
  user_id: string;
  token_sha256: Buffer;
  address: Optional<string>;
  user_agent: Optional<string>;
  created_at: Timestamp;
  last_seen_at: Timestamp;
  expires_at: RequiredTimestamp;
}

export interface PasswordResetsTable {
  token_sha256: Buffer;
  user_id: string;
  mailed: Generated<boolean>;
  created_at: Timestamp;
  expires_at: RequiredTimestamp;
}

export interface SignInFailuresTable {
  subject: Buffer;
  failures: number;
  last_at: Timestamp;
  locked_until: NullableTimestamp;
}

export interface PeriodicTasksTable {
  name: string;
  holder: Optional<string>;
  due_at: RequiredTimestamp;
}

export interface UsageDaysTable {
  organization_id: string;
  day: string;
  exports: ColumnType<number, number | undefined, number>;
  agent_jobs: ColumnType<number, number | undefined, number>;
}

export interface RateLimitsTable {
  subject: Buffer;
  full_at: RequiredTimestamp;
  cost: string;
}

type Role = 'viewer' | 'editor' | 'admin';

export interface MembersTable {
  organization_id: string;
  user_id: string;
  role: Role;
  created_at: Timestamp;
}

export interface InvitationsTable {
  id: string;
  organization_id: string;
  email: string;
  role: Role;
  token_sha256: Buffer;
  invited_by: string;
  /** The key that sent it. */
  invited_by_key: Optional<string>;
  created_at: Timestamp;
  expires_at: RequiredTimestamp;
  accepted_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
}

export type AuditActorKind = 'member' | 'key' | 'user' | 'operator' | 'webhook' | 'schedule' | 'stranger';

export type AuditOutcome = 'done' | 'refused' | 'failed';

export interface AuditEventsTable {
  id: ColumnType<number, never, never>;
  organization_id: Optional<string>;
  at: Timestamp;
  actor_kind: AuditActorKind;
  actor_id: Optional<string>;
  actor_name: string;
  action: string;
  target: Optional<string>;
  target_name: Optional<string>;
  project_id: Optional<string>;
  changes: NullableJson<AuditChange[]>;
  outcome: AuditOutcome;
  code: Optional<string>;
  address: Optional<string>;
  request_id: Optional<string>;
}

export interface UsageMonthsTable {
  organization_id: string;
  month: string;
  exports: Generated<number>;
  pages: Generated<number>;
  agent_jobs: Generated<number>;
  agent_calls: Generated<number>;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  cost_usd: Optional<number>;
}

export interface AutomationsTable {
  project_id: string;
  organization_id: string;
  domain: Optional<string>;
  webhook_enabled: Generated<boolean>;
  webhook_branch: Optional<string>;
  webhook_secret_sealed: Optional<Buffer>;
  cron: Optional<string>;
  time_zone: Generated<string>;
  next_at: NullableTimestamp;
  updated_at: Timestamp;
}

export type TriggerKind = 'webhook' | 'schedule';

export type TriggerOutcome = 'started' | 'skipped' | 'refused';

export interface TriggersTable {
  id: ColumnType<number, never, never>;
  project_id: string;
  at: Timestamp;
  kind: TriggerKind;
  delivery: Optional<string>;
  event: Optional<string>;
  ref: Optional<string>;
  commit: Optional<string>;
  outcome: TriggerOutcome;
  message: string;
  export_id: Optional<string>;
}

export interface InstallationTable {
  is_only: Generated<boolean>;
  /** Derived from the secret, to recognize another one. */
  secret_check: Buffer;
}

/** Every table of `migrations/`; `database.test.ts` compares it with the migrated database. */
export interface Database extends AnalyticsTables, AssistantTables, VectorTables {
  installation: InstallationTable;
  organizations: OrganizationsTable;
  api_keys: ApiKeysTable;
  projects: ProjectsTable;
  domains: DomainsTable;
  exports: ExportsTable;
  export_events: ExportEventsTable;
  idempotency_keys: IdempotencyKeysTable;
  jobs: JobsTable;
  job_turns: JobTurnsTable;
  lost_artifacts: LostArtifactsTable;
  site_domains: SiteDomainsTable;
  acme_accounts: AcmeAccountsTable;
  certificates: CertificatesTable;
  acme_challenges: AcmeChallengesTable;
  link_records: LinkRecordsTable;
  claim_stops: ClaimStopsTable;
  queue_claims: QueueClaimsTable;
  agent_settings: AgentSettingsTable;
  agent_jobs: AgentJobsTable;
  agent_messages: AgentMessagesTable;
  agent_events: AgentEventsTable;
  agent_files: AgentFilesTable;
  agent_model_calls: AgentModelCallsTable;
  agent_drafts: AgentDraftsTable;
  users: UsersTable;
  user_identities: UserIdentitiesTable;
  sessions: SessionsTable;
  password_resets: PasswordResetsTable;
  sign_in_failures: SignInFailuresTable;
  rate_limits: RateLimitsTable;
  periodic_tasks: PeriodicTasksTable;
  usage_days: UsageDaysTable;
  members: MembersTable;
  invitations: InvitationsTable;
  audit_events: AuditEventsTable;
  usage_months: UsageMonthsTable;
  automations: AutomationsTable;
  triggers: TriggersTable;
  hosting: HostingTable;
  sites: SitesTable;
  deployments: DeploymentsTable;
  deployment_tasks: DeploymentTasksTable;
  deployment_variants: DeploymentVariantsTable;
  commit_statuses: CommitStatusesTable;
  webhook_endpoints: WebhookEndpointsTable;
  email_subscriptions: EmailSubscriptionsTable;
  notifications: NotificationsTable;
  reader_access: ReaderAccessTable;
  reader_used_tokens: ReaderUsedTokensTable;
  reader_groups: ReaderGroupsTable;
}
