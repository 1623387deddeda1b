-- The text of a model while it writes it, for people who watch: one row for each job, deleted with the next event. Not
-- logged: nothing depends on it, and a restart of the database may lose it.
CREATE UNLOGGED TABLE agent_drafts (
  job_id text PRIMARY KEY REFERENCES agent_jobs ON DELETE CASCADE,
  turn integer NOT NULL,
  -- the last event of the job when the model was called
  after_seq integer NOT NULL,
  text text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
