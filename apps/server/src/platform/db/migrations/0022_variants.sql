-- oldest program: 0.1.0
-- What the pages of an export say of their readers; null: it is not known, or the export has not completed.
ALTER TABLE exports ADD COLUMN page_access jsonb;
-- Only pages that need no sign-in.
ALTER TABLE exports ADD COLUMN public_only boolean NOT NULL DEFAULT false;
-- Made for some readers of a site only: neither listed nor what a domain publishes.
ALTER TABLE exports ADD COLUMN is_variant boolean NOT NULL DEFAULT false;
CREATE INDEX exports_variants ON exports (id) WHERE is_variant;

-- Releases of a deployment for some of the readers of its site.
CREATE TABLE deployment_variants (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  deployment_id text NOT NULL REFERENCES deployments ON DELETE CASCADE,
  -- readers who are in all of these, sorted; null: those who have not signed in
  groups text[],
  -- readers in one of these do not get it
  unless text[] NOT NULL DEFAULT '{}',
  export_id text REFERENCES exports ON DELETE SET NULL,
  -- queued: the end of the export has not been recorded
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'success', 'failure')),
  -- of the export, which may be deleted before
  bundle_sha256 text,
  bundle_bytes bigint,
  page_count integer,
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz(3),
  UNIQUE NULLS NOT DISTINCT (deployment_id, groups)
);
CREATE INDEX deployment_variants_organization ON deployment_variants (organization_id);
CREATE INDEX deployment_variants_project ON deployment_variants (project_id);
CREATE INDEX deployment_variants_export ON deployment_variants (export_id);
CREATE INDEX deployment_variants_queued ON deployment_variants (export_id) WHERE status = 'queued';
CREATE TRIGGER sites_changed AFTER INSERT OR UPDATE OR DELETE ON deployment_variants
  FOR EACH STATEMENT EXECUTE FUNCTION notify_sites_changed();

-- Which groups readers of a site are in together. It does not say who they are.
CREATE TABLE reader_groups (
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  site text NOT NULL CHECK (site IN ('production', 'preview')),
  -- of the groups, which can be too long for an index
  digest bytea NOT NULL,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  -- sorted
  groups text[] NOT NULL,
  sign_ins bigint NOT NULL DEFAULT 1,
  last_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, site, digest)
);
CREATE INDEX reader_groups_organization ON reader_groups (organization_id);
CREATE INDEX reader_groups_last ON reader_groups (last_at);
