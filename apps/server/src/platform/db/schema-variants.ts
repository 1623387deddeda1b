import type { ColumnType, Generated } from 'kysely';
import type { NullableTimestamp, Optional, Timestamp } from './columns.ts';
import type { StoredDeploymentStatus } from './schema-deployments.ts';

export type VariantStatus = Exclude<StoredDeploymentStatus, 'waiting'>;

/** What the pages of an export say of their readers, as the renderer reports it. */
export interface StoredPageAccess {
  /** Names of groups that pages name, sorted. */
  groups: string[];
  /** Those of them whose members do not get a page. */
  excluding: string[];
  /** Whether pages need no sign-in. */
  hasPublic: boolean;
}

export interface DeploymentVariantsTable {
  id: string;
  organization_id: string;
  project_id: string;
  deployment_id: string;
  /** Sorted; null: readers who have not signed in. */
  groups: Optional<string[]>;
  unless: Generated<string[]>;
  export_id: Optional<string>;
  status: ColumnType<VariantStatus, VariantStatus | undefined, VariantStatus>;
  bundle_sha256: Optional<string>;
  bundle_bytes: Optional<number>;
  page_count: Optional<number>;
  error: Optional<string>;
  created_at: Timestamp;
  ended_at: NullableTimestamp;
}
