-- oldest program: 0.1.0
-- The subject of a count as a number, so that lists over many days read an index alone. Rows get it when their day is
-- over: adding events to the counts of today does not write to the index.
ALTER TABLE analytics_daily ADD COLUMN subject_key bigint;
CREATE INDEX analytics_daily_subjects ON analytics_daily (project_id, kind, day, subject_key)
  INCLUDE (count, special) WHERE subject_key IS NOT NULL;
-- The other days.
CREATE INDEX analytics_daily_open_subjects ON analytics_daily (project_id, kind, day)
  WHERE subject_key IS NULL AND kind IN ('search', 'click', 'missing', 'referrer');
-- An index is read alone only where the table was vacuumed. Each day changes about a hundredth of it.
ALTER TABLE analytics_daily SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
