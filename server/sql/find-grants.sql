-- From server/src/business/credits/store.ts, by npm run generate.

select g.n, 'granted' as outcome, l.id as "entryId", l.account_id as "accountId", l.amount,
  l.balance_after as "balanceAfter"
from json_to_recordset($1) as g (n integer, "agencyId" text, email text, "entryId" text)
join users u on u.email = g.email and u.is_holder
join ledger l on l.account_id = u.account_id and l.id = g."entryId" and l.payer_id = g."agencyId"
