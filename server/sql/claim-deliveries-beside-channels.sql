-- From server/src/journey/delivery/claim/store.ts, by npm run generate.

with requested as materialized (
  select * from json_to_recordset($1) as a ("accountId" text, "receiverId" text, budget integer, since timestamptz)
), probing as (
  update receivers e set probe_at = now() + interval '30 s'
  from requested a
  where e.account_id = a."accountId" and e.id = a."receiverId"
    and e.failures_in_row >= 10 and e.probe_at <= now() and e.paused_at is null
    and (
      select true from deliveries q
      where q.account_id = e.account_id and q.receiver_id = e.id and q.due_at between a.since and now()
        and (q.leased_until is null or q.leased_until < now())
      order by q.due_at
      limit 1
    ) is not null and not exists (
        select q.id from deliveries q
        where q.account_id = e.account_id and q.receiver_id = e.id and q.asked = 'now' and q.due_at <= now()
          and (q.leased_until is null or q.leased_until < now()))
  returning e.account_id, e.id as receiver_id
), receiver as materialized (
  select a."accountId" as account_id, a."receiverId" as receiver_id, 
  e.url, e.secret, case when e.old_secret_until > now() then e.old_secret end as "oldSecret",
  e.paused_at is not null as "isPaused", b.account_id is not null as is_probe,
    a.budget, a.since, case when (e.failures_in_row >= 10 and e.paused_at is null) is not true then a.budget
      when b.account_id is not null then 1 else 0 end as in_line
  from requested a
  left join receivers e on e.account_id = a."accountId" and e.id = a."receiverId"
  left join probing b on b.account_id = e.account_id and b.receiver_id = e.id
), chosen as materialized (
  select r.*, c.id
  from receiver r cross join lateral (
    select d.id from deliveries d
    where d.account_id = r.account_id and coalesce(d.due_at, 'infinity') <= now()
      and (d.leased_until is null or d.leased_until < now())
      and d.id = any (array(
        (
        select q.id from deliveries q
        where q.account_id = r.account_id and q.receiver_id = r.receiver_id and q.asked = 'now' and q.due_at <= now()
          and (q.leased_until is null or q.leased_until < now())
        order by q.due_at limit r.budget)
        union
        select coalesce((
          select q.id from deliveries q
          where q.account_id = w.account_id and q.contact_id = w.contact_id and q.due_at is not null and (q.attempts = 0 or q.due_at <= now())
          order by q.outgoing_seq
          limit 1
        ), w.id)
        from (
          with early as materialized (
            select w.account_id, w.id, w.contact_id from (
              select account_id, id, contact_id, due_at from deliveries
              where account_id = r.account_id and receiver_id = r.receiver_id and due_at between r.since and now()
                and (leased_until is null or leased_until < now())
              order by due_at asc, id asc
              limit 1000
            ) as w
            where coalesce((
              select q.receiver_id from deliveries q
              where q.account_id = w.account_id and q.contact_id = w.contact_id and q.due_at is not null and (q.attempts = 0 or q.due_at <= now())
              order by q.outgoing_seq
              limit 1
            ), r.receiver_id) = r.receiver_id
            order by w.due_at asc, w.id asc
            limit 8 * r.in_line)
          select * from early
          union all
          select * from (
            select w.account_id, w.id, w.contact_id from (
              select account_id, id, contact_id, due_at from deliveries
              where account_id = r.account_id and receiver_id = r.receiver_id and due_at between r.since and now()
                and (leased_until is null or leased_until < now())
              order by due_at desc, id desc
              limit 1000
            ) as w
            where coalesce((
              select q.receiver_id from deliveries q
              where q.account_id = w.account_id and q.contact_id = w.contact_id and q.due_at is not null and (q.attempts = 0 or q.due_at <= now())
              order by q.outgoing_seq
              limit 1
            ), r.receiver_id) = r.receiver_id
            order by w.due_at desc, w.id desc
            limit 8 * r.in_line) as late
          where (select count(*) from early) = 8 * r.in_line
        ) as w
      ))
    order by d.asked = 'now' desc nulls last, d.due_at, d.id
    limit case when r.is_probe then 1 else r.budget end
    for update skip locked
  ) as c
)
update deliveries d
set lease_token = gen_random_uuid(), leased_until = now() + interval '30 s'
from chosen c
where d.account_id = c.account_id and d.id = c.id
returning d.account_id as "accountId", d.id, d.receiver_id as "receiverId", d.contact_id as "contactId", d.outgoing_seq as "outgoingSeq",
  d.author, d.payload, d.trace, d.attempts, d.asked_attempts as "askedAttempts", d.asked, d.lease_token as token,
  c.url, c.secret, c."oldSecret", c."isPaused", c.is_probe as "isProbe"
