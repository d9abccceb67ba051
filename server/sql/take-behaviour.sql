-- From server/src/journey/delivery/transports/simulator/simulator-store.ts, by npm run generate.

with present as materialized (
  select behaviour from simulators where account_id = $1 for update
), used as (
  update simulators
  set behaviour = case when times_left = 1 then 'ok' else behaviour end, times_left = nullif(times_left - 1, 0)
  where account_id = $1 and times_left is not null and exists (select from present)
)
select behaviour from present
