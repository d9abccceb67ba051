-- Runs beside servers of the version before: no (all contacts are written again, under a lock)
--
-- A text as it is compared in the search of contacts: without case and accents.
create function searchable(text) returns text language sql immutable strict parallel safe
return case
  when octet_length($1) = char_length($1) then lower($1)
  else replace(replace(lower(regexp_replace(normalize($1, nfkd), '[\u0300-\u036f]+', '', 'g')), 'ß', 'ss'), 'ς', 'σ')
end;

-- What a contact is found by, written by PostgreSQL with the contact itself: the name, then e-mail address, external id and
-- phone number, each after a line break.
alter table contacts add column search_text text collate "C" not null generated always as (
  searchable(
    replace(coalesce(first_name, '') || ' ' || coalesce(last_name, ''), E'\n', ' ')
    || E'\n' || coalesce(email, '') || E'\n' || coalesce(external_id, '') || E'\n' || coalesce(phone, '')
  )
) stored;

-- The newest blocks of the search of messages.
create index message_search_newest on message_search (account_id, newest_id) where terms is not null;

-- Not compressed: texts take a third more room, and comparing them a third of the time.
alter table message_search alter column texts set storage external;
