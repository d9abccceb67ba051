-- Runs beside servers of the version before: yes
--
-- Files are large and are deleted together. By default a fifth of a table must be dead before its space is used again.
alter table media_chunks set (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);
