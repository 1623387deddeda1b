-- oldest program: 0.1.0
-- Hosts of sites. Several organizations may claim a host; the first one that is verified owns it.
CREATE TABLE site_domains (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- lower case, punycode; with `*.` before it: every host directly below it
  host text NOT NULL,
  -- a domain of the same project
  redirect_to text REFERENCES site_domains ON DELETE SET NULL,
  -- expired: was verified, and its proof was missing for too long
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'verified', 'expired')),
  method text CHECK (method IN ('dns', 'file', 'trusted')),
  verified_at timestamptz(3),
  -- first check in a row that did not find the proof of a verified domain
  failing_since timestamptz(3),
  -- what the last check found; null: not checked yet
  finding jsonb,
  checked_at timestamptz(3),
  next_check_at timestamptz(3) NOT NULL DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (organization_id, host)
);
CREATE UNIQUE INDEX site_domains_owner ON site_domains (host) WHERE state = 'verified';
CREATE INDEX site_domains_project ON site_domains (project_id, created_at DESC, id);
CREATE INDEX site_domains_due ON site_domains (next_check_at);
CREATE INDEX site_domains_redirect ON site_domains (redirect_to) WHERE redirect_to IS NOT NULL;

-- Accounts at certificate authorities, by the URL of the directory. The key is sealed.
CREATE TABLE acme_accounts (
  directory text PRIMARY KEY,
  key_sealed bytea NOT NULL,
  -- URL of the account; null: not registered yet
  url text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- One certificate of each domain, and the order of the next one. Keys are sealed.
CREATE TABLE certificates (
  domain_id text PRIMARY KEY REFERENCES site_domains ON DELETE CASCADE,
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  -- idle: nothing to do until renew_at
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('idle', 'queued', 'running')),
  -- the fence, as in exports
  attempt integer NOT NULL DEFAULT 0,
  -- failed orders in a row, and the message of the last one
  failures integer NOT NULL DEFAULT 0,
  error text,
  retry_at timestamptz(3),
  -- the order in progress
  order_url text,
  order_key_sealed bytea,
  -- what is in use
  chain text,
  key_sealed bytea,
  fingerprint text,
  expires_at timestamptz(3),
  renew_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX certificates_due ON certificates (renew_at) WHERE state = 'idle';

-- Responses to challenges of certificate authorities; not secret.
CREATE TABLE acme_challenges (
  domain_id text NOT NULL REFERENCES site_domains ON DELETE CASCADE,
  token text NOT NULL,
  key_authorization text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (domain_id, token)
);

CREATE TRIGGER sites_changed AFTER INSERT OR UPDATE OR DELETE ON site_domains
  FOR EACH STATEMENT EXECUTE FUNCTION notify_sites_changed();
