-- From server/src/journey/intake/store.ts, by npm run generate.

with message as materialized (
  select m.*
  from json_to_recordset($1) as m (
    s integer, nth integer, "accountId" text, "contactId" text, "fromId" text,
    messages integer, "firstName" text, "lastName" text, email text, "lastChannel" text, "lastCampaignId" text,
    "messageId" text, "messageSid" text, "toId" text, body text, status text, kind text, channel text,
    "campaignId" text, "owesAnswer" boolean, trace text
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
    incoming_seq = c.last_seq + p.messages, state = 'open', snoozed_until = null
  from (select * from contact order by s) as p
  where c.account_id = p."accountId" and c.contact_id = p.id
  returning p.s, c.contact_id, c.last_seq - p.messages as seq_before, c.quiet_ms
), begun as (
  insert into conversations as c (account_id, contact_id, channel, last_seq, incoming_seq)
  select "accountId", id, channel, messages, messages from contact
  where (select count(*) from moved) < (select count(*) from contact) and s not in (select s from moved)
  order by s
  on conflict (account_id, contact_id) do update
  set last_seq = c.last_seq + excluded.last_seq, active_at = now(), active_step = activity_step(now()),
    channel = coalesce(excluded.channel, c.channel),
    incoming_seq = c.last_seq + excluded.last_seq, state = 'open', snoozed_until = null
  returning contact_id, last_seq, quiet_ms
), conversation as materialized (
  select array_agg(s) as s, array_agg(contact_id) as contact_id, array_agg(seq_before) as seq_before,
    array_agg(quiet_ms) as quiet_ms
  from (
    select * from moved
    union all
    select p.s, b.contact_id, b.last_seq - p.messages, b.quiet_ms
    from begun b join contact p on p.id = b.contact_id
  ) as each_one
),
fresh as not materialized (
  select m.*, t.contact_id[contact_index] as contact_id, t.seq_before[contact_index] + m.nth as seq,
    t.quiet_ms[contact_index] as quiet_ms
  from conversation t cross join message m cross join lateral array_position(t.s, m.s) as contact_index
  where contact_index is not null
), kept as (
  insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, campaign_id,
    message_sid, to_id)
  select "accountId", "messageId", contact_id, case when (select true from removed_sids r
    where r.account_id = m."accountId" and r.sid_hash = substr(sha256(convert_to(m."messageSid", 'UTF8')), 1, 16)) then refuse_removed_copy() else m.seq end, 'incoming', 'contact', kind, status, body, channel, "campaignId",
    "messageSid", "toId"
  from fresh m
  
  returning account_id, id, contact_id
), owed as (
  insert into turns as w (account_id, contact_id, due_at, from_seq, last_seq, trace)
  select f."accountId", f.contact_id, now() + min(f.quiet_ms) * interval '1 ms', min(f.seq), max(f.seq), max(f.trace)
  from fresh f join kept on kept.id = f."messageId"
  where f."owesAnswer"
  group by f."accountId", f.contact_id, f.s
  order by f.s
  on conflict (account_id, contact_id) do update
  set last_seq = excluded.last_seq, attempts = 0, trace = coalesce(excluded.trace, w.trace), due_at = least(excluded.due_at, w.first_at + interval '1 ms' * (
    select max_wait_ms from conversations c where c.account_id = w.account_id and c.contact_id = w.contact_id
  ))
)
select id, contact_id as "contactId", (
    select clears from conversations where account_id = k.account_id and contact_id = k.contact_id
  ) as clears, null as "seenId"
from kept k

