-- oldest program: 0.1.0
-- Pull requests of forks: their deployment waits until a member approves its commit.
ALTER TABLE deployments DROP CONSTRAINT deployments_status_check;
ALTER TABLE deployments ADD CONSTRAINT deployments_status_check
  CHECK (status IN ('waiting', 'queued', 'success', 'failure'));
-- Repository of the fork; null: the deployment is of the repository of the project.
ALTER TABLE deployments ADD COLUMN fork text;
ALTER TABLE deployments ADD COLUMN approved_by text;
CREATE INDEX deployments_waiting ON deployments (project_id) WHERE status = 'waiting';

-- Statuses of commits that forges show as pending, until another one replaces them.
CREATE TABLE commit_statuses (
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  commit text NOT NULL,
  -- name of the status at the forge
  context text NOT NULL,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  -- the deployment that it is of, which may be deleted
  deployment_id text NOT NULL,
  -- attempts to correct it
  attempts integer NOT NULL DEFAULT 0,
  -- when it is looked at next
  next_at timestamptz(3) NOT NULL DEFAULT now() + interval '1 minute',
  PRIMARY KEY (project_id, commit, context)
);
CREATE INDEX commit_statuses_organization ON commit_statuses (organization_id);
CREATE INDEX commit_statuses_due ON commit_statuses (next_at);

-- The domains on which a project is served are domains of the project.
INSERT INTO domains (organization_id, domain, project_id)
  SELECT organization_id, host, project_id FROM site_domains
  WHERE host NOT LIKE '*.%' AND redirect_to IS NULL
  ORDER BY organization_id, host
  ON CONFLICT DO NOTHING;
