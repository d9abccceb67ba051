-- Made by `npm run generate` from the migrations; compared by a test.

create table accounts (
  id text collate "C" not null,
  kind text not null,
  agency_id text collate "C",
  rate_limit_per_minute integer,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  FOREIGN KEY (agency_id) REFERENCES accounts(id),
  CHECK (((kind = 'subaccount'::text) = (agency_id IS NOT NULL))),
  CHECK ((kind = ANY (ARRAY['standard'::text, 'agency'::text, 'subaccount'::text]))),
  CHECK ((rate_limit_per_minute >= 0))
);
CREATE INDEX accounts_by_agency ON accounts USING btree (agency_id, id) WHERE (agency_id IS NOT NULL);

create table api_keys (
  account_id text collate "C" not null,
  key_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  UNIQUE (key_hash),
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table contacts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  first_name text,
  last_name text,
  phone text collate "C",
  email text collate "C",
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX contacts_by_email ON contacts USING btree (account_id, email, created_at, id) WHERE (email IS NOT NULL);
CREATE UNIQUE INDEX contacts_one_by_phone ON contacts USING btree (account_id, phone) WHERE (phone IS NOT NULL);

create table installation (
  one boolean not null default true,
  secret_key_check text not null,
  owner_account_id text collate "C",
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (one),
  FOREIGN KEY (owner_account_id) REFERENCES accounts(id),
  CHECK (one)
);

create table list_members (
  account_id text collate "C" not null,
  list_id text collate "C" not null,
  contact_id text collate "C" not null,
  added_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, list_id, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, list_id) REFERENCES lists(account_id, id) ON DELETE CASCADE
);
CREATE INDEX list_members_by_contact ON list_members USING btree (account_id, contact_id);

create table lists (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table schema_migrations (
  version integer not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  PRIMARY KEY (version)
);

create table users (
  id text collate "C" not null,
  account_id text collate "C" not null,
  email text collate "C" not null,
  password_hash text not null,
  is_owner boolean not null,
  created_at timestamp with time zone not null default now(),
  UNIQUE (email),
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX users_by_account ON users USING btree (account_id, id);
CREATE UNIQUE INDEX users_one_owner ON users USING btree (account_id) WHERE is_owner;
