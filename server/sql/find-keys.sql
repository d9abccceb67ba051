-- From server/src/business/accounts/store.ts, by npm run generate.

select encode(k.key_hash, 'hex') as "keyHash", a.id as "accountId", a.kind,
  a.rate_limit_per_minute as "rateLimitPerMinute", a.bot_active as "botActive"
from api_keys k join accounts a on a.id = k.account_id
where k.key_hash = any ($1::bytea[])
