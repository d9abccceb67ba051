-- Runs beside servers of the version before: no (they would make an account that nobody holds)
--
-- An account may have several owners. One of the owners holds it: its e-mail address names the account, and its id is the
-- `userId` of every event. Who is removed keeps the row, so that what they wrote keeps their name; without an e-mail
-- address nobody can sign in as them, and the address is free again. Nor can a guest: that is a user of the agency in the
-- sub-account that it visits, so that whatever names a user there names one of the same account.
alter table users
  add column is_holder boolean not null default false,
  add column removed_at timestamptz,
  add column seen_at timestamptz,
  add column guest_of text collate "C" references users (id) on delete cascade,
  alter column email drop not null;
update users set is_holder = is_owner;
drop index users_one_owner;
create unique index users_one_holder on users (account_id) where is_holder;
alter table users
  add check (not is_holder or is_owner),
  add check ((removed_at is null and guest_of is null) = (email is not null)),
  add check (email is not null or not is_owner);
create unique index users_one_guest on users (account_id, guest_of) where guest_of is not null;

-- A link that lets somebody in once: as a new user of the account, or to set a user's password. Only its hash is stored.
create table account_links (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null,
  token_hash bytea not null unique,
  -- Null: an invitation.
  user_id text collate "C" references users (id) on delete cascade,
  makes_owner boolean not null,
  made_by text collate "C" not null,
  created_at timestamptz not null default now(),
  ends_at timestamptz not null,
  primary key (account_id, id)
);
create index account_links_by_end on account_links (ends_at);

-- An owner of an agency opens a sub-account's app with the same session, as this guest.
alter table sessions
  add column guest_id text collate "C" references users (id) on delete set null,
  add column visit_ends_at timestamptz;

-- Who did what. Names are those of the moment, and nothing in `details` is of a contact but its id.
create table audit_events (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null,
  at timestamptz not null default now(),
  act text not null,
  actor_kind text not null check (actor_kind in ('user', 'agency', 'key', 'operator', 'nobody')),
  actor_id text collate "C",
  actor_name text,
  details jsonb not null default '{}',
  address text,
  primary key (account_id, id)
);
create index audit_events_by_age on audit_events (at);
