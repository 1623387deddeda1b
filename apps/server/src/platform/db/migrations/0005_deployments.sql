-- Deployments ask for the newest completed export of a domain every minute.
CREATE INDEX exports_completed ON exports (organization_id, domain, created_at DESC, id DESC)
  WHERE status = 'completed';
