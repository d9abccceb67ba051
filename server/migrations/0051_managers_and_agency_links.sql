-- Runs beside servers of the version before: yes
--
-- A member who may also import, broadcast and delete lists. Members of before keep what they could do; new ones begin without.
alter table users add column is_manager boolean not null default false;
update users set is_manager = true where not is_owner and email is not null;

-- When the agency of a sub-account made a link for a password there, and when one was used. Owners are told in every session
-- that has not said yet that it was read: the holder's own session may be that of whoever used the link.
alter table accounts
  add column agency_link_at timestamptz,
  add column agency_link_used_at timestamptz,
  -- How many e-mail addresses were tried here since then that somebody signs in with already.
  add column taken_since timestamptz,
  add column taken_count integer not null default 0;
alter table sessions add column told_at timestamptz;
alter table account_links add column taken_count integer not null default 0;
