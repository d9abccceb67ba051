-- Runs beside servers of the version before: no (they read the columns of campaigns that are dropped here)
--
-- Named connections to the providers of language models; campaigns choose one. The key is sealed, and SQL cannot unseal it:
-- `sealed_for` names what it was sealed for, the connection itself or the campaign that had it before.
create table connections (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null,
  name text not null,
  kind text not null check (kind in ('openai-compatible', 'openai', 'anthropic')),
  -- Null: the vendor's own.
  url text,
  key text,
  sealed_for text collate "C" not null,
  -- Null: each campaign names its own.
  model text,
  version integer not null default 1,
  -- The result of the last try, as the app shows it.
  last_try jsonb,
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  check (kind <> 'openai-compatible' or url is not null)
);

-- Each campaign with a provider gets a connection of its own, with its name: sealed keys cannot be compared. One that is on
-- the built-in engine keeps its provider too; which kind it was of is then read from the address and the model.
insert into connections (account_id, id, name, kind, url, key, sealed_for, model, created_at)
select account_id, 'cxn_' || substr(id, 5), name,
  case
    when settings ->> 'engine' in ('openai-compatible', 'openai', 'anthropic') then settings ->> 'engine'
    when provider_url is not null then 'openai-compatible'
    when settings ->> 'model' like 'claude%' then 'anthropic'
    else 'openai'
  end,
  provider_url, provider_key, id, settings ->> 'model', created_at
from campaigns where provider_url is not null or provider_key is not null;

alter table campaigns add column connection_id text collate "C";
update campaigns set connection_id = 'cxn_' || substr(id, 5)
where provider_url is not null or provider_key is not null;
alter table campaigns
  drop column provider_url,
  drop column provider_key,
  add foreign key (account_id, connection_id) references connections (account_id, id);
create index campaigns_by_connection on campaigns (account_id, connection_id) where connection_id is not null;
