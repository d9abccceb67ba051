-- It is answered.

-- A bot configuration. The settings that differ from the defaults are kept as they were given; the key of a model's
-- provider is sealed with SECRET_KEY. `trouble` is what keeps its engine from answering, as long as it lasts.
create table campaigns (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null,
  name text not null,
  status text not null check (status in ('draft', 'live', 'paused', 'archived')),
  is_default boolean not null,
  settings jsonb not null,
  provider_url text,
  provider_key text,
  version integer not null default 1,
  knowledge_version integer not null default 0,
  trouble text,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create unique index campaigns_one_default on campaigns (account_id) where is_default;

-- What a campaign knows. Of an entry's texts, number 0 is the answer and the others are questions. A vector says which
-- model made it; a text without one waits for the worker.
create table entries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  is_on boolean not null,
  hands_over boolean not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id) on delete cascade
);
create index entries_by_campaign on entries (account_id, campaign_id, id);

create table entry_texts (
  account_id text collate "C" not null,
  entry_id text collate "C" not null,
  n integer not null,
  text text not null,
  model text,
  vector bytea,
  primary key (account_id, entry_id, n),
  foreign key (account_id, entry_id) references entries (account_id, id) on delete cascade,
  check ((model is null) = (vector is null))
);
create index entry_texts_by_model on entry_texts (model);

-- Who answers a conversation. Every change counts `epoch` up, so that an answer begun before it is noticed.
alter table conversations
  add column handler text not null default 'bot' check (handler in ('bot', 'person', 'off')),
  add column handler_reason text,
  add column handler_since timestamptz,
  add column epoch integer not null default 0,
  add column handed_back_seq bigint not null default 0,
  add column person_at timestamptz,
  add column waiting_since timestamptz,
  add column waiting_reason text,
  add column misses integer not null default 0,
  add column offered text[] not null default '{}',
  add column max_wait_ms integer not null default 15000;
create index conversations_waiting on conversations (account_id, waiting_since) where waiting_since is not null;

-- An answer owed is known by its conversation and the first message it answers. One that is parked waits for so many
-- units of credit; when it is due, it has waited long enough.
alter table turns
  add column attempts integer not null default 0,
  add column superseded integer not null default 0,
  add column claimed_seq bigint,
  add column lease_token uuid,
  add column leased_until timestamptz,
  add column parked_units bigint,
  add check ((lease_token is null) = (leased_until is null));
create index turns_parked on turns (account_id, first_at) where parked_units is not null;
create index turns_due_by_account on turns (account_id, due_at);
drop index turns_due;

-- What became of every answer that was owed: once, because it is known by what it answers.
create table answers (
  account_id text collate "C" not null,
  contact_id text collate "C" not null,
  from_seq bigint not null,
  to_seq bigint not null,
  outcome text not null,
  reason text not null,
  campaign_id text,
  campaign_version integer,
  routing text,
  message_id text collate "C",
  engine text,
  model text,
  sources jsonb not null default '[]',
  input_tokens integer,
  output_tokens integer,
  duration_ms integer,
  created_at timestamptz not null default now(),
  primary key (account_id, contact_id, from_seq)
);
create index answers_said on answers (account_id, campaign_id, created_at) where message_id is not null;

-- What could not be answered, each wording once, in groups of a like meaning.
create table unanswered (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  question text collate "C" not null,
  group_id uuid not null,
  times integer not null default 1,
  model text,
  vector bytea,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  primary key (account_id, campaign_id, question),
  foreign key (account_id, campaign_id) references campaigns (account_id, id) on delete cascade,
  check ((model is null) = (vector is null))
);

-- Accounts from before there were campaigns get theirs now.
insert into campaigns (account_id, id, name, status, is_default, settings)
select id, 'cmp_' || replace(gen_random_uuid()::text, '-', ''), 'Default', 'live', true, jsonb_build_object(
  'greetingText', 'Hello! How can I help you?',
  'thanksText', 'You are welcome!',
  'fallbackText', 'Thank you for your message. I do not have an answer to that yet; someone will look into it.',
  'handoverText', 'Thank you. A person will answer you here as soon as possible.'
)
from accounts;
