import type { Pool } from 'pg'
import { leaseSeconds } from '../../outbox/owe-events.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { Turn } from './turn-store.ts'

/** `mostAtOnce` turns, of one account at most `perAccount` in all processes together; of those in `without`, none. */
export type Wanted = { mostAtOnce: number; perAccount: number; without: AccountId[] }

/**
 * Leases answers that are due. Every account gets one before any gets a second one that it has leased already; among
 * those the oldest goes first. What is parked for want of credits is taken up as soon as they are there: who grants them
 * need not know of it.
 *
 * It costs about the same however much is owed. Where no more is due than one look shows, it sees everything. Where more
 * is due, it looks at the oldest, at the newest, which are those of accounts that have no backlog, and at some accounts
 * one after the other, going on at each look where the last one ended: so nobody's backlog hides another account.
 */
export function openClaim(pool: Pool): (wanted: Wanted) => Promise<Turn[]> {
  let from: Cursors = { account: '', parked: '' }
  return async ({ mostAtOnce, perAccount, without }) => {
    const values = [mostAtOnce, perAccount, without, from.account, from.parked]
    // Named, so that it is planned once a connection: it is asked ten times a second, mostly in vain.
    const { rows } = await pool.query<Row>({ name: 'claim-turns', text: claimStatement, values })
    from = { account: rows[0]?.nextAccount ?? '', parked: rows[0]?.nextParked ?? '' }
    return rows.filter(isTurn).map(({ nextAccount: _, nextParked: __, ...row }) => {
      return { ...row, fromSeq: BigInt(row.fromSeq), claimedSeq: BigInt(row.claimedSeq) }
    })
  }
}

type Cursors = { account: string; parked: string }

type Row = { nextAccount: string | null; nextParked: string | null } & (Claimed | { token: null })
type Claimed = Omit<Turn, 'fromSeq' | 'claimedSeq'> & { fromSeq: string; claimedSeq: string }

/** When nothing was claimed, there is one row all the same, which says where to go on. */
function isTurn(row: Row): row is Row & Claimed {
  return row.token !== null
}

/** Turns seen from each end; accounts whose turns are looked at, and how many of each; accounts whose parked ones are. */
const seen = 100
const accountsSeen = 64
const seenInAccount = 2
const parkedAccountsSeen = 64

/** The part of a statement that jumps from one account to the next in an index, as far as one look goes. */
function accountsAfter(cursor: string, { which, most }: { which: string; most: number }): string {
  const next = (after: string) =>
    `select account_id from turns where ${which} and account_id > ${after} order by account_id limit 1`
  return `
  select (${next(cursor)}) as account_id, 1 as n
  union all
  select (${next('o.account_id')}), o.n + 1
  from each_one o
  where o.account_id is not null and o.n <= ${most}`
}

/** Where the next look goes on; at the beginning again when this one came to the end. */
const lastOf = (accounts: string) =>
  `(select case when bool_or(account_id is null) then '' else max(account_id) end from ${accounts})`

const isFree = 'lease_token is null'
const isParked = `parked_units is not null and ${isFree}`

export const claimStatement = `
with recursive leased as materialized (
  select account_id, contact_id, due_at, leased_until from turns where lease_token is not null
), live as materialized (
  select account_id, count(*) as leases from leased where leased_until >= now() group by account_id
), oldest as materialized (
  select account_id, contact_id, due_at from turns where ${isFree} and due_at <= now() order by due_at limit ${seen}
), beyond as materialized (
  select true as is_more from oldest having count(*) = ${seen}
), newest as materialized (
  select account_id, contact_id, due_at from turns
  where ${isFree} and due_at <= now() and (select is_more from beyond)
  order by due_at desc
  limit ${seen}
), owing as materialized (
  with recursive each_one as (${accountsAfter('$4', { which: `${isFree} and (select is_more from beyond)`, most: accountsSeen })}
  )
  select * from each_one
), by_account as materialized (
  select t.*
  from owing o cross join lateral (
    select account_id, contact_id, due_at from turns
    where ${isFree} and account_id = o.account_id and due_at <= now()
    order by account_id, due_at -- by the index that begins with the account, and no other
    limit ${seenInAccount}
  ) as t
  where o.account_id is not null and o.account_id <> all ($3::text[])
), poor as materialized (
  with recursive each_one as (${accountsAfter('$5', { which: isParked, most: parkedAccountsSeen })}
  )
  select * from each_one
), affordable as materialized (
  select t.*
  from poor p join balances b on b.account_id = p.account_id cross join lateral (
    select account_id, contact_id, first_at from turns
    where ${isParked} and account_id = p.account_id and parked_units <= b.balance - b.held
    order by account_id, parked_units, first_at
    limit $2
  ) as t
), candidate as materialized (
  select account_id, contact_id, min(due_at) as since
  from (
    select * from oldest
    union all select * from newest
    union all select * from by_account
    union all select * from affordable
    union all select account_id, contact_id, due_at from leased where leased_until < now()
  ) as every
  where account_id <> all ($3::text[])
  group by account_id, contact_id
), ranked as materialized (
  select c.*, coalesce((select leases from live l where l.account_id = c.account_id), 0)
    + row_number() over (partition by c.account_id order by c.since) as place
  from candidate c
), chosen as materialized (
  select account_id, contact_id from ranked where place <= $2 order by place, since limit $1
), free as materialized (
  select t.account_id, t.contact_id
  from chosen c join turns t on t.account_id = c.account_id and t.contact_id = c.contact_id
  where (t.lease_token is null or t.leased_until < now()) and (t.due_at <= now() or t.parked_units is not null)
  for update of t skip locked
), claimed as (
  update turns t
  set lease_token = gen_random_uuid(), leased_until = now() + interval '${leaseSeconds} s', claimed_seq = t.last_seq,
    attempts = t.attempts + 1
  from free f
  where t.account_id = f.account_id and t.contact_id = f.contact_id
  returning t.*
)
select t.account_id as "accountId", t.contact_id as "contactId", t.from_seq as "fromSeq",
  t.claimed_seq as "claimedSeq", t.lease_token as token, t.attempts, t.superseded, t.parked_units is not null as "isParked",
  ${lastOf('owing')} as "nextAccount", ${lastOf('poor')} as "nextParked"
from (values (true)) as always left join claimed t on true
`
