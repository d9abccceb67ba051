-- Runs beside servers of the version before: no (they would post replies of simulated contacts to the real receiver)
--
-- Replies to simulated contacts are events of a kind of their own: the simulated receiver has its own circuit breaker.
alter table endpoints
  drop constraint endpoints_kind_check,
  add constraint endpoints_kind_check check (kind in ('reply', 'recharge', 'simulator'));
alter table deliveries
  drop constraint deliveries_kind_check,
  drop constraint deliveries_check1,
  add check ((kind in ('reply', 'simulator')) = (contact_id is not null and outgoing_seq is not null and author is not null)),
  add constraint deliveries_kind_check check (kind in ('reply', 'recharge', 'simulator'));

-- How the simulated receiver of an account answers; for `times_left` posts, or until it is changed.
create table simulators (
  account_id text collate "C" primary key references accounts (id) on delete cascade,
  behaviour text not null default 'ok' check (
    behaviour in ('ok', 'error 503', 'gone 410', 'silent', 'hang up', 'busy 429')
  ),
  times_left integer check (times_left > 0)
);

-- What went through the simulated platform. `post` has a post to the receiver as it was sent.
create table simulator_events (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default clock_timestamp(),
  kind text not null check (kind in ('incoming', 'incoming again', 'reply')),
  message_id text collate "C" not null,
  outcome text not null,
  duration_ms integer not null,
  post jsonb,
  primary key (account_id, contact_id, id),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
);

create index contacts_simulated on contacts (account_id, id) where is_simulated;
