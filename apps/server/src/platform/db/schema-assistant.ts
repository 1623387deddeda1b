import type { Generated } from 'kysely';
import type { Json, Optional, Timestamp } from './columns.ts';

export interface AssistantSettingsTable {
  project_id: string;
  organization_id: string;
  model: Optional<string>;
  starter_questions: string[];
  deflection: 'none' | 'email' | 'link';
  deflection_target: Optional<string>;
  allowed_origins: string[];
  updated_at: Timestamp;
}

/** Files of the docs for the assistant, of the source of an export. */
export interface AssistantFilesTable {
  export_id: string;
  instructions: Optional<string>;
  skills: Json<{ slug: string; name: string; description: string; text: string }[]>;
}

export interface AssistantThreadsTable {
  id: string;
  organization_id: string;
  project_id: string;
  created_at: Timestamp;
}

export interface StoredAssistantSource {
  title: string;
  url: string;
}

/** A question with its answer. */
export interface AssistantTurnsTable {
  id: string;
  thread_id: string;
  organization_id: string;
  project_id: string;
  created_at: Timestamp;
  query: string;
  response: string;
  sources: Json<StoredAssistantSource[]>;
  resolution: 'answered' | 'unanswered';
  caller: 'web' | 'api' | 'other';
  page_url: Optional<string>;
  /** Groups of the reader: a turn is repeated only to a reader in all of them. */
  groups: string[];
  /** 1: up, -1: down. */
  rating: Optional<number>;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
}

export interface AssistantUseTable {
  project_id: string;
  /** `site`, `reader <digest>`, `minute <number>` or `proof <digest>`. */
  subject: string;
  day: string;
  tokens: Generated<number>;
  questions: Generated<number>;
}

/** The key of one day with which IP addresses of readers are hashed. */
export interface AssistantDaysTable {
  day: string;
  key: Buffer;
}

export interface AssistantTables {
  assistant_settings: AssistantSettingsTable;
  assistant_files: AssistantFilesTable;
  assistant_threads: AssistantThreadsTable;
  assistant_turns: AssistantTurnsTable;
  assistant_use: AssistantUseTable;
  assistant_days: AssistantDaysTable;
}
