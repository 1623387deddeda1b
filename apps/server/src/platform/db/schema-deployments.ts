import type { DeploymentSource } from '@offprint/contract';
import type { ColumnType, Generated } from 'kysely';
import type { NullableJson, NullableTimestamp, Optional, Timestamp } from './columns.ts';

/** What is kept of an exported commit. It comes from the repository: `snapshot` has made it short and plain. */
export interface StoredCommit {
  subject: string;
  author: string;
  /** RFC 3339; null when the commit has none that can be read. */
  authoredAt: string | null;
  /** Branch or tag that was read; null when a commit was asked for. */
  ref: string | null;
  /** Page of the commit at the forge; null where that is not known. */
  url: string | null;
}

export interface HostingTable {
  project_id: string;
  organization_id: string;
  enabled: Generated<boolean>;
  previews_enabled: Generated<boolean>;
  preview_days: Generated<number>;
  updated_at: Timestamp;
}

export interface SitesTable {
  id: string;
  organization_id: string;
  project_id: string;
  /** Null: production. */
  branch: Optional<string>;
  label: Optional<string>;
  deployment_id: Optional<string>;
  export_id: Optional<string>;
  requests: Generated<number>;
  /** The fence of what is live. */
  position: Generated<number>;
  switched_at: NullableTimestamp;
  switched_by: Optional<string>;
  expires_at: NullableTimestamp;
  /** Newest one of the branch. */
  pull_request: Optional<number>;
  created_at: Timestamp;
}

/** `waiting`: for the approval of a member. */
export type StoredDeploymentStatus = 'waiting' | 'queued' | 'success' | 'failure';

export interface DeploymentsTable {
  id: string;
  organization_id: string;
  project_id: string;
  site_id: string;
  position: number;
  branch: Optional<string>;
  export_id: Optional<string>;
  status: ColumnType<StoredDeploymentStatus, StoredDeploymentStatus | undefined, StoredDeploymentStatus>;
  source: DeploymentSource;
  created_by: string;
  base_path: Generated<string>;
  /** Named by a push or a pull request. */
  pushed_commit: Optional<string>;
  /** Repository of the fork of a pull request. */
  fork: Optional<string>;
  approved_by: Optional<string>;
  commit: Optional<string>;
  commit_info: NullableJson<StoredCommit>;
  bundle_sha256: Optional<string>;
  bundle_bytes: Optional<number>;
  page_count: Optional<number>;
  error: Optional<string>;
  error_code: Optional<string>;
  previous_export_id: Optional<string>;
  created_at: Timestamp;
  ended_at: NullableTimestamp;
}

/** A status that a forge shows as pending. */
export interface CommitStatusesTable {
  project_id: string;
  commit: string;
  context: string;
  organization_id: string;
  deployment_id: string;
  attempts: Generated<number>;
  next_at: Timestamp;
}

export type DeploymentTask = 'links' | 'feedback';

export interface DeploymentTasksTable {
  id: string;
  organization_id: string;
  project_id: string;
  deployment_id: string;
  task: DeploymentTask;
  lane: string;
  state: ColumnType<
    'queued' | 'completed' | 'failed',
    'queued' | undefined,
    'queued' | 'completed' | 'failed'
  >;
  attempt: Generated<number>;
  error: Optional<string>;
  created_at: Timestamp;
  ended_at: NullableTimestamp;
}
