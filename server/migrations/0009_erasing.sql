-- Runs beside servers of the version before: yes
--
-- Whether a file is anybody's is asked for each one that is erased, by us and by the foreign key.
create index attachments_by_media on attachments (account_id, media_id) where media_id is not null;

-- Contacts that are gone, and of whom something is still being erased. Whoever does it holds a lease: when they die,
-- somebody else goes on.
create table erasures (
  account_id text collate "C" not null references accounts (id),
  contact_id text collate "C" not null,
  messages integer not null default 0,
  begun_at timestamptz not null default now(),
  leased_until timestamptz not null,
  primary key (account_id, contact_id)
);

-- The answer to POST /contacts has all that is known of a contact: it goes with them. All keys go by their age alone, whether
-- their account asks again or not.
alter table idempotency_keys add column contact_id text collate "C";
update idempotency_keys set contact_id = answer::json ->> 'id' where endpoint = 'contacts';
create index idempotency_keys_by_contact on idempotency_keys (account_id, contact_id) where contact_id is not null;
drop index idempotency_keys_by_age;
create index idempotency_keys_by_age on idempotency_keys (created_at);
