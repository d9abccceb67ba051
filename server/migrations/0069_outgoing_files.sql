-- Runs beside servers of the version before: yes
--
-- A file that was attached to a reply and not sent yet. With the reply it becomes the attachment of its message; without one it goes
-- after an hour, and so do its bytes where no other message has them.

create table outgoing_files (
  account_id text collate "C" not null,
  id text collate "C" not null check (id like 'fil\_%'),
  contact_id text collate "C" not null,
  user_id text collate "C",
  media_id text collate "C" not null,
  content_type text not null,
  file_name text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  foreign key (account_id, media_id) references media (account_id, id)
);
create index outgoing_files_by_contact on outgoing_files (account_id, contact_id);
create index outgoing_files_by_media on outgoing_files (account_id, media_id);
create index outgoing_files_by_age on outgoing_files (created_at);
