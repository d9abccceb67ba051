-- Runs beside servers of the version before: yes
--
-- That somebody has said of a part in doubt that it arrived, or that it is fine if it arrived twice. Nothing of a table is read or written.
alter table delivery_parts
  add column doubt_ended_at timestamptz,
  add column doubt_ended_by text collate "C";
