-- A message comes in and is kept; a message goes out.
--
-- A contact has at most one conversation, so the contact's id names it. Messages and turns have no foreign key to it:
-- their only writers hold its row in the same statement, and the check would cost a tenth of each message.

alter table accounts add column bot_active boolean not null default true;

alter table contacts add column external_id text collate "C";
create unique index contacts_one_by_external_id on contacts (account_id, external_id) where external_id is not null;

-- The row that puts a conversation's messages in a line: whoever writes one takes its number here.
create table conversations (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  channel text,
  campaign_id text,
  last_seq bigint not null default 0,
  last_outgoing_seq bigint not null default 0,
  quiet_ms integer not null default 2000,
  created_at timestamptz not null default now(),
  primary key (account_id, contact_id),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
) with (fillfactor = 80);

create table messages (
  account_id text collate "C" not null,
  id text collate "C" not null,
  contact_id text collate "C" not null,
  seq bigint not null,
  direction text not null check (direction in ('incoming', 'outgoing')),
  author text not null check (author in ('contact', 'bot', 'person', 'api')),
  kind text not null check (kind in ('text', 'reaction')),
  status text not null,
  body text not null,
  channel text,
  campaign_id text,
  message_sid text collate "C",
  to_id text,
  outgoing_seq bigint,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  primary key (account_id, id),
  check (direction = 'incoming' or status in ('Waiting', 'Sent', 'Failed'))
);
create unique index messages_in_order on messages (account_id, contact_id, seq);
create unique index messages_one_by_sid on messages (account_id, message_sid) where message_sid is not null;

-- An answer owed by the bot: one row a conversation, however many messages wait for it.
create table turns (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  first_at timestamptz not null default now(),
  due_at timestamptz not null,
  from_seq bigint not null,
  last_seq bigint not null,
  primary key (account_id, contact_id)
) with (fillfactor = 80);
create index turns_due on turns (due_at, account_id, contact_id);

-- An event owed to the outside. The payload is made once, so that every attempt sends the same bytes.
create table deliveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  message_id text collate "C" not null,
  contact_id text collate "C" not null,
  outgoing_seq bigint not null,
  payload text not null,
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  error_category text,
  error_http_status integer,
  error_detail text,
  primary key (account_id, id),
  foreign key (account_id, message_id) references messages (account_id, id) on delete cascade
);
create unique index deliveries_one_by_message on deliveries (account_id, message_id);

-- Files: the bytes once per content, in pieces that fit in memory; and which message has which.
create table media (
  account_id text collate "C" not null,
  id text collate "C" not null,
  content_type text not null,
  size_bytes integer not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

create table media_chunks (
  account_id text collate "C" not null,
  media_id text collate "C" not null,
  n integer not null,
  bytes bytea not null,
  primary key (account_id, media_id, n),
  foreign key (account_id, media_id) references media (account_id, id) on delete cascade
);
-- Files are compressed already.
alter table media_chunks alter column bytes set storage external;

create table attachments (
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  content_type text not null,
  url text,
  state text not null check (state in ('stored', 'not fetched yet')),
  media_id text collate "C",
  primary key (account_id, message_id),
  foreign key (account_id, message_id) references messages (account_id, id) on delete cascade,
  foreign key (account_id, media_id) references media (account_id, id),
  check ((state = 'stored') = (media_id is not null))
);

-- What was answered to a caller's own key, kept in the transaction of its effect.
create table idempotency_keys (
  account_id text collate "C" not null,
  endpoint text collate "C" not null,
  key text collate "C" not null,
  body_hash bytea not null,
  status integer,
  answer text,
  created_at timestamptz not null default now(),
  primary key (account_id, endpoint, key)
);
create index idempotency_keys_by_age on idempotency_keys (account_id, created_at);
