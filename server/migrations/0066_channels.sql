-- Runs beside servers of the version before: no (they would claim what is to be sent over a channel and fail it for want of an address)
--
-- Built-in channels: one sender at a provider each, such as a bot. A channel is a receiver by its own id, so claims, leases, slots,
-- the circuit breaker and the order of a conversation are what they are for webhooks. No row of a table that is there is read or written.

-- Whose a sender is, asked before the account is known. One sender is connected once on an installation.
create table channel_directory (
  channel_id text collate "C" primary key,
  account_id text collate "C" not null references accounts (id) on delete cascade,
  kind text collate "C" not null,
  provider_key text collate "C" not null,
  unique (kind, provider_key)
);

-- `credentials` are sealed for the row. `hook_url`: the address that we set at the provider last, as `hook_version` of the row. `checks`: what was found when the
-- channel was looked at. `resumed_at`: somebody said, in a restored copy, that this is the one that goes on. A removed channel keeps
-- its row, its name and its history, and has neither credentials nor a place in the directory.
create table channels (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null check (id like 'chn\_%'),
  kind text collate "C" not null,
  provider_key text collate "C" not null,
  name text not null,
  address text not null,
  state text collate "C" not null default 'connecting' check (state in ('connecting', 'working', 'attention', 'removed')),
  attention_reason text,
  attention_since timestamptz,
  paused_at timestamptz,
  paused_by text collate "C",
  settings jsonb not null,
  credentials text,
  version integer not null default 1,
  receives_by text collate "C" not null default 'auto' check (receives_by in ('auto', 'poll', 'hook')),
  when_in_doubt text collate "C" not null default 'resend' check (when_in_doubt in ('resend', 'person')),
  per_second real check (per_second > 0),
  hook_url text,
  hook_version integer,
  checks jsonb not null default '[]',
  checked_at timestamptz,
  check_due_at timestamptz,
  last_event_at timestamptz,
  created_at timestamptz not null default now(),
  resumed_at timestamptz,
  removed_at timestamptz,
  primary key (account_id, id),
  unique (account_id, kind, provider_key),
  check ((attention_reason is null) = (attention_since is null)),
  check ((state = 'removed') = (removed_at is not null)),
  check ((state = 'removed') = (credentials is null)),
  check (state <> 'removed' or check_due_at is null)
);
create index channels_check_due on channels (check_due_at) where check_due_at is not null;

-- A channel that we fetch from: `cursor` says what is kept, and moves in the transaction that keeps it, while the lease holds.
create table channel_polls (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  cursor bigint not null default 0,
  due_at timestamptz not null default now(),
  lease_token uuid,
  leased_until timestamptz,
  primary key (account_id, channel_id),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade,
  check ((lease_token is null) = (leased_until is null))
);
create index channel_polls_due on channel_polls (due_at);

-- The clock that all processes share: the next message over the channel has its place then. `queued_at`: when the last one that found
-- no place looks again. The row changes with every message, and no index does.
create table channel_rates (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  next_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),
  paused_until timestamptz,
  primary key (account_id, channel_id),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade
) with (fillfactor = 50);

-- Who somebody is on a channel. An address is filled, never moved, while its contact lives.
create table contact_addresses (
  account_id text collate "C" not null,
  channel_id text collate "C" not null,
  kind text collate "C" not null,
  address text collate "C" not null,
  contact_id text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (account_id, channel_id, kind, address),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
);
create index contact_addresses_by_contact on contact_addresses (account_id, contact_id);

-- What is known of a contact on a channel, and the address to write to. `pair_at`: when the next message to them has its place.
create table contact_channels (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  channel_id text collate "C" not null,
  address_kind text collate "C" not null,
  address text collate "C" not null,
  username text,
  last_inbound_at timestamptz,
  stopped_at timestamptz,
  stop_scope text collate "C",
  pair_at timestamptz not null default '-infinity',
  primary key (account_id, contact_id, channel_id),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade,
  check ((stopped_at is null) = (stop_scope is null))
);
create index contact_channels_by_username on contact_channels (account_id, lower(username)) where username is not null;

