-- From server/src/business/sessions/session-store.ts, by npm run generate.

select encode(s.token_hash, 'hex') as "tokenHash", coalesce(v.id, h.id) as "accountId",
  coalesce(v.kind, h.kind) as kind,
  case when v.id is null then u.id else s.guest_id end as "userId", u.is_owner as "isOwner",
  u.is_owner or u.is_manager as "mayManage",
  v.id is not null as "isVisiting", json_build_object('accountId', h.id, 'userId', u.id) as home,
  s.used_at < now() - interval '1 minute' as "isStale", u.removed_at is not null as "isRemoved"
from sessions s join users u on u.id = s.user_id and u.account_id = s.account_id
join accounts h on h.id = s.account_id 
left join users g on g.id = s.guest_id and g.guest_of = u.id
left join accounts v on v.id = g.account_id and v.agency_id = s.account_id and s.visit_ends_at > now() and u.is_owner

where s.token_hash = any ($1::bytea[]) and s.used_at > now() - interval '14 days'
  and s.created_at > now() - interval '30 days'
