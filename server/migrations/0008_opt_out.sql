-- Runs beside servers of the version before: no (they would write to who has opted out)
--
-- That somebody does not want to be written to is a fact of the contact, whoever has the conversation. Of the words that
-- say so, those up to `consent_seq` have been heard.
alter table contacts
  add column opted_out_at timestamptz,
  add column opted_out_by text check (opted_out_by in ('contact', 'operator', 'returned')),
  add check ((opted_out_at is null) = (opted_out_by is null));
alter table conversations add column consent_seq bigint not null default 0;

-- People who had opted out when they were erased: a keyed hash of each of their identifiers, and nothing else.
create table opt_outs (
  account_id text collate "C" not null references accounts (id),
  hash bytea not null,
  created_at timestamptz not null default now(),
  primary key (account_id, hash)
);

-- Before, a stop word switched the bot off in the conversation, and a person's reply switched it on again a day later.
-- What became of every answer that was owed still says who wrote one; only whoever was handed back since is left out.
create temporary table asked on commit drop as
  select account_id, contact_id, max(created_at) as at, max(to_seq) as seq
  from answers
  where outcome = 'silent' and reason = 'asked not to be written to'
  group by account_id, contact_id;

update contacts p set opted_out_at = coalesce(a.at, c.handler_since, now()), opted_out_by = 'contact'
from conversations c left join asked a on a.account_id = c.account_id and a.contact_id = c.contact_id
where p.account_id = c.account_id and p.id = c.contact_id and (
  c.handler = 'off' and c.handler_reason = 'stop'
  or a.at is not null and not (c.handler_reason = 'handed back' and c.handler_since > a.at)
);

update conversations c set consent_seq = a.seq
from asked a
where a.account_id = c.account_id and a.contact_id = c.contact_id;

update conversations set handler = 'bot', handler_reason = null, handler_since = now(), epoch = epoch + 1
where handler = 'off' and handler_reason = 'stop';
