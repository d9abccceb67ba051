-- Runs beside servers of the version before: yes
--
-- What is unread to a user is found by the user's marks, which are read from the index alone. Those of a contact are
-- deleted with the contact.
alter table conversation_reads drop constraint conversation_reads_pkey;
alter table conversation_reads
  add constraint conversation_reads_pkey primary key (account_id, user_id, contact_id) include (seq);
create index conversation_reads_by_contact on conversation_reads (account_id, contact_id);
