-- Ids are compared byte by byte ("C"): they sort by time, and no locale slows an index down.
--
-- The directory: what is looked up before the account is known. Small, and the same on every machine if
-- the rest is ever spread by account. In every other table each key begins with account_id.

create table accounts (
  id text collate "C" primary key,
  kind text not null check (kind in ('standard', 'agency', 'subaccount')),
  agency_id text collate "C" references accounts (id),
  rate_limit_per_minute integer check (rate_limit_per_minute >= 0),
  created_at timestamptz not null default now(),
  check ((kind = 'subaccount') = (agency_id is not null))
);
create index accounts_by_agency on accounts (agency_id, id) where agency_id is not null;

create table users (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts (id),
  email text collate "C" not null unique,
  password_hash text not null,
  is_owner boolean not null,
  created_at timestamptz not null default now()
);
create index users_by_account on users (account_id, id);
create unique index users_one_owner on users (account_id) where is_owner;

-- One key an account: a new one takes the row of the old one, which thereby ends.
create table api_keys (
  account_id text collate "C" primary key references accounts (id),
  key_hash bytea not null unique,
  created_at timestamptz not null default now()
);

create table installation (
  one boolean primary key default true check (one),
  secret_key_check text not null,
  owner_account_id text collate "C" references accounts (id),
  created_at timestamptz not null default now()
);

-- The tenants' own.

create table contacts (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  first_name text,
  last_name text,
  phone text collate "C",
  email text collate "C",
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create unique index contacts_one_by_phone on contacts (account_id, phone) where phone is not null;
create index contacts_by_email on contacts (account_id, email, created_at, id) where email is not null;

create table lists (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

create table list_members (
  account_id text collate "C" not null,
  list_id text collate "C" not null,
  contact_id text collate "C" not null,
  added_at timestamptz not null default now(),
  primary key (account_id, list_id, contact_id),
  foreign key (account_id, list_id) references lists (account_id, id) on delete cascade,
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
);
create index list_members_by_contact on list_members (account_id, contact_id);
