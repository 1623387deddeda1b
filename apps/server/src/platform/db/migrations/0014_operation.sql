-- oldest program: 0.1.0
-- Artifacts of completed exports of which stored files are missing or damaged. They are rendered again.
CREATE TABLE lost_artifacts (
  -- id of the job that renders it again
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  bundle_sha256 text NOT NULL,
  -- one of the exports with this artifact: its source is rendered
  export_id text NOT NULL REFERENCES exports ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'lost')),
  -- the fence, as in exports
  attempt integer NOT NULL DEFAULT 0,
  -- which object is missing or damaged
  reason text NOT NULL,
  -- why it could not be rendered again; only in the state lost
  error text,
  error_code text,
  found_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (organization_id, bundle_sha256)
);
CREATE INDEX lost_artifacts_export ON lost_artifacts (export_id);

-- What claims no jobs until the row is deleted: a kind of jobs (the queue is paused), or a worker (it is drained).
CREATE TABLE claim_stops (
  kind text UNIQUE,
  worker integer UNIQUE,
  at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(kind, worker) = 1)
);

ALTER FUNCTION claim_job(text, integer, boolean, integer, jsonb, integer, integer, text[]) RENAME TO claim_next_job;

-- The same for workers and kinds that are not stopped. Processes of an earlier version obey it too.
CREATE FUNCTION claim_job(
  of_kind text, by_worker integer, is_idle boolean, alone_after integer, weights jsonb,
  organization_limit integer, lane_limit integer, passed_over text[]
) RETURNS SETOF jobs LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM claim_stops s WHERE s.kind = of_kind OR s.worker = by_worker) THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM claim_next_job(
    of_kind, by_worker, is_idle, alone_after, weights, organization_limit, lane_limit, passed_over);
END
$$;
