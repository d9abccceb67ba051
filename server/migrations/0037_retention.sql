-- Runs beside servers of the version before: no (they would store a late copy of a message that was removed)
--
-- How long an account keeps things, where that is shorter than what the installation allows; a kind that is absent follows
-- the installation. `removed_before`: messages from before this time were removed, or are being removed.
create table retention_rules (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  kind text collate "C" not null check (kind in ('messages', 'attachments', 'answers', 'attempts', 'unanswered', 'calls')),
  days integer not null check (days between 1 and 36500),
  primary key (account_id, kind)
);
create table retention_marks (
  account_id text collate "C" primary key references accounts (id) on delete cascade,
  removed_before timestamptz not null
);

-- The `messageSid` of a message that is removed, as a hash: a late copy is answered with the first message's id. It is
-- written a minute before the message is removed, because a statement that is storing a copy sees one of the two.
create table removed_sids (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  sid_hash bytea not null,
  message_id text collate "C" not null,
  noted_at timestamptz not null default now(),
  primary key (account_id, sid_hash)
);
create index removed_sids_by_age on removed_sids (account_id, noted_at);

-- A conversation whose messages were all removed is in no list. Its numbers stay: the next message goes on with them.
alter table conversations
  drop constraint conversations_state_check,
  add constraint conversations_state_check check (state in ('open', 'snoozed', 'closed', 'empty'));

-- A file may be removed before its message.
alter table attachments
  drop constraint attachments_state_check,
  add constraint attachments_state_check check (
    state in ('stored', 'not fetched yet', 'unreachable', 'not allowed', 'wrong type', 'too large', 'removed')
  );
create index attachments_kept on attachments (account_id, message_id) where state <> 'removed';

-- What is over is found by account and age. Messages need none: their ids are made of the time.
create index answers_by_age on answers (account_id, created_at);
create index conversation_notes_by_age on conversation_notes (account_id, at);
create index conversation_events_by_age on conversation_events (account_id, at);
drop index delivery_attempts_by_age;
create index delivery_attempts_by_age on delivery_attempts (account_id, at);
drop index unanswered_by_age;
create index unanswered_by_age on unanswered (account_id, last_at);
drop index audit_events_by_age;
create index audit_events_by_age on audit_events (account_id, at);
create index api_calls_by_age on api_calls (account_id, at);
-- The ids of a block are in order.
create index message_search_oldest on message_search (account_id, (message_ids[1])) where terms is not null;

-- The space of what was removed is free again when a twentieth of a table is dead, rather than a fifth.
alter table messages set (autovacuum_vacuum_scale_factor = 0.05);
alter table deliveries set (autovacuum_vacuum_scale_factor = 0.05);
alter table answers set (autovacuum_vacuum_scale_factor = 0.05);
alter table removed_sids set (autovacuum_vacuum_scale_factor = 0.05);
alter table message_search set (autovacuum_vacuum_scale_factor = 0.05);
alter table media_chunks set (autovacuum_vacuum_scale_factor = 0.05);
