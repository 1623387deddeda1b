import { type ColumnType, type Generated, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

/** Set by the database when left out (`DEFAULT now()`); read as a Date, millisecond precision. */
type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;
type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;

/** jsonb: read as a value, written as text made by `json()`. */
type Json<Value> = ColumnType<Value, string, string>;
type NullableJson<Value> = ColumnType<Value | null, string | null | undefined, string | null>;
type GeneratedJson<Value> = ColumnType<Value, string | undefined, string>;

/** A column that is NULL until something sets it. */
type Optional<Value> = ColumnType<Value | null, Value | null | undefined, Value | null>;

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
  scopes: string[];
  allowed_cidrs: Generated<string[]>;
  expires_at: NullableTimestamp;
  created_by: string;
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
  source_kind: SourceKind;
  repository: Optional<string>;
  branch: Optional<string>;
  folder: Generated<string>;
  credential_sealed: Optional<Buffer>;
  upload_sha256: Optional<string>;
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

export interface ExportsTable {
  id: string;
  organization_id: string;
  project_id: Optional<string>;
  domain: string;
  status: ColumnType<ExportStatus, ExportStatus | undefined, ExportStatus>;
  attempt: Generated<number>;
  failures: Generated<number>;
  queue_entry: Optional<string>;
  version_requested: Optional<string>;
  ref_requested: Optional<string>;
  paths: NullableJson<string[]>;
  include_unlisted: Generated<boolean>;
  groups: GeneratedJson<string[]>;
  version: Optional<string>;
  commit: Optional<string>;
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
  turn: Generated<number>;
  last_seq: Generated<number>;
  memory: GeneratedJson<unknown>;
  counters: GeneratedJson<unknown>;
  usage: GeneratedJson<unknown>;
  checks: NullableJson<unknown>;
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

/** Every table of `migrations/`; `database.test.ts` compares it with the migrated database. */
export interface Database {
  organizations: OrganizationsTable;
  api_keys: ApiKeysTable;
  projects: ProjectsTable;
  domains: DomainsTable;
  exports: ExportsTable;
  export_events: ExportEventsTable;
  idempotency_keys: IdempotencyKeysTable;
  queue_claims: QueueClaimsTable;
  agent_settings: AgentSettingsTable;
  agent_jobs: AgentJobsTable;
  agent_messages: AgentMessagesTable;
  agent_events: AgentEventsTable;
  agent_files: AgentFilesTable;
  agent_model_calls: AgentModelCallsTable;
}

export interface DatabaseOptions {
  /** Shown as `offprint-<role>` in pg_stat_activity. */
  role: string;
  /** Connections of the pool at most. */
  max: number;
  /** Told of a connection that broke while idle; the pool replaces it by itself. */
  onError?: (error: Error) => void;
}

export interface OpenDatabase {
  db: Kysely<Database>;
  pool: pg.Pool;
  close(): Promise<void>;
}

const STATEMENT_TIMEOUT_MS = 15_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens a pool on a PostgreSQL URL (`postgresql://user:password@host:port/database`, or a socket folder as
 * `?host=/folder`). Connects lazily: use `SELECT 1` to learn whether the server is there. bigint is read as a
 * number and a value past 2^53 is an error; timestamptz is read as a Date.
 */
export function openDatabase(url: string, options: DatabaseOptions): OpenDatabase {
  const pool = new pg.Pool({ ...connectionSettings(url, options.role), max: options.max });
  // Without a listener, a server that stops (57P01) ends the process.
  pool.on('error', (error) => options.onError?.(error));
  // Nor does the pool listen to a connection in use: one that breaks between two queries of a transaction says so
  // by an event too. The next query on it fails with the same error, which is where it is dealt with.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: () => db.destroy() };
}

/** Settings of one connection, the same for the pool, the queue and the listener. */
export function connectionSettings(url: string, role: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: `offprint-${role}`,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
  };
}

/**
 * JSON text for a jsonb column. PostgreSQL refuses NUL and unpaired surrogates, both of which can stand in a
 * stranger's file: they become U+FFFD.
 */
export function json(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'string' ? plainText(item) : item));
}

/** A string that a text column takes: NUL and unpaired surrogates become U+FFFD. */
export function plainText(value: string): string {
  return value.replaceAll('\0', '\uFFFD').toWellFormed();
}

const parseDefault = pg.types.getTypeParser;

function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === pg.types.builtins.INT8 && format !== 'binary') return parseBigint;
  return format === 'binary' ? parseDefault(oid, 'binary') : parseDefault(oid, 'text');
}

function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is past 2^53`);
  return value;
}
