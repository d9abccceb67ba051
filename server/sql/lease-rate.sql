-- From server/src/business/accounts/rate-limit/rate-window-store.ts, by npm run generate.

insert into rate_windows as w (key_hash, number, ends_at, quota, wanted, most, leased, granted)
select decode(key, 'hex'), 1, now() + interval '60 seconds', quota, wanted, most, first, first
from unnest($1::text[], $2::integer[], $3::integer[], $4::integer[]) as asked (key, quota, wanted, most),
  least(quota, greatest(wanted, (quota + 15) / 16)) as first
order by key
on conflict (key_hash) do update set
  number = w.number + (w.ends_at <= now())::integer,
  ends_at = case when w.ends_at <= now() then excluded.ends_at else w.ends_at end,
  quota = excluded.quota,
  wanted = excluded.wanted,
  most = excluded.most,
  leased = case when w.ends_at <= now() then excluded.leased else w.leased + least(greatest(0, excluded.quota - w.leased), greatest(excluded.wanted, least(excluded.most, (greatest(0, excluded.quota - w.leased) + 3) / 4))) end,
  granted = case when w.ends_at <= now() then excluded.granted else least(greatest(0, excluded.quota - w.leased), greatest(excluded.wanted, least(excluded.most, (greatest(0, excluded.quota - w.leased) + 3) / 4))) end
returning encode(key_hash, 'hex') as "keyHash", number, granted, greatest(0, quota - leased) as "left",
  (extract(epoch from ends_at - now()) * 1000)::float8 as "endsInMs"
