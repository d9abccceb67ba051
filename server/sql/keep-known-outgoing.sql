-- From server/src/journey/messages/known-outgoing-store.ts, by npm run generate.

with moved as (
  update conversations c
  set last_seq = c.last_seq + 1, active_at = now(), active_step = activity_step(now()), channel = coalesce(m.given_channel, c.channel),
    last_outgoing_seq = c.last_outgoing_seq + 1, campaign_id = coalesce(m.given_campaign, c.campaign_id), state = case c.state when 'empty' then 'open' else c.state end
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
    as m (account_id, contact_id, clears, id, to_id, author, user_id, body, given_channel, given_campaign, given_token, trace, broadcast_id)
  where c.account_id = m.account_id and c.contact_id = m.contact_id
    and (m.clears is null or c.clears = m.clears::integer)
  returning m.*, c.last_seq as seq, c.last_outgoing_seq as outgoing_seq, c.channel, c.is_simulated
), fresh as materialized (
  select account_id, id, to_id, author, user_id, body, given_campaign as campaign_id, trace, broadcast_id, contact_id, seq,
    outgoing_seq, coalesce(channel, 'custom') as channel, is_simulated,
    case when given_token is not null and not is_simulated and outgoing_seq - 1 = (
      select c.last_outgoing_seq from conversations c where c.account_id = m.account_id and c.contact_id = m.contact_id
    ) then given_token::uuid end as token
  from moved m
), 
kept as (
  insert into messages (account_id, id, contact_id, seq, outgoing_seq, direction, author, user_id, kind, body, channel,
    campaign_id, broadcast_id)
  select account_id, id, contact_id, seq, outgoing_seq, 'outgoing', author, user_id, 'text', body, channel, campaign_id,
    broadcast_id
  from fresh
), event as materialized (
  select account_id, id, case when is_simulated then 'simulator' else 'reply' end as receiver_id, contact_id, outgoing_seq, author, token, trace,
    '{"contactId":' || to_json(contact_id) || ',"messageId":' || to_json(id) || ',"userId":' || to_json(
      (select u.id from users u where u.account_id = fresh.account_id and u.is_holder)
    ) || ',"body":' || to_json(body) || ',"toId":' || to_json(to_id) || ',"channel":' || to_json(channel) || '}' as payload
  from fresh
), 
enqueued as materialized (
  select v.account_id, v.id, v.receiver_id, v.contact_id, v.outgoing_seq, v.author, v.payload, v.trace, 
  e.url, e.secret, case when e.old_secret_until > now() then e.old_secret end as "oldSecret",
  e.paused_at is not null as "isPaused",
    case when e.paused_at is null and e.failures_in_row < 10 and (
      select true from deliveries q
      where q.account_id = v.account_id and q.contact_id = v.contact_id and q.due_at is not null and (q.attempts = 0 or q.due_at <= now())
      order by q.outgoing_seq
      limit 1
    ) is null then v.token end as token
  from event v left join receivers e on e.account_id = v.account_id and e.id = v.receiver_id
), written as (
  insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, trace, lease_token,
    leased_until)
  select account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, trace, token,
    case when token is not null then now() + interval '30 s' end
  from enqueued
)
select id, receiver_id as "receiverId", outgoing_seq as "outgoingSeq", token is not null as "isLeased", payload, url, secret,
  "oldSecret", "isPaused"
from enqueued
