-- Runs beside servers of the version before: yes
--
-- Imports of contacts. A file comes as text in parts; reading it makes blocks of rows, which are all that is needed from
-- then on. `checked` and `done` are numbers of rows, moved in the transaction of what was done to those rows.
create table imports (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null,
  state text collate "C" not null default 'uploading' check (
    state in ('uploading', 'reading', 'checking', 'ready', 'running', 'finished', 'stopped', 'refused')
  ),
  file_name text not null,
  encoding text not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  parts integer not null default 0,
  bytes integer not null default 0,
  -- What was found in it; of a file that cannot be read, why.
  refusal text,
  delimiter text,
  headers jsonb not null default '[]',
  first_rows jsonb not null default '[]',
  rows integer not null default 0,
  -- What each column becomes, and what the rows are under that.
  mapping jsonb not null default '[]',
  checked integer not null default 0,
  wrong integer not null default 0,
  known integer not null default 0,
  -- How it was started, and how far it is.
  list_id text collate "C",
  overwrites boolean not null default false,
  done integer not null default 0,
  added integer not null default 0,
  changed integer not null default 0,
  same integer not null default 0,
  failed integer not null default 0,
  forgotten integer not null default 0,
  lease text collate "C",
  leased_until timestamptz not null default '-infinity',
  served_at timestamptz not null default '-infinity',
  primary key (account_id, id)
);
create index imports_due on imports (served_at) where state in ('reading', 'checking', 'running');

create table import_parts (
  account_id text collate "C" not null,
  import_id text collate "C" not null,
  n integer not null,
  text text not null,
  primary key (account_id, import_id, n),
  foreign key (account_id, import_id) references imports (account_id, id) on delete cascade
);

-- Some hundred rows each: [[line, cell, …], …]. A row that was forgotten, because its person was erased, is null.
create table import_blocks (
  account_id text collate "C" not null,
  import_id text collate "C" not null,
  from_row integer not null,
  rows jsonb not null,
  primary key (account_id, import_id, from_row),
  foreign key (account_id, import_id) references imports (account_id, id) on delete cascade
);

-- Rows that were not imported. `keys`: each cell as it would identify somebody, to find them when they are erased.
create table import_errors (
  account_id text collate "C" not null,
  import_id text collate "C" not null,
  n integer not null,
  line integer not null,
  field text collate "C",
  reason text not null,
  cells jsonb not null,
  keys text[] not null,
  primary key (account_id, import_id, n),
  foreign key (account_id, import_id) references imports (account_id, id) on delete cascade
);
