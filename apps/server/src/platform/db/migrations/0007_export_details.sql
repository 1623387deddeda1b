-- Subject, author, time and branch of the exported commit with its page at the forge; null for sources without Git.
ALTER TABLE exports ADD COLUMN commit_info jsonb;
-- What a running export does, and since when.
ALTER TABLE exports ADD COLUMN phase text CHECK (phase IN ('fetching', 'rendering', 'writing', 'storing', 'packing'));
ALTER TABLE exports ADD COLUMN phase_started_at timestamptz(3);
