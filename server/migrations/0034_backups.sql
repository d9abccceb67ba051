-- Runs beside servers of the version before: yes
--
-- When the embedded database was last backed up with `patchbay backup`; and since when a restored copy does no background
-- work, so that it sends nothing beside the installation that it is a copy of.
alter table installation add column backed_up_at timestamptz, add column work_paused_at timestamptz;
