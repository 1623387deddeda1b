-- oldest program: 0.1.0
CREATE TABLE assistant_settings (
  project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  -- another model of the provider of the agent; null: the model of the agent
  model text,
  starter_questions text[] NOT NULL,
  deflection text NOT NULL CHECK (deflection IN ('none', 'email', 'link')),
  deflection_target text,
  -- sites of others that may embed the assistant
  allowed_origins text[] NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Instructions and skills of the source of an export; they are not in its bundle.
CREATE TABLE assistant_files (
  export_id text PRIMARY KEY REFERENCES exports ON DELETE CASCADE,
  instructions text,
  skills jsonb NOT NULL
);

CREATE TABLE assistant_threads (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX assistant_threads_age ON assistant_threads (created_at);

-- Questions with their answers. Ids are ULIDs, so that they are in the order of time.
CREATE TABLE assistant_turns (
  id text COLLATE "C" PRIMARY KEY,
  thread_id text NOT NULL REFERENCES assistant_threads ON DELETE CASCADE,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  query text NOT NULL,
  response text NOT NULL,
  sources jsonb NOT NULL,
  resolution text NOT NULL CHECK (resolution IN ('answered', 'unanswered')),
  caller text NOT NULL CHECK (caller IN ('web', 'api', 'other')),
  page_url text,
  groups text[] NOT NULL,
  rating smallint CHECK (rating IN (-1, 1)),
  input_tokens integer NOT NULL DEFAULT 0,
  output_tokens integer NOT NULL DEFAULT 0
);
CREATE INDEX assistant_turns_thread ON assistant_turns (thread_id, id);
CREATE INDEX assistant_turns_project ON assistant_turns (project_id, id);
CREATE INDEX assistant_turns_unanswered ON assistant_turns (project_id, id) WHERE resolution = 'unanswered';
CREATE INDEX assistant_turns_age ON assistant_turns (created_at);

-- What was used of the limits, for all processes. A reader is a hash with the key of the day.
CREATE TABLE assistant_use (
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  subject text NOT NULL,
  day date NOT NULL,
  tokens bigint NOT NULL DEFAULT 0,
  questions integer NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, subject, day)
);
CREATE INDEX assistant_use_age ON assistant_use (day);

CREATE TABLE assistant_days (
  day date PRIMARY KEY,
  key bytea NOT NULL
);
