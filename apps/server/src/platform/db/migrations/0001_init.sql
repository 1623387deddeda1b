CREATE TABLE organizations (
  id text PRIMARY KEY,
  name text NOT NULL,
  plan text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'pro', 'enterprise')),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text NOT NULL,
  key_hmac bytea NOT NULL UNIQUE,
  last4 text NOT NULL,
  scopes text[] NOT NULL,
  allowed_cidrs text[] NOT NULL DEFAULT '{}',
  expires_at timestamptz(3),
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
CREATE INDEX api_keys_organization ON api_keys (organization_id, created_at DESC);

CREATE TABLE projects (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text NOT NULL,
  deployment_type text NOT NULL DEFAULT 'cloud' CHECK (deployment_type IN ('cloud', 'client-hosted', 'air-gapped')),
  source_kind text NOT NULL CHECK (source_kind IN ('git', 'upload', 'folder')),
  -- git: URL without credentials; folder: absolute path (development only); upload: null
  repository text,
  branch text,
  folder text NOT NULL DEFAULT '',
  -- token or SSH key, sealed with the server's key
  credential_sealed bytea,
  -- upload: SHA-256 of the stored archive
  upload_sha256 text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX projects_organization ON projects (organization_id, created_at DESC, id);

CREATE TABLE domains (
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  domain text NOT NULL,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, domain)
);
CREATE INDEX domains_project ON domains (project_id);

CREATE TABLE exports (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text REFERENCES projects ON DELETE SET NULL,
  domain text NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  -- the fence: rises at each claim, every later write carries it
  attempt integer NOT NULL DEFAULT 0,
  -- failures of ours so far; claims given back at a shutdown do not count
  failures integer NOT NULL DEFAULT 0,
  queue_entry text,
  -- what was asked
  version_requested text,
  ref_requested text,
  paths jsonb,
  include_unlisted boolean NOT NULL DEFAULT true,
  groups jsonb NOT NULL DEFAULT '[]',
  -- what came of it
  version text,
  commit text,
  progress real NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  page_count integer NOT NULL DEFAULT 0,
  total_pages integer,
  warnings jsonb NOT NULL DEFAULT '[]',
  warning_count integer NOT NULL DEFAULT 0,
  error text,
  error_code text,
  artifact_sha256 text,
  artifact_files integer,
  artifact_bytes bigint,
  bundle_sha256 text,
  bundle_bytes bigint,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  heartbeat_at timestamptz(3),
  completed_at timestamptz(3)
);
CREATE INDEX exports_organization ON exports (organization_id, created_at DESC, id DESC);
CREATE INDEX exports_active ON exports (organization_id) WHERE status IN ('queued', 'running');
CREATE INDEX exports_artifact ON exports (organization_id, artifact_sha256);

-- Append-only history of an export; a checker reads it to prove one terminal event and a rising fence.
CREATE TABLE export_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  export_id text NOT NULL REFERENCES exports ON DELETE CASCADE,
  attempt integer NOT NULL,
  event text NOT NULL CHECK (event IN ('queued', 'claimed', 'released', 'retried', 'completed', 'failed')),
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX export_events_export ON export_events (export_id, id);

CREATE TABLE idempotency_keys (
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  route text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  response_status integer NOT NULL,
  response_body jsonb NOT NULL,
  response_headers jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, route, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
