-- From server/src/journey/intake/known-store.ts, by npm run generate.

with moved as (
  update conversations c
  set last_seq = c.last_seq + 1, active_at = now(), active_step = activity_step(now()),
    channel = coalesce(m.channel, c.channel), incoming_seq = c.last_seq + 1, state = 'open', snoozed_until = null
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
    as m (account_id, contact_id, clears, id, message_sid, to_id, body, status, kind, channel, campaign_id, owing, trace)
  where c.account_id = m.account_id and c.contact_id = m.contact_id
    and (m.clears is null or c.clears = m.clears::integer)
  returning m.*, c.last_seq as seq, c.quiet_ms
), kept as (
  insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, campaign_id,
    message_sid, to_id)
  select account_id, id, contact_id, case when (select true from removed_sids r
    where r.account_id = m.account_id and r.sid_hash = substr(sha256(convert_to(m.message_sid, 'UTF8')), 1, 16)) then refuse_removed_copy() else m.seq end, 'incoming', 'contact', kind, status, body, channel, campaign_id,
    message_sid, to_id
  from moved m
  returning id
)
select id from kept
