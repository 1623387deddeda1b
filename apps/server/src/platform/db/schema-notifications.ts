import type { ColumnType, Generated } from 'kysely';
import type { GeneratedJson, Json, NullableTimestamp, Optional, Timestamp } from './columns.ts';

export interface WebhookEndpointsTable {
  id: string;
  organization_id: string;
  project_id: string;
  /** Scheme and host of the URL. */
  origin: string;
  url_sealed: Buffer;
  secret_sealed: Buffer;
  events: string[];
  enabled: Generated<boolean>;
  disabled_reason: Optional<string>;
  created_at: Timestamp;
}

export interface EmailSubscriptionsTable {
  user_id: string;
  project_id: string;
  events: string[];
}

/** One attempt to deliver a notification; `at`: RFC 3339. */
export interface StoredAttempt {
  at: string;
  status: number | null;
  error: string | null;
  milliseconds: number;
}

export type NotificationState = 'queued' | 'delivered' | 'failed';

export interface NotificationsTable {
  id: string;
  organization_id: string;
  project_id: string;
  event: string;
  subject: string;
  data: Json<Record<string, string | null>>;
  endpoint_id: Optional<string>;
  user_id: Optional<string>;
  state: ColumnType<NotificationState, NotificationState | undefined, NotificationState>;
  attempt: Generated<number>;
  tries: Generated<number>;
  attempts: GeneratedJson<StoredAttempt[]>;
  created_at: Timestamp;
  ended_at: NullableTimestamp;
}
