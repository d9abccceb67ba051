-- Runs beside servers of the version before: no (they do not know the kind, and show nothing of an account that has such a channel)
--
-- SMS: the first channel whose provider says later what became of a message. Columns alone; no row of a table that is there is read or
-- written.

-- What another tool had set at the sender when we set our address there, as its kind wrote it down: it is put back when the channel is removed.
alter table channels add column hook_before jsonb;

-- A provider took it and said later that it did not arrive. `provider_says`: its last word, for people, such as `queued`.
alter table delivery_parts
  add column failed_at timestamptz,
  add column provider_says text;

-- Until then a message that its provider has taken may still turn out not to have arrived. Null: no more is heard of it, or all has been.
alter table deliveries add column awaits_receipt_until timestamptz;

-- Who said that they take nothing more: the contact, or the provider in an answer. `started_at`: when the contact last said that they take
-- it again, so that a word from before that, which comes late, changes nothing.
alter table contact_channels
  add column stop_source text collate "C",
  add column started_at timestamptz;

-- What a provider said of a message that is not ours, or not yet: tried again while it is due.
alter table provider_events
  add column provider_id text collate "C",
  add column due_at timestamptz,
  add column attempts integer not null default 0;
create index provider_events_due on provider_events (due_at) where due_at is not null;
create index provider_events_parked on provider_events (account_id, channel_id, provider_id) where due_at is not null;

-- How many messages in a row the provider has refused because the sender is not registered there.
alter table channel_rates add column not_registered integer not null default 0;

-- `taken`: the provider took it, and may still say that it did not arrive. What is there satisfies the narrower checks from before, so
-- it is not read again.
alter table broadcast_recipients
  drop constraint broadcast_recipients_state_check,
  add constraint broadcast_recipients_state_check
    check (state in ('waiting', 'made', 'taken', 'sent', 'failed', 'left_out')) not valid,
  drop constraint broadcast_recipients_check1,
  add constraint broadcast_recipients_settled_check check ((state in ('waiting', 'made', 'taken')) = (settled_at is null)) not valid;
