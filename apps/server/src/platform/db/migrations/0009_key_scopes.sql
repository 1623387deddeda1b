-- Scopes by area. The names of before stay beside the new ones: processes of the previous version know only these, and
-- accept the keys until the last of them is replaced. They refuse keys that are created from now on.
UPDATE api_keys SET scopes = CASE
  WHEN 'write' = ANY (scopes) OR cardinality(scopes) = 0
    THEN ARRAY['exports:write', 'agent:write', 'projects:write', 'organization:write', 'write']
  ELSE ARRAY['exports:read', 'agent:read', 'projects:read', 'organization:read', 'read']
END;
-- Projects to which the key is limited; null: all. Not a reference: a key stays limited to projects that were deleted.
ALTER TABLE api_keys ADD COLUMN projects text[] CHECK (cardinality(projects) > 0);
-- The key that created it, and with which it ends.
ALTER TABLE api_keys ADD COLUMN created_by_key text REFERENCES api_keys ON DELETE CASCADE;
CREATE INDEX api_keys_creator ON api_keys (created_by_key) WHERE created_by_key IS NOT NULL;

-- The key that sent it, and with which it ends unless it was accepted.
ALTER TABLE invitations ADD COLUMN invited_by_key text REFERENCES api_keys ON DELETE CASCADE;
CREATE INDEX invitations_key ON invitations (invited_by_key) WHERE invited_by_key IS NOT NULL;
