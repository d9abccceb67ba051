-- From server/src/business/sessions/session-store.ts, by npm run generate.

select g.place, u.account_id as "accountId", u.id as "userId", u.password_hash as "passwordHash", exists (
    select from sessions s where s.account_id = u.account_id and s.user_id = u.id and s.address = g.address
  ) or exists (
    select from audit_events e where e.account_id = u.account_id and e.actor_id = u.id and e.address = g.address
      and e.act = 'signed in' and e.at > now() - interval '30 days'
  ) as "isKnownAddress"
from unnest($1::text[], $2::text[]) with ordinality as g (email, address, place)
join users u on u.email = g.email
