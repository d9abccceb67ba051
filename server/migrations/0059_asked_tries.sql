-- Runs beside servers of the version before: yes
--
-- Tries that a person asked for ("Send again", `resend`, a window, another address) are no part of those that come by
-- themselves. `asked`: the next try is one of them, which a person waits for ('now') or which is one of many ('in turn');
-- meanwhile `due_at` is its time, and `own_due_at` when the next one by itself is due, or null. `asked_attempts`: how many of
-- `attempts` were asked for. The check holds for what is there, so nothing is read for it.
alter table deliveries
  add column asked text collate "C",
  add column own_due_at timestamptz,
  add column asked_attempts integer not null default 0,
  add constraint deliveries_asked_check check (asked in ('now', 'in turn')) not valid;
create index deliveries_asked_now on deliveries (account_id, kind, due_at) where asked = 'now';
