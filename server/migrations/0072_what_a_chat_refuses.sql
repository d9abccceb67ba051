-- Runs beside servers of the version before: no (they do not know the event, and show nothing of a conversation that has it)
--
-- What the owner of a website chat is shown of its day, and that a team decides on somebody who asked to be deleted.

-- Of those refused, why; the rest is of chats that have ended, and of requests that nobody can read.
alter table chat_days
  add column refused_page integer not null default 0,
  add column refused_pace integer not null default 0,
  add column refused_full integer not null default 0,
  add column forged integer not null default 0;

-- How many panels each process has open. Written when that changes, and again every minute: what is older is of a process that has died.
create table chat_panels (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  process text collate "C" not null,
  open integer not null,
  at timestamptz not null default now(),
  primary key (account_id, channel_id, process),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade
) with (fillfactor = 50);

alter table conversation_events
  drop constraint conversation_events_kind_check,
  add constraint conversation_events_kind_check check (kind in (
    'taken over', 'handed back', 'switched off', 'asked for a person', 'opted out', 'opted in', 'assigned', 'unassigned', 'closed',
    'reopened', 'snoozed', 'snooze ended', 'blocked', 'unblocked', 'signed in', 'left e-mail', 'asked to be deleted', 'not deleted'
  )) not valid;
