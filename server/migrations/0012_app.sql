-- Runs beside servers of the version before: no (a message they receive would not move its conversation up in the list)
--
-- How people are called. Null: the e-mail address is shown.
alter table accounts add column name text;
alter table users
  add column name text,
  add column first_run_hidden boolean not null default false,
  -- Messages from before count as read.
  add column unread_since timestamptz not null default now();

-- Browsers that are signed in. Only a hash of the token in their cookie is stored.
create table sessions (
  token_hash bytea primary key,
  account_id text collate "C" not null references accounts (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  -- The client's address at sign-in, as it counts for limits: it may sign in again while others guess the password.
  address text,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now()
);
create index sessions_by_user on sessions (account_id, user_id);
create index sessions_by_age on sessions (used_at);

-- Which user wrote a message of a person. Null: it was not stored then.
alter table messages add column user_id text collate "C";

-- The list of conversations shows the latest first, and what a user has not read. Only the minute of the last message is
-- indexed, and a page sorts its minutes by `active_at`: a conversation's further messages within the minute then change no
-- index (HOT), where an index on `active_at` itself cost every message a fifth more of PostgreSQL's time.
alter table conversations
  add column active_at timestamptz not null default now(),
  add column active_minute timestamptz not null default date_trunc('minute', now()),
  add column incoming_seq bigint not null default 0,
  add column is_simulated boolean not null default false;

update conversations c
set active_at = coalesce(m.created_at, c.created_at),
  active_minute = date_trunc('minute', coalesce(m.created_at, c.created_at)), incoming_seq = coalesce((
  select i.seq from messages i
  where i.account_id = c.account_id and i.contact_id = c.contact_id and i.direction = 'incoming'
  order by i.seq desc limit 1
), 0)
from conversations k left join lateral (
  select created_at from messages
  where account_id = k.account_id and contact_id = k.contact_id
  order by seq desc limit 1
) as m on true
where k.account_id = c.account_id and k.contact_id = c.contact_id;

create index conversations_by_activity on conversations (account_id, active_minute);

create table conversation_reads (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  user_id text collate "C" not null,
  seq bigint not null,
  primary key (account_id, contact_id, user_id),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
);

-- What happened in a conversation besides messages. `seq` is the number of the last message before it.
create table conversation_events (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  seq bigint not null,
  kind text not null check (
    kind in ('taken over', 'handed back', 'switched off', 'asked for a person', 'opted out', 'opted in')
  ),
  user_id text collate "C",
  at timestamptz not null default now(),
  primary key (account_id, contact_id, id),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
);

-- Who took a conversation over, if it was a user of the app.
alter table conversations add column handler_user_id text collate "C";

-- Channels get a colour in the order of their first use, and keep it.
create table channels (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  label text collate "C" not null,
  colour integer not null check (colour between 1 and 8),
  created_at timestamptz not null default now(),
  primary key (account_id, label)
);
insert into channels (account_id, label, colour, created_at)
select account_id, label, (row_number() over (partition by account_id order by first_at, label) - 1) % 8 + 1, first_at
from (
  select account_id, coalesce(channel, 'custom') as label, min(created_at) as first_at
  from conversations group by 1, 2
) as used;

-- The result of the last test post, as the app shows it.
alter table endpoints add column last_test jsonb;

-- Conversations with a reply that failed.
create index deliveries_failed_by_contact on deliveries (account_id, contact_id)
  where error_category is not null and sent_at is null and contact_id is not null;

-- Contacts that the simulator made. Their replies go to it, and cost nothing.
alter table contacts add column is_simulated boolean not null default false;
