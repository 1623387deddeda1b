-- oldest program: 0.1.0
-- Who reads the sites of a project. A site without a row has the default of its kind.
CREATE TABLE reader_access (
  project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
  site text NOT NULL CHECK (site IN ('production', 'preview')),
  organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('public', 'password', 'members', 'oidc', 'token')),
  session_hours integer NOT NULL,
  -- part of what the keys of cookies are derived from: the next number signs everyone out
  key_version integer NOT NULL DEFAULT 1,
  password_hash text,
  password_set_at timestamptz(3),
  -- the settings as the contract has them, without the secret
  oidc jsonb,
  oidc_secret_sealed bytea,
  token jsonb,
  -- Ed25519, SPKI in DER; nobody here knows the private half
  token_public_key bytea,
  token_key_created_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, site)
);

-- Tokens and codes of readers that were used, until they would have expired.
CREATE TABLE reader_used_tokens (
  digest bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX reader_used_tokens_expiry ON reader_used_tokens (expires_at);

CREATE TRIGGER sites_changed AFTER INSERT OR UPDATE OR DELETE ON reader_access
  FOR EACH STATEMENT EXECUTE FUNCTION notify_sites_changed();
