-- Path below which the site of a project is served on its domains: '/docs', or empty for the root.
ALTER TABLE projects ADD COLUMN base_path text NOT NULL DEFAULT '' CHECK (base_path ~ '^(/[A-Za-z0-9._~-]+)*$');
