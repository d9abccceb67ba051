-- Runs beside servers of the version before: yes
--
-- The conversations that are unread to a user, as far as the user's list of them reaches: up to the minute
-- `unread_listed_until`, and none of those that were active since, which change with every message. So the list is brought
-- up to date by who reads it, and a message writes nothing here.
alter table users add column unread_listed_until timestamptz;

create table unread_conversations (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  contact_id text collate "C" not null,
  -- Of the conversation when it was listed. Another one by now: it was active since.
  active_at timestamptz not null,
  primary key (account_id, user_id, contact_id),
  foreign key (account_id, contact_id) references contacts (account_id, id) on delete cascade
);
create index unread_conversations_by_activity on unread_conversations (account_id, user_id, active_at, contact_id);
create index unread_conversations_by_contact on unread_conversations (account_id, contact_id);
