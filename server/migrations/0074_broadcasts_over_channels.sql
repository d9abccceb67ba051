-- Runs beside servers of the version before: no (they would take a built-in channel for the label of a custom one, and start nothing at its time)
--
-- Broadcasts over built-in channels, whose `channel` is the id of one, and broadcasts that start later.

alter table broadcasts
  -- When it is to start; null: it started when it was made.
  add column starts_at timestamptz,
  -- They take nothing from this channel: they have stopped it, or their chat is closed.
  add column blocked integer not null default 0 check (blocked >= 0),
  add check (recipients >= open + sent + failed + opted_out + no_id + erased + no_address + id_taken + blocked),
  drop constraint broadcasts_state_check;
alter table broadcasts add constraint broadcasts_state_check
  check (state in ('scheduled', 'preparing', 'running', 'paused', 'stopped', 'finished'));
alter table broadcasts add check (state <> 'scheduled' or starts_at is not null);
create index broadcasts_scheduled on broadcasts (starts_at) where state = 'scheduled';

alter table broadcast_recipients drop constraint broadcast_recipients_reason_check;
alter table broadcast_recipients add constraint broadcast_recipients_reason_check
  check (reason in ('opted_out', 'no_id', 'erased', 'no_address', 'id_taken', 'blocked')) not valid;
