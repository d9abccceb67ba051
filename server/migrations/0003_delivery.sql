-- The answer leaves.

-- Where an account's events go: one address for each kind of event. The secrets that sign them are sealed with
-- SECRET_KEY. How the receiver has been doing is kept here too, so that all processes treat it alike.
create table endpoints (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  kind text collate "C" not null check (kind in ('reply', 'recharge')),
  url text not null,
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  failures_in_row integer not null default 0,
  failing_since timestamptz,
  last_success_at timestamptz,
  probe_at timestamptz,
  probe_wait_seconds integer not null default 1,
  paused_at timestamptz,
  gone_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, kind),
  check ((old_secret is null) = (old_secret_until is null))
) with (fillfactor = 80);

-- An event is known by the id that its receiver sees: a reply by its message's. Due never again: it has arrived, or we
-- have given up. Like messages, it has no foreign key: its only writer writes the message in the same statement.
alter table deliveries drop constraint deliveries_account_id_message_id_fkey;
drop index deliveries_one_by_message;
update deliveries set id = message_id;
alter table deliveries drop column message_id;
alter table deliveries
  alter column contact_id drop not null,
  alter column outgoing_seq drop not null,
  alter column due_at drop not null,
  add column kind text collate "C" not null default 'reply' check (kind in ('reply', 'recharge')),
  add column author text,
  add column first_attempt_at timestamptz,
  add column last_attempt_at timestamptz,
  add column lease_token uuid,
  add column leased_until timestamptz,
  add check ((lease_token is null) = (leased_until is null));
alter table deliveries alter column kind drop default;
update deliveries d set author = m.author from messages m where m.account_id = d.account_id and m.id = d.id;
alter table deliveries add check (
  (kind = 'reply') = (contact_id is not null and outgoing_seq is not null and author is not null)
);
create index deliveries_open on deliveries (account_id, kind, due_at, id) where due_at is not null;
create index deliveries_open_in_order on deliveries (account_id, contact_id, outgoing_seq) where due_at is not null;
create index deliveries_failed on deliveries (account_id, id) where error_category is not null;

create table delivery_attempts (
  account_id text collate "C" not null,
  delivery_id text collate "C" not null,
  n integer not null,
  at timestamptz not null default now(),
  url text not null,
  duration_ms integer not null,
  error_category text,
  error_http_status integer,
  error_detail text,
  primary key (account_id, delivery_id, n)
);
create index delivery_attempts_by_age on delivery_attempts (at);

-- A file to fetch: due until it is stored or given up.
alter table attachments
  drop constraint attachments_state_check,
  add check (state in ('stored', 'not fetched yet', 'unreachable', 'not allowed', 'wrong type', 'too large')),
  add column due_at timestamptz,
  add column attempts integer not null default 0,
  add column lease_token uuid,
  add column leased_until timestamptz,
  add check ((lease_token is null) = (leased_until is null)),
  add check ((due_at is not null) = (state = 'not fetched yet'));
update attachments set due_at = now() where state = 'not fetched yet';
create index attachments_due on attachments (due_at) where due_at is not null;
