-- Runs beside servers of the version before: yes
--
-- A broadcast is one message to everybody on a list. Its recipients are its queue: a message is made when it is a
-- recipient's turn (docs/decisions/0052-broadcasts.md).

create table broadcasts (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null,
  name text not null,
  -- The list may be renamed or deleted; the recipients are copied when the broadcast starts.
  list_id text collate "C" not null,
  list_name text not null,
  channel text not null,
  campaign_id text collate "C",
  body text not null,
  rate_per_minute integer not null check (rate_per_minute between 1 and 6000),
  state text not null default 'preparing' check (state in ('preparing', 'running', 'paused', 'stopped', 'finished')),
  -- Who started it; null: an API key.
  user_id text collate "C",
  created_at timestamptz not null default now(),
  -- Up to which contact of the list recipients are copied, and when that was done.
  prepared_after text collate "C" not null default '',
  prepared_at timestamptz,
  resumed_at timestamptz,
  ended_at timestamptz,
  -- Since when, and why, its receiver can take nothing.
  waiting_since timestamptz,
  waiting_reason text,
  -- It was paused because that lasted; until somebody resumes it.
  halted_at timestamptz,
  halted_reason text,
  -- The time that the messages made so far would have been made by, at the rate.
  paced_at timestamptz not null default now(),
  -- recipients = those without a message yet + open + sent + failed + opted_out + no_id + erased
  recipients integer not null default 0,
  open integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  opted_out integer not null default 0,
  no_id integer not null default 0,
  erased integer not null default 0,
  answered integer not null default 0,
  -- How many failed, by "category" or "category status".
  causes jsonb not null default '{}',
  primary key (account_id, id),
  check ((state in ('stopped', 'finished')) = (ended_at is not null)),
  check ((waiting_since is null) = (waiting_reason is null)),
  check ((halted_at is null) = (halted_reason is null)),
  check (least(recipients, open, sent, failed, opted_out, no_id, erased, answered) >= 0),
  check (recipients >= open + sent + failed + opted_out + no_id + erased)
);
create index broadcasts_active on broadcasts (account_id, id) where state in ('preparing', 'running') or open > 0;

create table broadcast_recipients (
  account_id text collate "C" not null,
  broadcast_id text collate "C" not null,
  n integer not null,
  -- Null: erased. No foreign key: the row stays for the results.
  contact_id text collate "C",
  -- `made`: there is a message, whose delivery is not over.
  state text collate "C" not null default 'waiting' check (state in ('waiting', 'made', 'sent', 'failed', 'left_out')),
  reason text check (reason in ('opted_out', 'no_id', 'erased')),
  message_id text collate "C",
  seq bigint,
  error_category text,
  error_http_status integer,
  made_at timestamptz,
  settled_at timestamptz,
  answered_at timestamptz,
  primary key (account_id, broadcast_id, n),
  foreign key (account_id, broadcast_id) references broadcasts (account_id, id) on delete cascade,
  check ((state = 'left_out') = (reason is not null)),
  check ((state in ('waiting', 'made')) = (settled_at is null))
);
-- Each contact once.
create unique index broadcast_recipients_one_by_contact on broadcast_recipients (account_id, contact_id, broadcast_id)
  where contact_id is not null;
create index broadcast_recipients_by_state on broadcast_recipients (account_id, state, broadcast_id, n);
-- How many messages were made in the last minute.
create index broadcast_recipients_made on broadcast_recipients (account_id, broadcast_id, made_at) where made_at is not null;
create index broadcast_recipients_answered on broadcast_recipients (account_id, broadcast_id, answered_at)
  where answered_at is not null;
create index broadcast_recipients_by_age on broadcast_recipients (account_id, settled_at) where settled_at is not null;

-- Accounts with broadcasts whose answers are still counted.
create table broadcast_marks (
  account_id text collate "C" not null primary key references accounts (id) on delete cascade,
  watched_until timestamptz not null,
  -- Answers that were committed before this are counted.
  counted_until timestamptz not null default now(),
  looked_at timestamptz not null default '-infinity',
  -- Failed messages were sent again: some recipients may have more to come.
  resent_at timestamptz
);

alter table messages add column broadcast_id text collate "C";
