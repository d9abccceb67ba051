-- From server/src/business/accounts/rate-limit/rate-window-store.ts, by npm run generate.

with given as materialized (
  select w.key_hash, g.unused
  from unnest($1::text[], $2::integer[], $3::integer[]) as g (key, number, unused)
  join rate_windows w on w.key_hash = decode(g.key, 'hex') and w.number = g.number
  order by w.key_hash for no key update of w
)
update rate_windows w set leased = greatest(0, w.leased - given.unused) from given where w.key_hash = given.key_hash
