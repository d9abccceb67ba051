import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { deleteInBatches } from '../../../platform/database/prune.ts'

/** `wanted`: requests that wait. `most`: how much more than that it needs at most. */
export type AskedLease = { keyHash: string; limit: number; wanted: number; most: number }

/** `left`: what no process has leased. */
export type Lease = { keyHash: string; number: number; granted: number; left: number; endsInMs: number }

export type UnusedPart = { keyHash: string; number: number; unused: number }

/**
 * Leases a part of each key's limit: at least what is wanted, and up to a quarter of what is left (of a new window a
 * sixteenth of all), as far as there is any. It is deducted here, so that all processes together never have more than the limit. A window
 * begins with the first lease, by the clock of the database.
 */
export async function leaseParts(pool: Pool, asked: AskedLease[]): Promise<Lease[]> {
  const columns = (['keyHash', 'limit', 'wanted', 'most'] as const).map((name) => asked.map((one) => one[name]))
  const { rows } = await pool.query<Lease>(prepared(statements, 'lease-rate', columns))
  return rows
}

const isOver = 'w.ends_at <= now()'
const left = 'greatest(0, excluded.quota - w.leased)'
const part = `least(${left}, greatest(excluded.wanted, least(excluded.most, (${left} + 3) / 4)))`

/** The keys are sorted, so that two processes that lease for the same ones lock them in the same order. */
const leaseQuery = `
insert into rate_windows as w (key_hash, number, ends_at, quota, wanted, most, leased, granted)
select decode(key, 'hex'), 1, now() + interval '60 seconds', quota, wanted, most, first, first
from unnest($1::text[], $2::integer[], $3::integer[], $4::integer[]) as asked (key, quota, wanted, most),
  least(quota, greatest(wanted, (quota + 15) / 16)) as first
order by key
on conflict (key_hash) do update set
  number = w.number + (${isOver})::integer,
  ends_at = case when ${isOver} then excluded.ends_at else w.ends_at end,
  quota = excluded.quota,
  wanted = excluded.wanted,
  most = excluded.most,
  leased = case when ${isOver} then excluded.leased else w.leased + ${part} end,
  granted = case when ${isOver} then excluded.granted else ${part} end
returning encode(key_hash, 'hex') as "keyHash", number, granted, greatest(0, quota - leased) as "left",
  (extract(epoch from ends_at - now()) * 1000)::float8 as "endsInMs"
`

/** Gives back what was leased and not used, so that other processes can have it. */
export async function giveBackParts(pool: Pool, unused: UnusedPart[]): Promise<void> {
  const columns = (['keyHash', 'number', 'unused'] as const).map((name) => unused.map((one) => one[name]))
  await pool.query(prepared(statements, 'give-back-rate', columns))
}

const giveBackQuery = `
with given as materialized (
  select w.key_hash, g.unused
  from unnest($1::text[], $2::integer[], $3::integer[]) as g (key, number, unused)
  join rate_windows w on w.key_hash = decode(g.key, 'hex') and w.number = g.number
  order by w.key_hash for no key update of w
)
update rate_windows w set leased = greatest(0, w.leased - given.unused) from given where w.key_hash = given.key_hash
`

export const statements = { 'lease-rate': leaseQuery, 'give-back-rate': giveBackQuery }

/** Deletes the windows of keys that nobody has used for an hour. */
export async function pruneRateWindows(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from rate_windows where key_hash in (
        select key_hash from rate_windows where ends_at < now() - interval '1 hour' limit ${limit}
      )`,
  )
}
