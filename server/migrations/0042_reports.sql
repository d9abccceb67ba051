-- Runs beside servers of the version before: yes
--
-- Reports: sums by quarter of an hour, in UTC, which a worker keeps (decision 53).

-- In which zone the days of the account begin. Known to PostgreSQL and to the browser.
alter table accounts add column time_zone text not null default 'UTC';

-- How far an account is counted. Its row is the lock of whoever counts.
create table report_accounts (
  account_id text collate "C" primary key references accounts (id) on delete cascade,
  -- In which the rows of report_days are made.
  zone text not null,
  -- The activity of the oldest conversation when counting began.
  began_at timestamptz not null,
  -- Conversations without activity since then are counted.
  counted_to timestamptz not null default '-infinity',
  answers_to timestamptz not null default '-infinity',
  ledger_n bigint not null default 0,
  -- When everything was counted for the first time, or in this zone.
  caught_up_at timestamptz
);

-- The labels of channels. One of which no contact is left is forgotten: a label may be the word of an erased contact.
create table report_channels (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id integer not null,
  label text collate "C",
  primary key (account_id, id),
  unique (account_id, label)
);

-- Up to which message a conversation is counted. Sums know a conversation by its key, which says nothing once this row is gone.
create table report_marks (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  key bigint not null default hashtextextended(gen_random_uuid()::text, 0),
  seq bigint not null,
  channels integer[] not null default '{}',
  primary key (account_id, contact_id),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
);

-- Messages of contacts that nobody has answered yet.
create table report_waiting (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  quarter timestamptz not null,
  channel integer not null,
  messages integer not null,
  first_seq bigint not null,
  first_at timestamptz not null,
  last_seq bigint not null,
  primary key (account_id, contact_id, quarter, channel),
  foreign key (account_id, contact_id) references report_marks (account_id, contact_id) on delete cascade
);
create index report_waiting_by_age on report_waiting (account_id, quarter);

-- Outgoing messages that have not arrived: still to be delivered, or given up, which a user can take back.
create table report_deliveries (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  message_id text collate "C" not null,
  channel integer not null,
  created_at timestamptz not null,
  is_failed boolean not null,
  primary key (account_id, contact_id, message_id),
  foreign key (account_id, contact_id) references report_marks (account_id, contact_id) on delete cascade
);
-- Those that were given up may be many, and stay: the others are looked at often.
create index report_deliveries_open on report_deliveries (account_id, contact_id, message_id) where not is_failed;

-- What a quarter of an hour adds to the reports. Channel 0: no channel is known.
create table report_quarters (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  quarter timestamptz not null,
  channel integer not null,
  messages_in integer not null,
  messages_out integer not null,
  by_bot integer not null,
  by_person integer not null,
  by_api integer not null,
  sent integer not null,
  failed integer not null,
  unanswered integer not null,
  spent bigint not null,
  -- Each first response, in tenths of a second, and each delivery, in milliseconds.
  responses integer[] not null,
  delivery_ms integer[] not null,
  -- Conversations with a reply of the bot, with one of a person, and with a wish for one.
  bot_keys bigint[] not null,
  person_keys bigint[] not null,
  wish_keys bigint[] not null,
  primary key (account_id, quarter, channel)
);

-- The sums of the last days in the zone of the account, made of the quarters. Channel 0: all channels together.
create table report_days (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  day date not null,
  channel integer not null,
  messages_in integer not null,
  messages_out integer not null,
  by_bot integer not null,
  by_person integer not null,
  by_api integer not null,
  sent integer not null,
  failed integer not null,
  unanswered integer not null,
  spent bigint not null,
  bot_conversations integer not null,
  bot_resolved integer not null,
  responses bytea not null,
  deliveries bytea not null,
  primary key (account_id, day, channel)
);

-- Days whose row is older than their quarters.
create table report_dirty_days (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  day date not null,
  primary key (account_id, day)
);
