-- oldest program: 0.1.0
-- The opened page of a search as a number: which one was opened most is read from the index alone, as the counts of
-- searches are. Earlier programs need not know the column. The table is written again, so lists read the table beside the
-- index until it is vacuumed, which takes a day or two of new counts, or VACUUM analytics_daily by hand.
ALTER TABLE analytics_daily ADD COLUMN detail_key bigint
  GENERATED ALWAYS AS (CASE WHEN kind = 'click' THEN hashtextextended(detail, 0) END) STORED;
DROP INDEX analytics_daily_subjects;
CREATE INDEX analytics_daily_subjects ON analytics_daily (project_id, kind, day, subject_key)
  INCLUDE (count, special, detail_key) WHERE subject_key IS NOT NULL;
