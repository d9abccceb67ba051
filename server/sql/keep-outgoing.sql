-- From server/src/journey/messages/store.ts, by npm run generate.

with message as materialized (
  select m.*
  from json_to_recordset($1) as m (
    s integer, nth integer, "accountId" text, "contactId" text, "fromId" text,
    messages integer, "firstName" text, "lastName" text, email text, "lastChannel" text, "lastCampaignId" text,
    "messageId" text, author text, "userId" text, body text, channel text, "campaignId" text, token uuid, trace text,
    "broadcastId" text
  )
), 
sender as materialized (
  select m.s, m.messages, m."accountId", m."contactId", m."fromId", m."firstName", m."lastName", m.email,
    m."lastChannel" as channel, m."lastCampaignId" as "campaignId",
    (select id from contacts where account_id = m."accountId" and external_id = m."fromId") as known_id
  from message m
  where m.nth = 1 and true
), filled as (
  update contacts c
  set first_name = coalesce(c.first_name, p."firstName"), last_name = coalesce(c.last_name, p."lastName"),
    email = coalesce(c.email, p.email)
  from sender p
  where coalesce(p."firstName", p."lastName", p.email) is not null
    and c.account_id = p."accountId" and c.id = p.known_id
    and (c.first_name is null and p."firstName" is not null or c.last_name is null and p."lastName" is not null
      or c.email is null and p.email is not null)
  returning true
), created as (
  insert into contacts (account_id, id, external_id, first_name, last_name, email)
  select "accountId", "contactId", "fromId", "firstName", "lastName", email
  from sender where known_id is null
  order by s
  on conflict (account_id, external_id) where external_id is not null do nothing
  returning id
), contact as materialized (
  select s, messages, "accountId", "contactId", channel, "campaignId", known_id as id from sender
  where known_id is not null and (select count(*) from filled) >= 0
  union all
  select s, messages, "accountId", "contactId", channel, "campaignId", n.id from sender p join created n on n.id = p."contactId"
), 
moved as (
  update conversations c
  set last_seq = c.last_seq + p.messages, active_at = now(), active_step = activity_step(now()),
    channel = coalesce(p.channel, c.channel),
    last_outgoing_seq = c.last_outgoing_seq + p.messages, campaign_id = coalesce(p."campaignId", c.campaign_id), state = case c.state when 'empty' then 'open' else c.state end
  from (select * from contact order by s) as p
  where c.account_id = p."accountId" and c.contact_id = p.id
  returning p.s, c.contact_id, c.last_seq - p.messages as seq_before, c.quiet_ms,
    c.last_outgoing_seq - p.messages as outgoing_before, c.channel, c.is_simulated
), begun as (
  insert into conversations as c (account_id, contact_id, channel, last_seq, last_outgoing_seq, campaign_id)
  select "accountId", id, channel, messages, messages, "campaignId" from contact
  where (select count(*) from moved) < (select count(*) from contact) and s not in (select s from moved)
  order by s
  on conflict (account_id, contact_id) do update
  set last_seq = c.last_seq + excluded.last_seq, active_at = now(), active_step = activity_step(now()),
    channel = coalesce(excluded.channel, c.channel),
    last_outgoing_seq = c.last_outgoing_seq + excluded.last_outgoing_seq,
    campaign_id = coalesce(excluded.campaign_id, c.campaign_id), state = case c.state when 'empty' then 'open' else c.state end
  returning contact_id, last_seq, quiet_ms, last_outgoing_seq, channel, is_simulated
), conversation as materialized (
  select array_agg(s) as s, array_agg(contact_id) as contact_id, array_agg(seq_before) as seq_before,
    array_agg(quiet_ms) as quiet_ms, array_agg(outgoing_before) as outgoing_before, array_agg(channel) as channel, array_agg(is_simulated) as is_simulated
  from (
    select * from moved
    union all
    select p.s, b.contact_id, b.last_seq - p.messages, b.quiet_ms, b.last_outgoing_seq - p.messages, b.channel, b.is_simulated
    from begun b join contact p on p.id = b.contact_id
  ) as each_one
),
fresh as materialized (
  select m."accountId" as account_id, m."messageId" as id, m."fromId" as to_id, m.author, m."userId" as user_id, m.body,
    m."campaignId" as campaign_id, m.trace, m."broadcastId" as broadcast_id,
    t.contact_id[contact_index] as contact_id, t.seq_before[contact_index] + m.nth as seq,
    t.outgoing_before[contact_index] + m.nth as outgoing_seq,
    coalesce(m.channel, t.channel[contact_index], 'custom') as channel, t.is_simulated[contact_index] as is_simulated,
    case when m.nth = 1 and m.token is not null and not t.is_simulated[contact_index] and t.outgoing_before[contact_index] = coalesce((
      select c.last_outgoing_seq from conversations c
      where c.account_id = m."accountId" and c.contact_id = t.contact_id[contact_index]
    ), 0) then m.token end as token
  from conversation t cross join message m cross join lateral array_position(t.s, m.s) as contact_index
  where contact_index is not null
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
select account_id as "accountId", id, receiver_id as "receiverId", contact_id as "contactId", outgoing_seq as "outgoingSeq", author, token, trace, payload,
  url, secret, "oldSecret", "isPaused", (
    select clears from conversations where account_id = e.account_id and contact_id = e.contact_id
  ) as clears
from enqueued e
