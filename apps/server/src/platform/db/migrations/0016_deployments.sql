-- oldest program: 0.1.0
-- What pushes and the schedule of a project deploy.
CREATE TABLE hosting (
  project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  enabled boolean NOT NULL DEFAULT false,
  previews_enabled boolean NOT NULL DEFAULT false,
  preview_days integer NOT NULL DEFAULT 14,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- What hosts serve: the production of a project, or the preview of a branch.
CREATE TABLE sites (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- null: production
  branch text,
  -- first label of the host of a preview
  label text UNIQUE,
  -- what is live; null: nothing yet
  deployment_id text,
  -- its export, which cannot be deleted as long as it is live
  export_id text REFERENCES exports,
  -- requests to change what is live so far: of deployments, and promotions
  requests bigint NOT NULL DEFAULT 0,
  -- the fence: number of the request that made it live; only a later one replaces it
  position bigint NOT NULL DEFAULT 0,
  switched_at timestamptz(3),
  switched_by text,
  -- when a preview is deleted
  expires_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (num_nulls(branch, label, expires_at) IN (0, 3)),
  UNIQUE NULLS NOT DISTINCT (project_id, branch)
);
CREATE INDEX sites_expiry ON sites (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX sites_export ON sites (export_id);
CREATE INDEX sites_deployment ON sites (deployment_id);

CREATE TABLE deployments (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites ON DELETE CASCADE,
  -- number of its request at the site
  position bigint NOT NULL,
  -- null: the published branch
  branch text,
  export_id text REFERENCES exports ON DELETE SET NULL,
  -- queued: the end of the export has not been recorded
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'success', 'failure')),
  source text NOT NULL CHECK (source IN ('api', 'dashboard', 'github', 'gitlab', 'webhook', 'schedule')),
  created_by text NOT NULL,
  -- of the export, which may be deleted before the deployment
  base_path text NOT NULL DEFAULT '',
  commit text,
  commit_info jsonb,
  bundle_sha256 text,
  bundle_bytes bigint,
  page_count integer,
  error text,
  error_code text,
  -- the export that was live when it became live
  previous_export_id text,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz(3)
);
CREATE INDEX deployments_project ON deployments (project_id, created_at DESC, id DESC);
CREATE INDEX deployments_site ON deployments (site_id, position DESC);
CREATE INDEX deployments_export ON deployments (export_id);
CREATE INDEX deployments_queued ON deployments (export_id) WHERE status = 'queued';

ALTER TABLE sites ADD FOREIGN KEY (deployment_id) REFERENCES deployments;

-- Hints to the processes that site servers ask for the sites.
CREATE FUNCTION notify_sites_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('offprint_sites', '');
  RETURN NULL;
END
$$;
CREATE TRIGGER sites_changed AFTER INSERT OR UPDATE OR DELETE ON sites
  FOR EACH STATEMENT EXECUTE FUNCTION notify_sites_changed();
