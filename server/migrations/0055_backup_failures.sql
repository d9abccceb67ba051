-- Runs beside servers of the version before: yes

-- The last backup that the server was to make and could not, until one is made again.
alter table installation
  add column backup_failed_at timestamptz,
  add column backup_failure text;
