-- oldest program: 0.1.0
-- Work that waits or runs: one row for each unfinished job of a feature, made in the transaction that makes the row of
-- the feature. A job that has ended has no row here.
CREATE TABLE jobs (
  -- id of the row of the feature
  id text PRIMARY KEY,
  kind text NOT NULL,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  -- jobs of one lane share a limit; null: none
  lane text,
  -- the fence: rises at each claim, and everything that an attempt writes carries it
  attempt integer NOT NULL DEFAULT 0,
  -- failures of the job itself since it last made progress: the next attempt waits for longer with each
  failures integer NOT NULL DEFAULT 0,
  -- deaths of its worker in a row without progress; above a number, only those count at which it ran alone
  deaths integer NOT NULL DEFAULT 0,
  queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- not to be claimed before
  run_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- number of the advisory lock that the session of its worker holds; null: it waits
  worker integer,
  beat_at timestamptz
) WITH (fillfactor = 50);
CREATE INDEX jobs_waiting ON jobs (kind, organization_id, queued_at, id) WHERE worker IS NULL;
CREATE INDEX jobs_running ON jobs (kind, organization_id) WHERE worker IS NOT NULL;

-- When an organization was last given a slot. No reference: a claim must not wait for the deletion of an organization.
CREATE TABLE job_turns (
  kind text NOT NULL,
  organization_id text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (kind, organization_id)
);
CREATE INDEX job_turns_last ON job_turns (kind, at);

-- Claims the next job of a kind for a worker: of the organization with the fewest running jobs by the weight of its
-- plan, of these the one whose last turn is longest ago, and of that one the oldest job. A function, so that the lock
-- that makes the counts hold is never kept by a process that is paused between two statements. If more than 300
-- organizations wait, these are compared: the next 300 after the one that was served last.
--
-- A job after alone_after deaths is given to a worker that runs nothing else (is_idle). After half a minute it is shown
-- to any worker, not claimed (worker is null): that worker claims nothing more until it is idle.
CREATE FUNCTION claim_job(
  of_kind text, by_worker integer, is_idle boolean, alone_after integer, weights jsonb,
  organization_limit integer, lane_limit integer, passed_over text[]
) RETURNS SETOF jobs LANGUAGE plpgsql AS $$
DECLARE
  picked jobs;
  taken text[] := '{}';
  full_lanes text[];
  last_served text;
BEGIN
  PERFORM pg_advisory_xact_lock(267976008, hashtext(of_kind));
  SELECT coalesce((SELECT organization_id FROM job_turns WHERE kind = of_kind ORDER BY at DESC LIMIT 1), '')
    INTO last_served;
  SELECT coalesce(array_agg(full_lane.lane), '{}') INTO full_lanes FROM (
    SELECT lane FROM jobs WHERE kind = of_kind AND worker IS NOT NULL AND lane IS NOT NULL
    GROUP BY lane HAVING count(*) >= lane_limit
  ) full_lane;
  LOOP
    -- Each organization by one look into the index, beginning after the one that was served last.
    WITH RECURSIVE behind AS (
      (SELECT organization_id FROM jobs
        WHERE kind = of_kind AND worker IS NULL AND organization_id > last_served
        ORDER BY organization_id LIMIT 1)
      UNION ALL
      SELECT (SELECT j.organization_id FROM jobs j
        WHERE j.kind = of_kind AND j.worker IS NULL AND j.organization_id > b.organization_id
        ORDER BY j.organization_id LIMIT 1)
      FROM behind b WHERE b.organization_id IS NOT NULL
    ), ahead AS (
      (SELECT organization_id FROM jobs WHERE kind = of_kind AND worker IS NULL
        ORDER BY organization_id LIMIT 1)
      UNION ALL
      SELECT (SELECT j.organization_id FROM jobs j
        WHERE j.kind = of_kind AND j.worker IS NULL AND j.organization_id > a.organization_id
        ORDER BY j.organization_id LIMIT 1)
      FROM ahead a WHERE a.organization_id < last_served
    ), waiting AS (
      SELECT organization_id FROM (
        SELECT organization_id FROM behind
        UNION ALL SELECT organization_id FROM ahead WHERE organization_id <= last_served
      ) circle
      WHERE organization_id IS NOT NULL LIMIT 300
    ), running AS (
      SELECT organization_id, count(*) AS jobs FROM jobs
      WHERE kind = of_kind AND worker IS NOT NULL GROUP BY organization_id
    )
    SELECT oldest.* INTO picked
    FROM waiting w
    JOIN organizations o ON o.id = w.organization_id
    LEFT JOIN running r ON r.organization_id = w.organization_id
    LEFT JOIN job_turns t ON t.kind = of_kind AND t.organization_id = w.organization_id
    CROSS JOIN LATERAL (
      SELECT * FROM jobs j
      WHERE j.kind = of_kind AND j.organization_id = w.organization_id AND j.worker IS NULL
        AND j.run_at <= clock_timestamp()
        AND (j.lane IS NULL OR j.lane <> ALL (full_lanes))
        AND j.id <> ALL (taken)
        AND (is_idle OR j.deaths < alone_after OR j.run_at < clock_timestamp() - interval '30 seconds')
      ORDER BY j.queued_at, j.id LIMIT 1
    ) oldest
    WHERE coalesce(r.jobs, 0) < organization_limit AND w.organization_id <> ALL (passed_over)
    ORDER BY coalesce(r.jobs, 0) / coalesce((weights ->> o.plan)::float, 1), t.at NULLS FIRST,
      oldest.queued_at, oldest.id
    LIMIT 1;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    IF picked.deaths >= alone_after AND NOT is_idle THEN
      RETURN NEXT picked;
      RETURN;
    END IF;
    -- One that a transaction holds is being cancelled or changed: it is not waited for.
    PERFORM FROM jobs WHERE id = picked.id AND worker IS NULL FOR UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
    taken := taken || picked.id;
  END LOOP;
  INSERT INTO job_turns AS turn (kind, organization_id) VALUES (of_kind, picked.organization_id)
    ON CONFLICT (kind, organization_id) DO UPDATE SET at = excluded.at;
  RETURN QUERY UPDATE jobs SET worker = by_worker, attempt = attempt + 1, beat_at = clock_timestamp()
    WHERE id = picked.id RETURNING *;
END
$$;

-- What an installation has in hand. Rows that processes of an earlier version make while they still run are taken in by
-- the sweep of the workers.
INSERT INTO jobs (id, kind, organization_id, attempt, failures, queued_at)
  SELECT id, 'export', organization_id, attempt, failures, created_at
  FROM exports WHERE status IN ('queued', 'running');
INSERT INTO jobs (id, kind, organization_id, lane, attempt, failures, queued_at, run_at)
  SELECT id, 'agent', organization_id, project_id, attempt, failures, created_at, coalesce(waiting_until, now())
  FROM agent_jobs WHERE phase IN ('queued', 'preparing', 'running', 'waiting', 'publishing');

-- The verdict of the last check of the changes, with a digest of what was checked.
ALTER TABLE agent_jobs ADD COLUMN verdict jsonb;
