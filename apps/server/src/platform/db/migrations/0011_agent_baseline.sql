-- What the findings of the base in "baseline" are of: a digest of commit, folder and version of the renderer. Other jobs
-- of the project on the same base take them from there.
ALTER TABLE agent_jobs ADD COLUMN baseline_key text;
CREATE INDEX agent_jobs_baseline ON agent_jobs (project_id, baseline_key) WHERE baseline IS NOT NULL;
