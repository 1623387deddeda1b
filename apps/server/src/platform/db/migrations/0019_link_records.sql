-- oldest program: 0.1.0
-- URLs and anchors that production deployments of a project have served, with the time of the last one that did.
CREATE TABLE link_records (
  project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  -- of the newest deployment in it
  served_at timestamptz(3) NOT NULL,
  -- lines of JSON, compressed with gzip
  links bytea NOT NULL
);
CREATE INDEX link_records_organization ON link_records (organization_id);
