-- oldest program: 0.1.0
-- Files with the events of a project on a day, in the bucket for events. A row says that the file is to be written, or is.
CREATE TABLE analytics_files (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  day date NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'written', 'failed')),
  -- the fence, as in exports
  attempt integer NOT NULL DEFAULT 0,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (project_id, day)
);
CREATE INDEX analytics_files_organization ON analytics_files (organization_id);
CREATE INDEX analytics_files_day ON analytics_files (day);
CREATE INDEX analytics_files_unwritten ON analytics_files (state) WHERE state <> 'written';

-- Views of days that no longer change, which lists of pages read from the index alone. Rows enter it once, when their day
-- is over: adding events to the counts of today does not write to it.
CREATE INDEX analytics_daily_views ON analytics_daily (project_id, day)
  INCLUDE (subject, client, count, visitors, organization_id) WHERE kind = 'view' AND sketch IS NULL;
-- The other days, also by project.
DROP INDEX analytics_daily_sketch;
CREATE INDEX analytics_daily_sketch ON analytics_daily (day, project_id) WHERE sketch IS NOT NULL;
