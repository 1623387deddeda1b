-- oldest program: 0.1.0
-- Requests of callers, counted by all processes. Without a log: after a crash of the database, everyone has a whole
-- allowance.
CREATE UNLOGGED TABLE rate_limits (
  -- digest of what is limited and the caller
  subject bytea PRIMARY KEY,
  -- when the whole allowance is available again
  full_at timestamptz NOT NULL,
  -- of the last requests that were added
  cost interval NOT NULL
) WITH (fillfactor = 50);

-- What organizations have started on a day (UTC).
CREATE TABLE usage_days (
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  day date NOT NULL,
  exports integer NOT NULL DEFAULT 0,
  agent_jobs integer NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, day)
);

-- Tasks that are repeated once for the installation.
CREATE TABLE periodic_tasks (
  name text PRIMARY KEY,
  -- the process that runs it; null: none
  holder text,
  -- when the next run is due; while it runs, when another process may take it over
  due_at timestamptz NOT NULL
);

-- `traceparent` of the span that queued the job; null without tracing.
ALTER TABLE jobs ADD COLUMN trace_parent text;
