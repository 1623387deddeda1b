-- oldest program: 0.1.0
-- Services of the platform that the pages of an export use: of deployments only.
ALTER TABLE exports ADD COLUMN services jsonb NOT NULL DEFAULT '{}';

-- Keys for everything stay keys for everything: without the new area, they could no longer invite members.
UPDATE api_keys SET scopes = array_append(scopes, 'analytics:write')
WHERE scopes @> ARRAY['exports:write', 'agent:write', 'projects:write', 'organization:write'];
UPDATE api_keys SET scopes = array_append(scopes, 'analytics:read')
WHERE scopes @> ARRAY['exports:read', 'agent:read', 'projects:read', 'organization:read'];

-- The key of a day with which site servers make visitors of requests. Deleted when the day after it is over.
CREATE TABLE visitor_keys (
  day date PRIMARY KEY,
  key bytea NOT NULL
);

-- Batches of events that were stored: a batch that is sent again is not stored again.
CREATE TABLE analytics_batches (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- as the site server names it
  id text NOT NULL UNIQUE,
  events integer NOT NULL,
  received_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX analytics_batches_received ON analytics_batches (received_at);

-- What readers did, by month. Neither IP addresses nor user agents; a visitor means nothing without the key of its day.
CREATE TABLE analytics_events (
  at timestamptz(3) NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  batch bigint NOT NULL,
  kind text NOT NULL,
  client text NOT NULL,
  path text NOT NULL,
  visitor bytea,
  is_markdown boolean NOT NULL DEFAULT false,
  -- of a view: host of the site with the link; of a URL that was not found: the page with the link
  referrer text,
  query text,
  results integer,
  -- the result that was opened
  target text
) PARTITION BY RANGE (at);
CREATE INDEX analytics_events_batch ON analytics_events (batch, organization_id);
CREATE INDEX analytics_events_project ON analytics_events (project_id, at);

-- Events of an organization in a batch that the daily counts do not contain yet.
CREATE TABLE analytics_pending (
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  batch bigint NOT NULL,
  PRIMARY KEY (organization_id, batch)
);

-- The job that adds them.
CREATE TABLE analytics_rollups (
  id text PRIMARY KEY,
  organization_id text NOT NULL UNIQUE REFERENCES organizations ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'idle' CHECK (state IN ('idle', 'queued')),
  -- the fence, as in exports
  attempt integer NOT NULL DEFAULT 0,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Counts by day.
CREATE TABLE analytics_daily (
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  day date NOT NULL,
  kind text NOT NULL,
  -- path, search or host; empty: all together
  subject text NOT NULL,
  -- opened result, or page with the link
  detail text NOT NULL DEFAULT '',
  client text NOT NULL DEFAULT '',
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  count bigint NOT NULL,
  -- of views: of Markdown copies; of searches: without results
  special bigint NOT NULL DEFAULT 0,
  visitors integer NOT NULL DEFAULT 0,
  -- what `visitors` is estimated from; null when the day is over
  sketch bytea,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (project_id, kind, day, subject, detail, client)
);
CREATE INDEX analytics_daily_organization ON analytics_daily (organization_id);
CREATE INDEX analytics_daily_sketch ON analytics_daily (day) WHERE sketch IS NOT NULL;
CREATE INDEX analytics_daily_day ON analytics_daily (day);

CREATE TABLE analytics_feedback (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- as the page names it: a comment that follows a vote changes its row
  entry text NOT NULL,
  path text NOT NULL,
  source text NOT NULL CHECK (source IN ('contextual', 'thumbs_only', 'agent', 'code_snippet')),
  helpful boolean,
  comment text,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'resolved', 'dismissed')),
  note text NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (project_id, entry)
);
CREATE INDEX analytics_feedback_list ON analytics_feedback (project_id, created_at DESC, id DESC);
CREATE INDEX analytics_feedback_organization ON analytics_feedback (organization_id);

-- Site servers get a change of the features of a project with the list of sites.
CREATE TRIGGER project_features_changed AFTER UPDATE OF features, deployment_type ON projects
  FOR EACH STATEMENT EXECUTE FUNCTION notify_sites_changed();
