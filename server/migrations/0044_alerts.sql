-- Runs beside servers of the version before: yes
--
-- Somebody is told: alerts are events of a kind of their own, posted to an address of their own. What is there satisfies
-- the narrower checks from before, so it is not read again, which would lock the tables for as long as that takes.
alter table endpoints
  drop constraint endpoints_kind_check,
  add constraint endpoints_kind_check check (kind in ('reply', 'recharge', 'simulator', 'alert'));
alter table deliveries
  drop constraint deliveries_kind_check,
  add constraint deliveries_kind_check check (kind in ('reply', 'recharge', 'simulator', 'alert')) not valid;
create index endpoints_of_alerts on endpoints (account_id) where kind = 'alert';
create index campaigns_in_trouble on campaigns (account_id, id) where trouble is not null;
create index broadcasts_halted on broadcasts (account_id, id) where halted_at is not null;

-- What an account wants to be told, where that is not the usual. `credits_below` in units, as balances are.
create table alert_settings (
  account_id text collate "C" primary key references accounts (id) on delete cascade,
  conditions text[] not null default '{waiting,receiver,bot,credits,broadcast}',
  names_contacts boolean not null default false,
  credits_below bigint check (credits_below > 0)
);

-- A condition that lasts: since when, and when its alert was written, in the same transaction. `over_since`: it seems to be
-- over. `version`: of the balance, up to which movements were looked at.
--
-- Waiting conversations: the row `waiting` says up to when those that began to wait were told (`since`) and when the last
-- alert was written; each `conversation` is one that was told and began to wait a short time before.
create table alert_states (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  condition text collate "C" not null check (
    condition in ('waiting', 'conversation', 'receiver', 'bot', 'credits', 'broadcast')
  ),
  subject text collate "C" not null,
  since timestamptz not null,
  told_at timestamptz,
  over_since timestamptz,
  version bigint,
  primary key (account_id, condition, subject)
);
