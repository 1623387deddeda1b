import type { ColumnType, Generated } from 'kysely';
import type { NullableJson, NullableTimestamp, Optional, Timestamp } from './columns.ts';

export type DomainState = 'pending' | 'verified' | 'expired';

/** What the last check of a domain found, as kept in `site_domains.finding`. */
export interface StoredFinding {
  dns: 'found' | 'missing' | 'different' | 'failed';
  texts: string[];
  file: 'found' | 'missing' | 'skipped';
  addresses: string[];
  /** Null: the target is not known, or a wildcard. */
  pointsHere: boolean | null;
  messages: string[];
  /** Proven, but another organization owns the domain. */
  isOwnedElsewhere: boolean;
}

export interface SiteDomainsTable {
  id: string;
  organization_id: string;
  project_id: string;
  host: string;
  /** Id of a domain of the same project. */
  redirect_to: Optional<string>;
  state: ColumnType<DomainState, DomainState | undefined, DomainState>;
  method: Optional<'dns' | 'file' | 'trusted'>;
  verified_at: NullableTimestamp;
  failing_since: NullableTimestamp;
  finding: NullableJson<StoredFinding>;
  checked_at: NullableTimestamp;
  next_check_at: Timestamp;
  created_at: Timestamp;
}

export interface AcmeAccountsTable {
  directory: string;
  key_sealed: Buffer;
  url: Optional<string>;
  created_at: Timestamp;
}

export type CertificateState = 'idle' | 'queued' | 'running';

export interface CertificatesTable {
  domain_id: string;
  organization_id: string;
  state: ColumnType<CertificateState, CertificateState | undefined, CertificateState>;
  attempt: Generated<number>;
  failures: Generated<number>;
  error: Optional<string>;
  retry_at: NullableTimestamp;
  order_url: Optional<string>;
  order_key_sealed: Optional<Buffer>;
  chain: Optional<string>;
  key_sealed: Optional<Buffer>;
  fingerprint: Optional<string>;
  expires_at: NullableTimestamp;
  renew_at: NullableTimestamp;
  warned_at: NullableTimestamp;
  updated_at: Timestamp;
}

export interface AcmeChallengesTable {
  domain_id: string;
  token: string;
  key_authorization: string;
  created_at: Timestamp;
}
