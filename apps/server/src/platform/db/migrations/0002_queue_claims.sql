-- Which worker process has which queue entry in hand. The dispatcher's own table knows only that one is out;
-- with the worker's name beside it, the end of a killed process is noticed in seconds.
CREATE TABLE queue_claims (
  entry uuid PRIMARY KEY,
  queue text NOT NULL,
  -- 1 for the first; a claim of an older delivery is void
  delivery integer NOT NULL,
  -- number of the advisory lock that the worker's session holds while it lives
  worker integer NOT NULL,
  beat_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);
