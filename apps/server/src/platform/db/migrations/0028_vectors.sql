-- oldest program: 0.1.0
-- The endpoint of a project for vectors of its pages; without a row, its sites are searched by words.
CREATE TABLE vector_settings (
  project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  provider text NOT NULL CHECK (provider IN ('openai', 'openai-compatible')),
  model text NOT NULL,
  base_url text,
  dimensions integer,
  key_sealed bytea,
  -- names endpoint, model and dimensions: only vectors of one space can be compared
  space text NOT NULL,
  -- why the last query has no vector; null if it has one
  query_error text,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX vector_settings_organization ON vector_settings (organization_id);

-- Vectors of the bundles of sites, made or to be made. The file is stored beside the artifact of the bundle.
CREATE TABLE bundle_vectors (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  bundle_sha256 text NOT NULL,
  space text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'stored', 'failed')),
  -- the fence, as in exports
  attempt integer NOT NULL DEFAULT 0,
  -- names the stored file
  file_sha256 text,
  sections integer,
  dimensions integer,
  -- of the last attempt that failed
  error text,
  error_code text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (project_id, bundle_sha256, space),
  CHECK ((state = 'stored') = (file_sha256 IS NOT NULL))
);
CREATE INDEX bundle_vectors_bundle ON bundle_vectors (organization_id, bundle_sha256);
CREATE INDEX bundle_vectors_unfinished ON bundle_vectors (state) WHERE state = 'queued';
