-- oldest program: 0.1.0
-- The newest pull request of the branch of a preview; null: none is known.
ALTER TABLE sites ADD COLUMN pull_request bigint;
-- The commit that a push or a pull request named. The export reads the branch, which may be ahead of it.
ALTER TABLE deployments ADD COLUMN pushed_commit text;
-- When it was last reported that the certificate expires and could not be renewed.
ALTER TABLE certificates ADD COLUMN warned_at timestamptz(3);

-- What follows a deployment: the record of the links that it serves, and its status at the forge.
CREATE TABLE deployment_tasks (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  deployment_id text NOT NULL REFERENCES deployments ON DELETE CASCADE,
  task text NOT NULL CHECK (task IN ('links', 'feedback')),
  -- tasks of one lane run one after the other
  lane text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'completed', 'failed')),
  -- the fence, as in exports
  attempt integer NOT NULL DEFAULT 0,
  -- why the last attempt failed
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3)
);
CREATE INDEX deployment_tasks_deployment ON deployment_tasks (deployment_id);
CREATE INDEX deployment_tasks_organization ON deployment_tasks (organization_id);
CREATE INDEX deployment_tasks_project ON deployment_tasks (project_id);
CREATE INDEX deployment_tasks_queued ON deployment_tasks (id) WHERE state = 'queued';
CREATE INDEX deployment_tasks_ended ON deployment_tasks (ended_at) WHERE state <> 'queued';
