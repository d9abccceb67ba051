-- From server/src/business/sessions/session-store.ts, by npm run generate.

with used as (
  select token_hash, account_id, user_id from sessions where token_hash = any ($1::bytea[])
  for no key update skip locked
), touched as (
  update sessions s set used_at = now() from used where s.token_hash = used.token_hash
), seen as (
  select u.account_id, u.id from users u
  where (u.account_id, u.id) in (select account_id, user_id from used) for no key update skip locked
)
update users u set seen_at = now() from seen where u.account_id = seen.account_id and u.id = seen.id
