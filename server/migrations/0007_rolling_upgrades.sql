-- Runs beside servers of the version before: yes
--
-- Whether servers from before a migration can go on working beside it, as its file says: so that those who do not have
-- the file know it too.
alter table schema_migrations add column runs_beside boolean not null default false;
