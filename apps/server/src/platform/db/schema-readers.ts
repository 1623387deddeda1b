import type { ReaderAccessKind, ReaderSite, SiteReaderAccess } from '@offprint/contract';
import type { Generated } from 'kysely';
import type { NullableJson, NullableTimestamp, Optional, RequiredTimestamp, Timestamp } from './columns.ts';

export interface ReaderAccessTable {
  project_id: string;
  site: ReaderSite;
  organization_id: string;
  kind: ReaderAccessKind;
  session_hours: number;
  key_version: Generated<number>;
  password_hash: Optional<string>;
  password_set_at: NullableTimestamp;
  oidc: NullableJson<Omit<NonNullable<SiteReaderAccess['oidc']>, 'hasClientSecret'>>;
  oidc_secret_sealed: Optional<Buffer>;
  token: NullableJson<Omit<SiteReaderAccess['token'], 'keyCreatedAt'>>;
  token_public_key: Optional<Buffer>;
  token_key_created_at: NullableTimestamp;
  updated_at: Timestamp;
}

export interface ReaderUsedTokensTable {
  digest: Buffer;
  expires_at: RequiredTimestamp;
}

export interface ReaderGroupsTable {
  project_id: string;
  site: ReaderSite;
  digest: Buffer;
  organization_id: string;
  /** Sorted. */
  groups: string[];
  sign_ins: Generated<number>;
  last_at: Timestamp;
}
