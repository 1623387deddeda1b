-- The name that the target had at that time, the project that it belongs to, and the fields that changed. Null in
-- events that were recorded before these columns existed.
ALTER TABLE audit_events
  ADD COLUMN target_name text,
  ADD COLUMN project_id text,
  ADD COLUMN changes jsonb;
