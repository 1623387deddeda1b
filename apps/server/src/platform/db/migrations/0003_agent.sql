CREATE TABLE agent_settings (
  project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  -- what the project says of its model and its forge, without secrets; null = as installed, as the address tells
  model jsonb,
  -- API key of the model, sealed
  model_key_sealed bytea,
  forge jsonb,
  -- token or private key of the forge, sealed
  forge_secret_sealed bytea,
  -- added to the instructions in the repository
  instructions text NOT NULL DEFAULT '',
  -- globs below the docs root that may be written beyond the default
  write_allow jsonb NOT NULL DEFAULT '[]',
  branch_prefix text NOT NULL DEFAULT 'offprint/',
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE agent_jobs (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  phase text NOT NULL DEFAULT 'queued' CHECK (phase IN
    ('queued', 'preparing', 'running', 'waiting', 'publishing', 'idle', 'failed', 'archived')),
  -- the fence: rises at each claim, cancel and archive; every write of a worker carries it
  attempt integer NOT NULL DEFAULT 0,
  -- failures of ours since the turn began
  failures integer NOT NULL DEFAULT 0,
  queue_entry text,
  -- what was asked
  created_by text NOT NULL,
  branch_requested text,
  base_branch_requested text,
  draft boolean NOT NULL DEFAULT false,
  -- null: whatever is configured when a turn begins
  model_requested text,
  -- first line of the prompt, shown until there is a title
  subject text NOT NULL DEFAULT '',
  -- what it works on
  repository text NOT NULL,
  model text NOT NULL,
  base_branch text,
  base_commit text,
  branch text,
  -- rises when a merged or closed pull request makes a new branch necessary
  branch_round integer NOT NULL DEFAULT 1,
  -- project instructions as read when the job began, and where from
  instructions text,
  instructions_source text,
  -- findings of the base, by which new ones are told from old
  baseline jsonb,
  -- where it stands
  turn integer NOT NULL DEFAULT 1,
  last_seq integer NOT NULL DEFAULT 0,
  memory jsonb NOT NULL DEFAULT '{"readPaths":[],"plan":[]}',
  -- counters of the turn: steps, nudges, compactions and what the loop must not forget in a crash
  counters jsonb NOT NULL DEFAULT '{}',
  usage jsonb NOT NULL DEFAULT '{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"reasoning":0,"calls":0,"costUsd":null}',
  checks jsonb,
  -- how the model ended the turn, or why it was ended for it
  outcome jsonb,
  title text,
  -- publishing
  commit_sha text,
  commit_at timestamptz(3),
  pushed_sha text,
  pull_requests jsonb NOT NULL DEFAULT '[]',
  pr_link text,
  failure_code text,
  failure_message text,
  waiting_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  turn_started_at timestamptz(3),
  completed_at timestamptz(3),
  archived_at timestamptz(3),
  -- when events, files, calls and the texts of prompts were deleted; such a job takes no message
  emptied_at timestamptz(3)
);
CREATE INDEX agent_jobs_project ON agent_jobs (project_id, created_at DESC, id DESC);
CREATE INDEX agent_jobs_active ON agent_jobs (project_id)
  WHERE phase IN ('queued', 'preparing', 'running', 'waiting', 'publishing');

-- Prompts and follow-ups, as they came; each is one use of the hourly allowance.
CREATE TABLE agent_messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id text NOT NULL REFERENCES agent_jobs ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  prompt text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- the event by which the model was told; null: not yet
  delivered_seq integer
);
CREATE INDEX agent_messages_job ON agent_messages (job_id, id);
CREATE INDEX agent_messages_project ON agent_messages (project_id, created_at);

-- Append-only: the transcript that the model's input is made of, and what people watch.
CREATE TABLE agent_events (
  job_id text NOT NULL REFERENCES agent_jobs ON DELETE CASCADE,
  seq integer NOT NULL,
  turn integer NOT NULL,
  attempt integer NOT NULL,
  kind text NOT NULL CHECK (kind IN
    ('state', 'prompt', 'assistant', 'results', 'notice', 'compaction', 'published')),
  body jsonb NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (job_id, seq)
);

-- What the job has changed: whole texts by path below the docs root.
CREATE TABLE agent_files (
  job_id text NOT NULL REFERENCES agent_jobs ON DELETE CASCADE,
  path text NOT NULL,
  -- null: deleted
  content bytea,
  -- text at the base, from which the diff is made; null: there was no such text
  before bytea,
  PRIMARY KEY (job_id, path)
);

-- A row before each call, so that a worker that dies in one has still counted it.
CREATE TABLE agent_model_calls (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id text NOT NULL REFERENCES agent_jobs ON DELETE CASCADE,
  turn integer NOT NULL,
  attempt integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz(3),
  -- null while it runs and for ever when its worker died
  outcome text,
  usage jsonb
);
CREATE INDEX agent_model_calls_job ON agent_model_calls (job_id, turn);
