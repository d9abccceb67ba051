-- Runs beside servers of the version before: yes
--
-- The last calls of the public API, for whoever connects a platform: a few hundred of an account, never a body, a key or a
-- query string.
create table api_calls (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id bigint generated always as identity,
  at timestamptz not null,
  method text not null,
  path text not null,
  status integer not null,
  -- Of a refused call.
  code text,
  sentence text,
  duration_ms integer not null,
  request_id text not null,
  primary key (account_id, id)
);
