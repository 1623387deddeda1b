-- oldest program: 0.1.0
-- URLs that receive signed requests about events of a project.
CREATE TABLE webhook_endpoints (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- scheme and host, which are not secret
  origin text NOT NULL,
  url_sealed bytea NOT NULL,
  secret_sealed bytea NOT NULL,
  events text[] NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  -- why the server disabled it
  disabled_reason text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX webhook_endpoints_project ON webhook_endpoints (project_id);

-- Events of a project of which a member is notified by email.
CREATE TABLE email_subscriptions (
  user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  events text[] NOT NULL,
  PRIMARY KEY (user_id, project_id)
);
CREATE INDEX email_subscriptions_project ON email_subscriptions (project_id);

-- One notification to one recipient.
CREATE TABLE notifications (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  event text NOT NULL,
  subject text NOT NULL,
  data jsonb NOT NULL,
  endpoint_id text REFERENCES webhook_endpoints ON DELETE CASCADE,
  user_id text REFERENCES users ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'delivered', 'failed')),
  -- the fence, as in exports
  attempt integer NOT NULL DEFAULT 0,
  -- failed attempts since it was queued
  tries integer NOT NULL DEFAULT 0,
  -- { at, status, error, milliseconds }, oldest first
  attempts jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3),
  CHECK (num_nonnulls(endpoint_id, user_id) = 1)
);
CREATE INDEX notifications_project ON notifications (project_id, created_at DESC, id DESC);
CREATE INDEX notifications_endpoint ON notifications (endpoint_id);
CREATE INDEX notifications_user ON notifications (user_id);
CREATE INDEX notifications_created ON notifications (created_at);
CREATE INDEX notifications_queued ON notifications (id) WHERE state = 'queued';
