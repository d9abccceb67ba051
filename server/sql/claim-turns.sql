-- From server/src/journey/bot/turns/claim-store.ts, by npm run generate.

with recursive leased as materialized (
  select account_id, contact_id, due_at, leased_until from turns where lease_token is not null
), live as materialized (
  select account_id, count(*) as leases from leased where leased_until >= now() group by account_id
), oldest as materialized (
  select account_id, contact_id, due_at from turns where lease_token is null and due_at <= now() order by due_at limit 100
), overflow as materialized (
  select true as is_more from oldest having count(*) = 100
), newest as materialized (
  select account_id, contact_id, due_at from turns
  where lease_token is null and due_at <= now() and (select is_more from overflow)
  order by due_at desc
  limit 100
), owing_account as materialized (
  with recursive account_list as (
  select (select account_id from turns where lease_token is null and (select is_more from overflow) and account_id > $4 order by account_id limit 1) as account_id, 1 as n
  union all
  select (select account_id from turns where lease_token is null and (select is_more from overflow) and account_id > o.account_id order by account_id limit 1), o.n + 1
  from account_list o
  where o.account_id is not null and o.n <= 64
  )
  select * from account_list
), by_account as materialized (
  select t.*
  from owing_account o cross join lateral (
    select account_id, contact_id, due_at from turns
    where lease_token is null and account_id = o.account_id and due_at <= now()
    order by account_id, due_at -- by the index that begins with the account, and no other
    limit 2
  ) as t
  where o.account_id is not null and o.account_id <> all ($3::text[])
), parked_account as materialized (
  with recursive account_list as (
  select (select account_id from turns where parked_units is not null and lease_token is null and account_id > $5 order by account_id limit 1) as account_id, 1 as n
  union all
  select (select account_id from turns where parked_units is not null and lease_token is null and account_id > o.account_id order by account_id limit 1), o.n + 1
  from account_list o
  where o.account_id is not null and o.n <= 64
  )
  select * from account_list
), affordable as materialized (
  select t.*
  from parked_account p join balances b on b.account_id = p.account_id cross join lateral (
    select account_id, contact_id, first_at from turns
    where parked_units is not null and lease_token is null and account_id = p.account_id and parked_units <= b.balance - b.held
    order by account_id, parked_units, first_at
    limit $2
  ) as t
), candidate as materialized (
  select account_id, contact_id, min(due_at) as since
  from (
    select * from oldest
    union all select * from newest
    union all select * from by_account
    union all select * from affordable
    union all select account_id, contact_id, due_at from leased where leased_until < now()
  ) as every
  where account_id <> all ($3::text[])
  group by account_id, contact_id
), ranked as materialized (
  select c.*, coalesce((select leases from live l where l.account_id = c.account_id), 0)
    + row_number() over (partition by c.account_id order by c.since) as position_in_account
  from candidate c
), chosen as materialized (
  select account_id, contact_id from ranked where position_in_account <= $2 order by position_in_account, since limit $1
), locked as materialized (
  select t.account_id, t.contact_id
  from chosen c join turns t on t.account_id = c.account_id and t.contact_id = c.contact_id
  where (t.lease_token is null or t.leased_until < now()) and (t.due_at <= now() or t.parked_units is not null)
  for update of t skip locked
), claimed as (
  update turns t
  set lease_token = gen_random_uuid(), leased_until = now() + interval '30 s', claimed_seq = t.last_seq,
    attempts = t.attempts + 1
  from locked f
  where t.account_id = f.account_id and t.contact_id = f.contact_id
  returning t.*
)
select t.account_id as "accountId", t.contact_id as "contactId", t.from_seq as "fromSeq",
  t.claimed_seq as "claimedSeq", t.lease_token as token, t.attempts, t.superseded, t.trace, t.parked_units is not null as "isParked",
  (select case when bool_or(account_id is null) then '' else max(account_id) end from owing_account) as "nextAccount", (select case when bool_or(account_id is null) then '' else max(account_id) end from parked_account) as "nextParked",
  (select ceil(extract(epoch from min(due_at) - now()) * 1000)::float8 from turns where lease_token is null and due_at > now()) as "nextInMs",
  (select count(*) from candidate) > (select count(*) from claimed) as "isMoreDue"
from (values (true)) as always left join claimed t on true