-- What is known of a message besides its text; most messages have no row. `provider_at` where it is not the time of arrival.
create table message_details (
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  provider_at timestamptz,
  reply_to text collate "C",
  data jsonb not null default '{}',
  edited_body text,
  edited_at timestamptz,
  removed_at timestamptz,
  primary key (account_id, message_id),
  foreign key (account_id, message_id) references messages (account_id, id) on delete cascade,
  check ((edited_body is null) = (edited_at is null))
);

-- The requests of which a message over a channel consists. `begun_at` without `accepted_at` and without an error: it may have left.
create table delivery_parts (
  account_id text collate "C" not null,
  delivery_id text collate "C" not null,
  n integer not null,
  channel_id text collate "C" not null,
  contact_id text collate "C" not null,
  address_kind text collate "C" not null,
  address text collate "C" not null,
  content jsonb not null,
  attempts integer not null default 0,
  waits integer not null default 0,
  begun_at timestamptz,
  doubt_since timestamptz,
  resent_at timestamptz,
  provider_id text collate "C",
  accepted_at timestamptz,
  error_code text,
  error_detail text,
  primary key (account_id, delivery_id, n)
);
create unique index delivery_parts_by_provider_id on delivery_parts (account_id, channel_id, provider_id)
  where provider_id is not null;

-- What a provider told us and we could not read, as it came; without a body, how often that was on a day.
create table provider_events (
  account_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  channel_id text collate "C" not null,
  at timestamptz not null default now(),
  day date not null default current_date,
  why text not null,
  body text,
  times integer not null default 1,
  primary key (account_id, id),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade
);
create unique index provider_events_counted on provider_events (account_id, channel_id, day, why) where body is null;
create index provider_events_kept on provider_events (account_id, channel_id, at) where body is not null;
create index provider_events_by_age on provider_events (at);

-- What is there satisfies the narrower checks from before, so it is not read again, which would lock the tables for as long as that takes.
alter table receivers
  alter column secret drop not null,
  add constraint receivers_secret_check check (secret is not null or id like 'chn\_%') not valid,
  drop constraint endpoints_kind_check,
  add constraint receivers_id_check check (id in ('reply', 'recharge', 'simulator', 'alert') or id like 'chn\_%') not valid;
alter table deliveries
  add column doubt_since timestamptz,
  drop constraint deliveries_kind_check,
  add constraint deliveries_receiver_check
    check (receiver_id in ('reply', 'recharge', 'simulator', 'alert') or receiver_id like 'chn\_%') not valid,
  drop constraint deliveries_check1,
  add constraint deliveries_of_messages_check check (
    (receiver_id not in ('recharge', 'alert')) = (contact_id is not null and outgoing_seq is not null and author is not null)
  ) not valid;
alter table conversation_events
  drop constraint conversation_events_kind_check,
  add constraint conversation_events_kind_check check (kind in (
    'taken over', 'handed back', 'switched off', 'asked for a person', 'opted out', 'opted in', 'assigned', 'unassigned', 'closed',
    'reopened', 'snoozed', 'snooze ended', 'blocked', 'unblocked'
  )) not valid;
alter table alert_states
  drop constraint alert_states_condition_check,
  add constraint alert_states_condition_check check (
    condition in ('waiting', 'conversation', 'receiver', 'bot', 'credits', 'broadcast', 'channel')
  ) not valid;

-- How a kind finds a file that came, and what was known of it before it was fetched.
alter table attachments
  add column reference jsonb,
  add column file_name text,
  add column size_bytes bigint;

-- When this copy was made of a backup: until somebody says that it goes on, it sends nothing over channels and fetches nothing.
alter table installation add column restored_at timestamptz;
