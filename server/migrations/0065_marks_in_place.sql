-- Runs beside servers of the version before: yes
--
-- How far a conversation is searchable and counted, and what waits in it, changes with nearly every message and in no column of an
-- index. With room left in a page the new version of a row stays in it, and no index is written. Pages that are full fill up again
-- with less as their rows change.
alter table search_marks set (fillfactor = 70);
alter table report_marks set (fillfactor = 70);
alter table report_waiting set (fillfactor = 70);
