-- From server/src/business/team/link-store.ts, by npm run generate.

select encode(l.token_hash, 'hex') as "tokenHash", l.account_id as "accountId",
  coalesce(a.name, h.email) as "accountName", l.user_id as "userId", u.email, l.makes_owner as "makesOwner",
  l.ends_at as "endsAt", coalesce(m.name, split_part(m.email, '@', 1), g.name, gh.email, '') as "madeBy", g.id as "agencyId",
  coalesce(gu.name, split_part(gu.email, '@', 1)) as "agencyUser"
from account_links l join accounts a on a.id = l.account_id
join users h on h.account_id = l.account_id and h.is_holder
left join users u on u.account_id = l.account_id and u.id = l.user_id 
  left join users m on m.account_id = l.account_id and m.id = l.made_by
  left join accounts g on g.id = a.agency_id and m.id is null
  left join users gh on gh.account_id = g.id and gh.is_holder

left join users gu on gu.account_id = g.id and gu.id = l.made_by
where l.token_hash = any ($1::bytea[]) and l.ends_at > now()
