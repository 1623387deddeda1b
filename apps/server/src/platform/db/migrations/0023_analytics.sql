-- oldest program: 0.1.0
-- Services of the platform that the pages of an export use: of deployments only.
ALTER TABLE exports ADD COLUMN services jsonb NOT NULL DEFAULT '{}';
