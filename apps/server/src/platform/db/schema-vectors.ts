import type { Generated } from 'kysely';
import type { Optional, Timestamp } from './columns.ts';

/** The endpoint of a project for vectors of its pages; without a row, its sites are searched by words. */
export interface VectorSettingsTable {
  project_id: string;
  organization_id: string;
  provider: 'openai' | 'openai-compatible';
  model: string;
  base_url: Optional<string>;
  dimensions: Optional<number>;
  key_sealed: Optional<Buffer>;
  /** Names endpoint, model and dimensions: only vectors of one space can be compared. */
  space: string;
  /** Why the last query has no vector. */
  query_error: Optional<string>;
  updated_at: Timestamp;
}

/** The vectors of the bundle of a site, made or to be made. */
export interface BundleVectorsTable {
  id: string;
  organization_id: string;
  project_id: string;
  bundle_sha256: string;
  space: string;
  state: Generated<'queued' | 'stored' | 'failed'>;
  /** The fence, as in exports. */
  attempt: Generated<number>;
  /** Names the stored file. */
  file_sha256: Optional<string>;
  sections: Optional<number>;
  dimensions: Optional<number>;
  /** Of the last attempt that failed. */
  error: Optional<string>;
  error_code: Optional<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface VectorTables {
  vector_settings: VectorSettingsTable;
  bundle_vectors: BundleVectorsTable;
}
