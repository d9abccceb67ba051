-- Runs beside servers of the version before: yes
--
-- What people on the list without an id get as theirs, and how many could get none: they have no phone number or e-mail
-- address, or another contact has that id. A server that does not know of it leaves them out as `no_id`.
alter table broadcasts
  add column id_from text check (id_from in ('phone', 'email')),
  add column no_address integer not null default 0 check (no_address >= 0),
  add column id_taken integer not null default 0 check (id_taken >= 0),
  add check (recipients >= open + sent + failed + opted_out + no_id + erased + no_address + id_taken);
alter table broadcast_recipients drop constraint broadcast_recipients_reason_check;
alter table broadcast_recipients add constraint broadcast_recipients_reason_check
  check (reason in ('opted_out', 'no_id', 'erased', 'no_address', 'id_taken')) not valid;
