-- From server/src/journey/delivery/outcome/settle-store.ts, by npm run generate.

with given as materialized (
  select * from json_to_recordset($1) as g (
    "accountId" text, "receiverId" text, id text, token uuid, since timestamptz, url text, "durationMs" integer
  )
), settled as (
  update deliveries d
  set lease_token = null, leased_until = null, due_at = null, attempts = d.attempts + 1,
    first_attempt_at = now(), last_attempt_at = now(), sent_at = coalesce(d.sent_at, now()),
    last_url = split_part(g.url, '?', 1), last_duration_ms = g."durationMs",
    error_category = null, error_http_status = null, error_detail = null
  from given g join receivers e on e.account_id = g."accountId" and e.id = g."receiverId" and e.url = g.url
  where d.account_id = g."accountId" and d.id = g.id and d.lease_token = g.token and e.failures_in_row = 0 and e.gone_at is null
    and e.last_success_at >= now() - interval '1 minute'
  returning d.account_id, d.id, d.receiver_id, g.since
), more as materialized (
  select array(
    select r.account_id || ' ' || r.receiver_id
    from (select account_id, receiver_id, min(since) as since from settled group by account_id, receiver_id) as r
    where (
      select true from deliveries q
      where q.account_id = r.account_id and q.receiver_id = r.receiver_id and q.due_at between r.since and now()
        and (q.leased_until is null or q.leased_until < now())
      order by q.due_at
      limit 1
    ) is not null
  ) as receivers
)
select s.id, s.account_id || ' ' || s.receiver_id = any ((select receivers from more)::text[]) as "hasMore"
from settled s
