-- Runs beside servers of the version before: no (they would add messages without the terms of short numbers)
--
-- A row of `message_search` is small so that many can be sorted, and PostgreSQL moved the columns to sort by out of it, too:
-- each comparison fetched them, a second for a word that most blocks have. These stay in the row.
alter table message_search alter column account_id set storage plain, alter column newest_id set storage plain;

-- All messages are added again: a column moves back only when it is written anew, and the index has no short numbers yet.
truncate message_search;
update search_marks set backfill_seq = seq where backfill_seq <> seq;
insert into search_backfills (account_id, before_id)
select distinct account_id, 'msg_g' from search_marks
on conflict (account_id) do update set before_id = excluded.before_id;
