-- Runs beside servers of the version before: no (they do not know the kind, and show nothing of an account that has such a channel)
--
-- Website chat: a built-in channel without a provider. What is said over it is sent when it is stored, and the browsers of visitors
-- say what arrived and what was read. No row of a table that is there is read or written.

-- When a message was in front of its reader, and when it was read: of each of its parts, and of all of it. Facts that are never undone.
alter table delivery_parts
  add column delivered_at timestamptz,
  add column read_at timestamptz;
alter table deliveries
  add column delivered_at timestamptz,
  add column read_at timestamptz;

-- Parts of which more may be heard. Nothing is heard of those that go to a chat of Telegram, so they are not here.
create index delivery_parts_unread on delivery_parts (account_id, contact_id, channel_id, delivery_id)
  where read_at is null and address_kind <> 'chat';

-- `left_email`: as they wrote it, verified by nobody. `seen_at`: when they last looked, noted once a minute. `signed_in_as`: the contact
-- of the customer who was the first to be shown this browser's chat, and is the only one.
alter table contact_channels
  add column left_email text,
  add column left_email_at timestamptz,
  add column seen_at timestamptz,
  add column signed_in_as text collate "C",
  add constraint contact_channels_left_email_check check ((left_email is null) = (left_email_at is null)) not valid;

-- Whose browser it was is asked when the customer's contact is erased.
create index contact_channels_by_sign_in on contact_channels (account_id, signed_in_as) where signed_in_as is not null;

-- A file may be the contact's own: then it goes with a message that comes.
alter table outgoing_files add column by_contact boolean not null default false;

-- Whoever answers, no language model does: strangers have used it enough. Null everywhere else.
alter table turns add column is_free_only boolean;

alter table conversation_events
  drop constraint conversation_events_kind_check,
  add constraint conversation_events_kind_check check (kind in (
    'taken over', 'handed back', 'switched off', 'asked for a person', 'opted out', 'opted in', 'assigned', 'unassigned', 'closed',
    'reopened', 'snoozed', 'snooze ended', 'blocked', 'unblocked', 'signed in', 'left e-mail', 'asked to be deleted'
  )) not valid;

-- What strangers have cost a channel on a day (UTC). The row changes with many messages, and no index does.
create table chat_days (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  day date not null,
  contacts integer not null default 0,
  messages integer not null default 0,
  file_bytes bigint not null default 0,
  model_answers integer not null default 0,
  refused integer not null default 0,
  primary key (account_id, channel_id, day),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade
) with (fillfactor = 50);
create index chat_days_by_day on chat_days (day);

-- Where a chat was seen last, and the last page that is not among those it may be on.
create table chat_pages (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  seen_host text,
  seen_at timestamptz,
  refused_origin text,
  refused_at timestamptz,
  primary key (account_id, channel_id),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade,
  check ((seen_host is null) = (seen_at is null)),
  check ((refused_origin is null) = (refused_at is null))
);
