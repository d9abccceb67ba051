-- Runs beside servers of the version before: no (a message they receive would not reopen its conversation)
--
-- A conversation is open, put off until a time, or closed, and may be assigned to a user. A message of the contact opens it
-- again, in the statement that counts the message. The lists show one state each, so the index of the activity begins with
-- it: a message to a conversation that is open changes neither `state` nor `snoozed_until`, and so no index (HOT).
alter table conversations
  add column state text collate "C" not null default 'open' check (state in ('open', 'snoozed', 'closed')),
  add column snoozed_until timestamptz,
  add column assignee_id text collate "C",
  add check ((state = 'snoozed') = (snoozed_until is not null));

drop index conversations_by_activity;
create index conversations_by_activity on conversations (account_id, state, active_minute);
drop index conversations_waiting;
create index conversations_waiting on conversations (account_id, waiting_since)
  where waiting_since is not null and state = 'open';
create index conversations_by_assignee on conversations (account_id, assignee_id, active_minute)
  where assignee_id is not null and state = 'open';
create index conversations_snoozed on conversations (snoozed_until) where snoozed_until is not null;

-- Who it was assigned to, and until when it was put off.
alter table conversation_events
  add column to_user_id text collate "C",
  add column until timestamptz,
  drop constraint conversation_events_kind_check,
  add constraint conversation_events_kind_check check (
    kind in (
      'taken over', 'handed back', 'switched off', 'asked for a person', 'opted out', 'opted in',
      'assigned', 'unassigned', 'closed', 'reopened', 'snoozed', 'snooze ended'
    )
  );

-- What users write for each other. A table of its own, which only the inbox reads: nothing that leaves the service, and
-- nothing that a bot sees, is made from it. `seq` is the number of the last message before it.
create table conversation_notes (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  seq bigint not null,
  user_id text collate "C" not null,
  -- Made by the browser: the same one again is the same note.
  client_id text collate "C" not null,
  body text not null,
  at timestamptz not null default now(),
  primary key (account_id, contact_id, id),
  unique (account_id, contact_id, user_id, client_id),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
);

create table conversation_tags (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  tag text collate "C" not null,
  tagged_at timestamptz not null default now(),
  primary key (account_id, contact_id, tag),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
);
create index conversation_tags_by_tag on conversation_tags (account_id, tag, tagged_at, contact_id);

create table saved_replies (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null,
  shortcut text collate "C" not null,
  body text not null,
  updated_at timestamptz not null default now(),
  primary key (account_id, id),
  unique (account_id, shortcut)
);
