-- From server/src/journey/messages/store.ts, by npm run generate.

with asked as materialized (
  select * from json_to_recordset($1) as a ("accountId" text, "messageId" text, token uuid)
), released as (
  update deliveries d set lease_token = null, leased_until = null
  from asked a
  where d.account_id = a."accountId" and d.id = a."messageId" and d.lease_token = a.token
)
select m.id as "messageId", m.contact_id as "contactId"
from asked a join messages m on m.account_id = a."accountId" and m.id = a."messageId"
