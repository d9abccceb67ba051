-- What became of a message that leaves is said once, in its delivery: when it arrived, and what the last attempt was.
-- The log has the attempts before the last. See docs/decisions/0017.

alter table deliveries
  add column sent_at timestamptz,
  add column last_url text,
  add column last_duration_ms integer,
  add check ((last_url is null) = (last_duration_ms is null));

update deliveries d set sent_at = coalesce(m.sent_at, m.created_at)
from messages m
where m.account_id = d.account_id and m.id = d.id and m.status = 'Sent';

alter table messages
  drop constraint messages_check,
  drop column sent_at,
  alter column status drop not null;
update messages set status = null where direction = 'outgoing';
alter table messages add check ((status is null) = (direction = 'outgoing'));
