-- Runs beside servers of the version before: yes
--
-- How often an entry was the answer, by day: a worker counts the answers of a campaign from `counted_to` on, a minute after
-- they were given, so that giving them costs nothing. Neither table is locked by an answer.
create table entry_uses (
  account_id text collate "C" not null,
  entry_id text collate "C" not null,
  day date not null,
  times integer not null,
  primary key (account_id, entry_id, day),
  foreign key (account_id, entry_id) references entries (account_id, id) on delete cascade
);
create index entry_uses_by_age on entry_uses (day);

create table entry_use_marks (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  counted_to timestamptz not null,
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id) on delete cascade
);

-- The score of the nearest entry, when it was asked or when the knowledge changed last.
alter table unanswered add column nearest real;

-- The nightly check of the ledger: when it ended, and how many violations it found.
alter table installation
  add column ledger_checked_at timestamptz,
  add column ledger_breaches integer,
  add check ((ledger_checked_at is null) = (ledger_breaches is null));
