-- Runs beside servers of the version before: no (they write minutes, and their second page of a list would leave out the rest of a step)
--
-- The indexed part of a conversation's last activity is the end of its quarter of an hour, no longer the beginning of its minute: a
-- conversation's further messages within the quarter change no index. The column is called after it. No row and no index is written
-- anew: rows of before keep their minutes. These end before their activity and steps after it, so the rows of before come before all
-- others, and among each other they are in order.
alter table conversations rename column active_minute to active_step;

create function activity_step(at timestamptz) returns timestamptz language sql stable parallel safe
  return date_bin('15 minutes', at, '2000-01-01 00:00+00') + interval '15 minutes';

alter table conversations alter column active_step set default activity_step(now());
