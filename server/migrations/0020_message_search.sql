-- Runs beside servers of the version before: no (they would erase a contact and leave its words in the search)
--
-- The words of messages, in blocks of some 32 messages of one account: one line of `texts` a message, in the order of
-- `message_ids` and `contact_ids`. `terms` are hashes of the beginnings of words, each made with the account's id, so that
-- a search reads only its own account's part of the index. Null: the block is not full yet, and is read as it is.
create table message_search (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  newest_id text collate "C" not null,
  message_ids text[] collate "C" not null,
  contact_ids text[] collate "C" not null,
  texts text collate "C" not null,
  terms integer[],
  primary key (account_id, id)
) with (toast_tuple_target = 128);
-- Hashes do not compress. What is long lies outside of the row, so that a search that sorts thousands of rows reads few pages.
alter table message_search alter column terms set storage external;
create index message_search_by_term on message_search using gin (terms);
create index message_search_open on message_search (account_id) where terms is null;

-- How far each conversation is searchable: up to message `seq`; and up to `backfill_seq` as far as the backfill has come.
create table search_marks (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  seq bigint not null,
  backfill_seq bigint not null default 0,
  primary key (account_id, contact_id)
);
insert into search_marks (account_id, contact_id, seq, backfill_seq)
select account_id, contact_id, last_seq, last_seq from conversations where last_seq > 0;
alter table search_marks
  add foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade;

-- Accounts with messages from before this version: those with smaller ids than `before_id` are still to be done.
create table search_backfills (
  account_id text collate "C" primary key references accounts (id) on delete cascade,
  before_id text collate "C" not null
);
insert into search_backfills (account_id, before_id)
select distinct account_id, 'msg_g' from search_marks;

-- All conversations whose last message came before this time are searchable, but for the backfill.
alter table installation add column searched_to timestamptz not null default '-infinity';
