import type { ClientKind, FeedbackSource, FeedbackStatus } from '@offprint/contract';
import type { ColumnType, Generated } from 'kysely';
import type { NullableComputed, Optional, RequiredTimestamp, Timestamp } from './columns.ts';

/** What a reader did. */
export type StoredEventKind = 'view' | 'search' | 'click' | 'copy' | 'playground' | 'missing';

export interface VisitorKeysTable {
  /** `YYYY-MM-DD`. */
  day: ColumnType<string, string, never>;
  key: Buffer;
}

export interface AnalyticsBatchesTable {
  number: ColumnType<number, never, never>;
  /** As the site server names it. */
  id: string;
  events: number;
  received_at: Timestamp;
}

export interface AnalyticsEventsTable {
  at: RequiredTimestamp;
  organization_id: string;
  project_id: string;
  batch: number;
  kind: StoredEventKind;
  client: ClientKind;
  path: string;
  /** 64 bits of a keyed hash. */
  visitor: Optional<Buffer>;
  is_markdown: Generated<boolean>;
  referrer: Optional<string>;
  query: Optional<string>;
  results: Optional<number>;
  target: Optional<string>;
}

export interface AnalyticsPendingTable {
  organization_id: string;
  batch: number;
}

export interface AnalyticsRollupsTable {
  id: string;
  organization_id: string;
  state: ColumnType<'idle' | 'queued', 'idle' | 'queued' | undefined, 'idle' | 'queued'>;
  attempt: Generated<number>;
  updated_at: Timestamp;
}

/** Kinds of daily counts: those of events, and the hosts with links from which views came. */
export type DailyKind = StoredEventKind | 'referrer';

export interface AnalyticsDailyTable {
  project_id: string;
  /** `YYYY-MM-DD`, in UTC. */
  day: ColumnType<string, string, never>;
  kind: DailyKind;
  /** Path, search or host; empty: all together. */
  subject: string;
  /** Opened result, or page with the link; else empty. */
  detail: Generated<string>;
  client: ColumnType<ClientKind | '', ClientKind | '' | undefined, never>;
  organization_id: string;
  count: number;
  /** Of views: of Markdown copies; of searches: without results. */
  special: Generated<number>;
  visitors: Generated<number>;
  sketch: Optional<Buffer>;
  last_at: RequiredTimestamp;
  /** The subject as a number, once the day is over. Only SQL reads it: it has more digits than a number of JavaScript. */
  subject_key: Optional<number>;
  /** The opened result of a click as a number; null for other kinds. Only SQL reads it. */
  detail_key: NullableComputed<number>;
}

export interface AnalyticsFilesTable {
  id: string;
  organization_id: string;
  project_id: string;
  /** `YYYY-MM-DD`, in UTC. */
  day: ColumnType<string, string, never>;
  state: ColumnType<'queued' | 'written' | 'failed', 'queued' | undefined, 'queued' | 'written' | 'failed'>;
  attempt: Generated<number>;
  updated_at: Timestamp;
}

export interface AnalyticsFeedbackTable {
  id: string;
  organization_id: string;
  project_id: string;
  /** As the page names it. */
  entry: string;
  path: string;
  source: FeedbackSource;
  helpful: Optional<boolean>;
  comment: Optional<string>;
  status: ColumnType<FeedbackStatus, FeedbackStatus | undefined, FeedbackStatus>;
  note: Generated<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** Tables of what readers of sites did. */
export interface AnalyticsTables {
  visitor_keys: VisitorKeysTable;
  analytics_batches: AnalyticsBatchesTable;
  analytics_events: AnalyticsEventsTable;
  analytics_pending: AnalyticsPendingTable;
  analytics_rollups: AnalyticsRollupsTable;
  analytics_daily: AnalyticsDailyTable;
  analytics_feedback: AnalyticsFeedbackTable;
  analytics_files: AnalyticsFilesTable;
}
