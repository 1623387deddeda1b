CREATE TABLE users (
  id text PRIMARY KEY,
  -- lower case
  email text NOT NULL UNIQUE,
  name text NOT NULL,
  -- scrypt with its parameters; null: signs in by single sign-on only
  password_hash text,
  -- null: nobody has shown that the address is theirs
  email_verified_at timestamptz(3),
  is_operator boolean NOT NULL DEFAULT false,
  disabled_at timestamptz(3),
  last_sign_in_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX users_created ON users (created_at DESC, id DESC);

-- Accounts at OpenID Connect providers.
CREATE TABLE user_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX user_identities_user ON user_identities (user_id);

CREATE TABLE sessions (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
  -- SHA-256 of the token in the cookie
  token_sha256 bytea NOT NULL UNIQUE,
  address text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, created_at DESC);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Links that set a new password.
CREATE TABLE password_resets (
  token_sha256 bytea PRIMARY KEY,
  user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
  -- sent to the address of the account: whoever uses it has shown that the address is theirs
  mailed boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX password_resets_user ON password_resets (user_id, created_at);

-- Failed sign-ins of an account or an address since the last success.
CREATE TABLE sign_in_failures (
  -- digest of what is counted
  subject bytea PRIMARY KEY,
  failures integer NOT NULL,
  last_at timestamptz(3) NOT NULL DEFAULT now(),
  locked_until timestamptz(3)
);

CREATE TABLE members (
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('viewer', 'editor', 'admin')),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

CREATE TABLE invitations (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'editor', 'admin')),
  token_sha256 bytea NOT NULL UNIQUE,
  invited_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  revoked_at timestamptz(3)
);
CREATE INDEX invitations_organization ON invitations (organization_id, created_at DESC, id DESC);

-- Append-only: who did what, when, from where, with what outcome.
CREATE TABLE audit_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- null: outside any organization. No reference: events outlive what they tell of.
  organization_id text,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  actor_kind text NOT NULL CHECK (actor_kind IN
    ('member', 'key', 'user', 'operator', 'webhook', 'schedule', 'stranger')),
  actor_id text,
  actor_name text NOT NULL,
  action text NOT NULL,
  target text,
  outcome text NOT NULL CHECK (outcome IN ('done', 'refused', 'failed')),
  code text,
  address text,
  request_id text
);
CREATE INDEX audit_events_organization ON audit_events (organization_id, id DESC);
CREATE INDEX audit_events_at ON audit_events (at);

-- What an organization used; exports and transcripts may be deleted, this stays.
CREATE TABLE usage_months (
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  -- YYYY-MM, UTC
  month text NOT NULL,
  exports integer NOT NULL DEFAULT 0,
  pages bigint NOT NULL DEFAULT 0,
  agent_jobs integer NOT NULL DEFAULT 0,
  agent_calls integer NOT NULL DEFAULT 0,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  cost_usd double precision,
  PRIMARY KEY (organization_id, month)
);
INSERT INTO usage_months (organization_id, month, exports, pages)
  SELECT organization_id, to_char(completed_at AT TIME ZONE 'UTC', 'YYYY-MM'), count(*), sum(page_count)
  FROM exports WHERE status = 'completed' AND completed_at IS NOT NULL GROUP BY 1, 2;
INSERT INTO usage_months (organization_id, month, agent_jobs)
  SELECT organization_id, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM'), count(*)
  FROM agent_jobs GROUP BY 1, 2
  ON CONFLICT (organization_id, month) DO UPDATE SET agent_jobs = excluded.agent_jobs;
INSERT INTO usage_months (organization_id, month, agent_calls, input_tokens, output_tokens)
  SELECT organization_id, to_char(ended_at AT TIME ZONE 'UTC', 'YYYY-MM'), count(*),
    coalesce(sum((calls.usage ->> 'input')::numeric), 0),
    coalesce(sum((calls.usage ->> 'output')::numeric), 0)
  FROM agent_model_calls AS calls JOIN agent_jobs ON agent_jobs.id = job_id WHERE ended_at IS NOT NULL GROUP BY 1, 2
  ON CONFLICT (organization_id, month) DO UPDATE SET agent_calls = excluded.agent_calls,
    input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens;

-- Switches of configurable features, by name.
ALTER TABLE projects ADD COLUMN features jsonb NOT NULL DEFAULT '{}';

-- Answers with links in the clear: from now on they are kept sealed.
DELETE FROM idempotency_keys WHERE route LIKE 'POST /v1/static-export/jobs/%/bundle';

ALTER TABLE exports ADD COLUMN created_by text NOT NULL DEFAULT '';
ALTER TABLE exports ADD COLUMN trigger text NOT NULL DEFAULT 'call' CHECK (trigger IN ('call', 'webhook', 'schedule'));
CREATE INDEX exports_project ON exports (project_id, created_at DESC, id DESC);

-- What starts exports of a project without a person.
CREATE TABLE automations (
  project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  domain text,
  webhook_enabled boolean NOT NULL DEFAULT false,
  webhook_branch text,
  -- sealed; the forge's signatures are checked with it
  webhook_secret_sealed bytea,
  cron text,
  time_zone text NOT NULL DEFAULT 'UTC',
  next_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX automations_due ON automations (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE triggers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  kind text NOT NULL CHECK (kind IN ('webhook', 'schedule')),
  -- the forge's id of the delivery, or the time of the schedule: the same one starts one export
  delivery text,
  event text,
  ref text,
  commit text,
  outcome text NOT NULL CHECK (outcome IN ('started', 'skipped', 'refused')),
  message text NOT NULL,
  export_id text,
  UNIQUE (project_id, kind, delivery)
);
CREATE INDEX triggers_project ON triggers (project_id, id DESC);
