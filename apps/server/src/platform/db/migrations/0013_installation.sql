-- oldest program: 0.1.0
-- What belongs to the installation as a whole: one row.
CREATE TABLE installation (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- Derived from OFFPRINT_SECRET, to recognize another one.
  secret_check bytea NOT NULL
);
