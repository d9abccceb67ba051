-- What it costs.
--
-- Amounts are whole units, a ten-thousandth of a credit each, so that nothing is ever rounded. A balance has 15 digits at
-- most: as many as a JSON number can tell exactly.

-- What a sub-account has. Made by its first movement. `held` is promised to answers that are being worked on; `version`
-- counts the movements. A recharge is asked for once, and again only after the balance has been at the threshold.
create table balances (
  account_id text collate "C" primary key references accounts (id),
  balance bigint not null default 0 check (balance between 0 and 999999999999999),
  held bigint not null default 0,
  version bigint not null default 0,
  recharge_threshold bigint check (recharge_threshold > 0),
  recharge_amount bigint check (recharge_amount > 0),
  recharge_asked_version bigint,
  created_at timestamptz not null default now(),
  check (held between 0 and balance),
  check ((recharge_threshold is null) = (recharge_amount is null))
) with (fillfactor = 50);

-- Every movement of a sub-account's credits, numbered without gaps: one row with both sides, so that none can be written
-- down by half. The other side is the agency's issuance or the sub-account's usage; neither has a balance of its own, for
-- it would be one row that all wait for. Without foreign keys: the only writers hold the balance's row in the same
-- statement, and `ledger check` looks.
create table ledger (
  account_id text collate "C" not null,
  id text collate "C" not null,
  n bigint not null check (n > 0),
  kind text not null check (kind in ('grant', 'usage', 'reversal')),
  payer_id text collate "C" not null,
  payer_purse text not null check (payer_purse in ('credits', 'issuance', 'usage')),
  payee_id text collate "C" not null,
  payee_purse text not null check (payee_purse in ('credits', 'issuance', 'usage')),
  amount bigint not null check (amount between 1 and 10000000000000),
  balance_after bigint not null check (balance_after >= 0),
  description text,
  actor text not null,
  contact_id text collate "C",
  from_seq bigint,
  reverses text collate "C",
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  check ((payer_purse = 'credits') <> (payee_purse = 'credits')),
  check (account_id = case when payer_purse = 'credits' then payer_id else payee_id end),
  check (kind <> 'grant' or payer_purse = 'issuance'),
  check (kind <> 'usage' or payee_purse = 'usage'),
  check ((kind = 'usage') = (contact_id is not null) and (kind = 'usage') = (from_seq is not null)),
  check ((kind = 'reversal') = (reverses is not null))
);
create unique index ledger_in_order on ledger (account_id, n);
create unique index ledger_one_by_answer on ledger (account_id, contact_id, from_seq) where contact_id is not null;
create unique index ledger_one_reversal on ledger (account_id, reverses) where reverses is not null;

-- What is written stays, for everyone and in every session; a mistake is mended by a reversal.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed or removed; a mistake is mended by a reversal', tg_table_name
    using errcode = 'restrict_violation';
end $$;
create trigger ledger_never_changes before update or delete or truncate on ledger
  for each statement execute function refuse_change();
alter table ledger enable always trigger ledger_never_changes;

-- Credits promised to an answer that is being worked on, known by what it answers, until it is charged or given up.
create table holds (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  from_seq bigint not null,
  amount bigint not null check (amount > 0),
  created_at timestamptz not null default now(),
  primary key (account_id, contact_id, from_seq)
);

-- Which grant an agency's own key has made: once, and for ever.
create table grant_keys (
  account_id text collate "C" not null,
  key text collate "C" not null,
  body_hash bytea not null,
  sub_account_id text collate "C" not null,
  entry_id text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
