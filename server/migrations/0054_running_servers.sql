-- Runs beside servers of the version before: yes

-- What the running servers were started with, as far as commands judge by it or an operator must see it; no secrets. A
-- server holds an advisory lock with its number for as long as it runs: a row without one is of a server that has died.
create table running_servers (
  number integer primary key,
  name text not null,
  version text not null,
  started_at timestamptz not null default now(),
  settings jsonb not null
);
