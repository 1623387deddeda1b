-- oldest program: 0.1.0
-- Keys that had `read` or `write` before scopes had areas keep everything. Without the areas that came later, they could
-- no longer invite editors. The old name is still in their row; keys that are limited to chosen areas do not have it.
UPDATE api_keys SET scopes = scopes || (
  SELECT coalesce(array_agg(scope), '{}') FROM unnest(ARRAY['discovery:read', 'assistant:use']) AS scope
  WHERE NOT scope = ANY (scopes))
WHERE 'write' = ANY (scopes);
UPDATE api_keys SET scopes = array_append(scopes, 'discovery:read')
WHERE 'read' = ANY (scopes) AND NOT 'discovery:read' = ANY (scopes);
